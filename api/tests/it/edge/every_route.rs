//! What holds of every operation in the document, whoever adds the next one.

use axum::http::Method;
use serde_json::Value;

use super::box_office::BoxOffice;
use super::client::Call;
use super::conformity::openapi;

struct Operation {
    method: Method,
    path: String,
    takes_body: bool,
    body_bytes_max: usize,
    needs_key: bool,
}

/// Where a provider's own bytes come in: they are verified before they are read, and nothing else about
/// the request is ours to judge.
const SIGNED: &str = "/payments/webhooks/";

/// All of them, with nothing's id in place of their parameters.
fn operations() -> Vec<Operation> {
    let paths = openapi()["paths"].as_object().expect("paths");
    let operations = paths.iter().flat_map(|(path, item)| {
        item.as_object().expect("operations").iter().map(move |(method, operation)| {
            let parameters = operation["parameters"].as_array();
            let needs_key = |parameter: &Value| parameter["name"] == "Idempotency-Key";
            Operation {
                method: method.to_uppercase().parse().expect("a method"),
                path: path.replace(['{', '}'], ""),
                takes_body: operation["requestBody"].is_object(),
                body_bytes_max: match path.as_str() {
                    "/admin/venues" | "/admin/venues/{venue_id}/plans" => 32 << 20,
                    "/admin/events/{event_id}/blocks" => 4 << 20,
                    _ => 1 << 20,
                },
                needs_key: parameters.into_iter().flatten().any(needs_key),
            }
        })
    });
    operations.collect()
}

impl Operation {
    /// As an operator, who may call them all.
    fn call(&self, office: &BoxOffice, query: &str) -> Call {
        let call = office.operator(self.method.clone(), &format!("{}{query}", self.path));
        if self.needs_key { call.key("k") } else { call }
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

#[tokio::test]
async fn no_operation_passes_over_a_query_that_it_does_not_know() {
    let office = BoxOffice::empty("unknown_queries").await;
    for operation in operations().into_iter().filter(|it| !it.path.starts_with(SIGNED)) {
        let call = operation.call(&office, "?colour=red&a%2Fb=1&colour=blue");
        let call = if operation.takes_body { call.text("{}") } else { call };
        let pointers = call.send().await.pointers();
        for pointer in ["?colour", "?a/b"] {
            assert!(pointers.iter().any(|it| it == pointer), "{}: {pointers:?}", operation.name());
        }
        let broken = operation.call(&office, "?%FF=1");
        let broken = if operation.takes_body { broken.text("{}") } else { broken };
        let pointers = broken.send().await.pointers();
        assert!(pointers.contains(&"?".to_owned()), "{}: {pointers:?}", operation.name());
    }
    // The one operation that takes a body and may do without.
    let bare = office.buyer("ana", Method::POST, "/events/noche/queue?colour=red").send().await;
    assert_eq!(bare.pointers(), ["?colour"]);
}

#[tokio::test]
async fn every_body_is_bounded_and_read_without_mercy() {
    let office = BoxOffice::empty("bodies_everywhere").await;
    let mut checked = 0;
    let read = |it: &&Operation| it.takes_body && !it.path.starts_with(SIGNED);
    for operation in operations().iter().filter(read) {
        checked += 1;
        let name = operation.name();
        let send = |body: String| operation.call(&office, "").text(&body).send();
        let large = format!("{{\"a\": \"{}\"}}", "x".repeat(operation.body_bytes_max));
        send(large.clone()).await.problem(413, "payload-too-large");
        let untyped = operation.call(&office, "").raw("{}").send().await;
        untyped.problem(415, "unsupported-media-type");
        for (coding, is_read) in [("gzip", false), ("identity, br", false), ("Identity", true)] {
            let coded = operation.call(&office, "").header("content-encoding", coding).text("[]");
            let answer = coded.send().await;
            match is_read {
                true => assert_eq!(answer.pointers()[0], "", "{name}"),
                false => {
                    answer.problem(415, "unsupported-media-type");
                    assert_eq!(answer.header("accept-encoding"), Some("identity"), "{name}");
                }
            }
        }
        for (body, pointer) in [
            ("", ""),
            ("{", ""),
            ("[]", ""),
            ("{} {}", ""),
            ("{\"a\": \u{1}}", ""),
            (r#"{"a~/": 1, "a~/": 2}"#, "/a~0~1"),
        ] {
            let pointers = send(body.into()).await.pointers();
            assert_eq!(pointers[0], pointer, "{name}: {body}: {pointers:?}");
        }
        // Where a body is read in pieces, a value under an unknown name is not even looked at.
        for value in ["1e999", r#""\ud800""#] {
            let pointers = send(format!("{{\"a\": {value}}}")).await.pointers();
            assert!(["", "/a"].contains(&pointers[0].as_str()), "{name}: {pointers:?}");
        }
        let deep = format!("{{\"a\": {}{}}}", "[".repeat(50_000 / 2), "]".repeat(50_000 / 2));
        assert_eq!(send(deep).await.pointers(), [""], "{name}: too deep");
        let answer = send(r#"{"colour": 1, "a/b": 2}"#.into()).await;
        let pointers = answer.pointers();
        for unknown in ["/colour", "/a~1b"] {
            assert!(pointers.iter().any(|pointer| pointer == unknown), "{name}: {pointers:?}");
        }
        let details = answer.json().to_string();
        for word in
            ["u32", "u64", "i64", "struct", "UUID parsing", "invalid type", "sequence", "map"]
        {
            assert!(!details.contains(word), "{name}: {details}");
        }
    }
    assert!(checked >= 5, "{checked} operations take a body");
}

#[tokio::test]
async fn every_route_is_in_the_document_and_every_documented_operation_is_routed() {
    let office = BoxOffice::empty("routed").await;
    for operation in operations() {
        let answer = operation.call(&office, "").send().await;
        let detail =
            if answer.status == 404 { answer.json()["detail"].clone() } else { Value::Null };
        let is_routed = answer.status != 405 && detail != "nothing answers at this path";
        assert!(is_routed, "{}: {answer:?}", operation.name());
    }
    // The other direction: routes are added by `routes!`, which documents them. What is added by hand
    // is what stands nowhere below /admin.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut by_hand = Vec::new();
    let mut folders = vec![root.join("routes"), root.join("routes.rs")];
    while let Some(path) = folders.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            folders.extend(entries.map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let lines = text.lines().filter(|line| line.contains(".route(") || line.contains("nest("));
        by_hand.extend(lines.map(|line| line.trim().to_owned()));
    }
    assert_eq!(
        by_hand,
        [".fold(operators.router, |router, path| router.route(path, any(no_such_route)))"]
    );
}

#[tokio::test]
async fn below_admin_a_token_is_asked_for_whatever_is_there() {
    let office = BoxOffice::empty("admin_nowhere").await;
    for path in ["/admin", "/admin/", "/admin/nope", "/admin/events/x/nope", "/admin/a/b/c/d"] {
        for method in [Method::GET, Method::POST, Method::OPTIONS] {
            let anyone = office.anyone(method.clone(), path).send().await;
            anyone.problem(401, "unauthenticated");
            let buyer = office.buyer("ana", method.clone(), path).send().await;
            buyer.problem(403, "forbidden");
            let operator = office.operator(method.clone(), path).send().await;
            operator.problem(404, "not-found");
        }
    }
}

#[tokio::test]
async fn options_without_a_preflight_is_a_method_like_the_rest() {
    let office = BoxOffice::empty("options").await;
    let plain = office.anyone(Method::OPTIONS, "/events").send().await;
    plain.problem(405, "method-not-allowed");
    assert!(plain.header("allow").is_some_and(|allow| allow.contains("GET")));
    let half = office.anyone(Method::OPTIONS, "/events").header("origin", "https://a.example");
    half.send().await.problem(405, "method-not-allowed");
    office.anyone(Method::OPTIONS, "/orders").send().await.problem(401, "unauthenticated");
    let preflight = office
        .anyone(Method::OPTIONS, "/orders")
        .header("origin", "https://a.example")
        .header("access-control-request-method", "GET");
    let preflight = preflight.send().await;
    assert_eq!(preflight.status, 200);
    assert!(preflight.header("access-control-allow-methods").is_some());
}
