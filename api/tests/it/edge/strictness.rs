//! The order of checks, and what a body may be.

use axum::http::Method;
use serde_json::json;

use super::box_office::BoxOffice;

#[tokio::test]
async fn checks_come_in_the_order_of_the_contract() {
    let (office, event) = BoxOffice::open("check_order").await;
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(70_000));
    let operator = office.token("olga", "operator");
    let call = |method: Method, path: &str, body: &str, content_type: &str| {
        office.anyone(method, path).header("content-type", content_type).raw(body)
    };
    // 401 before everything, wrong methods included.
    for (method, path) in [
        (Method::POST, "/holds"),
        (Method::PUT, "/holds"),
        (Method::GET, "/orders/x"),
        (Method::PUT, "/admin/venues"),
        (Method::POST, "/admin/events"),
    ] {
        let answer = call(method, path, &large, "text/plain").send().await;
        answer.problem(401, "unauthenticated");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{path}");
    }
    let bad = office.anyone(Method::POST, "/holds").bearer("nonsense").send().await;
    bad.problem(401, "unauthenticated");
    assert_eq!(bad.header("www-authenticate"), Some("Bearer error=\"invalid_token\""));
    // 403 before 405, 405 before 413.
    for method in [Method::POST, Method::PUT] {
        let answer = office.buyer("ana", method, "/admin/venues").raw(&large).send().await;
        answer.problem(403, "forbidden");
    }
    let answer = call(Method::PUT, "/admin/venues", &large, "text/plain").bearer(&operator);
    let answer = answer.send().await;
    answer.problem(405, "method-not-allowed");
    assert!(answer.header("allow").is_some_and(|allow| allow.contains("POST")));
    // 413 before 415, 415 before 400, 400 before 404.
    let ana = office.token("ana", "");
    let hold = |body: &str, content_type: &str| {
        call(Method::POST, "/holds", body, content_type).bearer(&ana).send()
    };
    hold(&large, "text/plain").await.problem(413, "payload-too-large");
    hold("{", "text/plain").await.problem(415, "unsupported-media-type");
    let none = "00000000-0000-0000-0000-000000000000";
    let body = json!({"event_id": none, "seats": []}).to_string();
    assert_eq!(hold(&body, "application/json").await.pointers(), ["Idempotency-Key"]);
    let unknown = |seats| json!({"event_id": none, "seats": seats});
    let keyed = |body| office.buyer("ana", Method::POST, "/holds").key("k").json(&body).send();
    assert_eq!(keyed(unknown(json!([]))).await.pointers(), ["/seats"]);
    keyed(unknown(json!(["Z"]))).await.problem(404, "not-found");
    // Replay by key before seats that the event does not have.
    office.hold("ana", "used", &event, &["A-1-1"]).send().await.ok(201);
    let other = office.hold("ana", "used", &event, &["Z"]).send().await;
    other.problem(422, "idempotency-key-reused");
    let pay = office.buyer("ana", Method::POST, "/orders/nothing/payments").key("k");
    let pay = pay.json(&json!({"payment_method": ""})).send().await;
    assert_eq!(pay.pointers(), ["/payment_method"]);
}

#[tokio::test]
async fn a_body_is_one_json_object_and_every_misfit_is_named() {
    let (office, event) = BoxOffice::open("bodies").await;
    let deep = format!("{{\"seats\": {}{}}}", "[".repeat(60), "]".repeat(60));
    for (body, pointer) in [
        ("", ""),
        ("[]", ""),
        ("null", ""),
        ("{} {}", ""),
        ("{\"event_id\": }", ""),
        (deep.as_str(), ""),
        ("{\"event_id\": 1, \"event_id\": 1}", "/event_id"),
        ("{\"general\": [{\"section\": \"F\", \"section\": \"F\"}]}", "/general/0/section"),
        ("{\"seats\": [\"A-1-1\"]}", "/event_id"),
        ("{\"event_id\": 7}", "/event_id"),
        ("{\"event_id\": null}", "/event_id"),
    ] {
        let call = office.buyer("ana", Method::POST, "/holds").key("k").text(body);
        assert_eq!(call.send().await.pointers(), [pointer], "{body}");
    }
    let body = json!({"event_id": event, "general": [{"section": "F", "quantity": 1, "row": 1}]});
    let call = office.buyer("ana", Method::POST, "/holds").key("k").json(&body);
    assert_eq!(call.send().await.pointers(), ["/general/0/row"]);
    let body = json!({"event_id": event, "seats": ["A-1-1"]}).to_string();
    for (buyer, content_type, seat) in
        [("bob", "application/json; charset=utf-8", "A-1-2"), ("eva", "Application/JSON", "A-1-3")]
    {
        let body = json!({"event_id": event, "seats": [seat]}).to_string();
        let call = office.buyer(buyer, Method::POST, "/holds").key("k");
        call.header("content-type", content_type).raw(&body).send().await.ok(201);
    }
    let call = office.buyer("ana", Method::POST, "/holds").key("k").raw(&body);
    call.send().await.problem(415, "unsupported-media-type");
}

#[tokio::test]
async fn a_key_is_one_header_of_visible_ascii() {
    let (office, event) = BoxOffice::open("keys").await;
    let body = json!({"event_id": event, "seats": ["A-1-1"]});
    for key in ["", "a b", "é", &"x".repeat(256)] {
        let call = office.buyer("ana", Method::POST, "/holds").key(key).json(&body);
        assert_eq!(call.send().await.pointers(), ["Idempotency-Key"], "{key}");
    }
    let call = office.buyer("ana", Method::POST, "/holds").key("a").key("b").json(&body);
    assert_eq!(call.send().await.pointers(), ["Idempotency-Key"]);
    let longest = "x".repeat(255);
    let call = office.buyer("ana", Method::POST, "/holds").key(&longest).json(&body);
    call.send().await.ok(201);
}

#[tokio::test]
async fn a_request_id_is_echoed_if_it_is_fit_to_be() {
    let office = BoxOffice::empty("request_id").await;
    let health =
        |id: &str| office.anyone(Method::GET, "/healthz").header("x-request-id", id).send();
    assert_eq!(health("abc-1").await.header("x-request-id"), Some("abc-1"));
    for unfit in ["a b", &"x".repeat(129)] {
        let id = health(unfit).await;
        assert_eq!(id.header("x-request-id").map(str::len), Some(36));
    }
    let problem = office.anyone(Method::GET, "/nothing?here").send().await;
    assert_eq!(problem.problem(404, "not-found")["instance"], "/nothing");
    office.anyone(Method::POST, "/events").send().await.problem(405, "method-not-allowed");
}

#[tokio::test]
async fn a_slug_where_a_body_takes_an_id_is_told_where_the_id_stands() {
    let (office, _) = BoxOffice::open("slug_in_body").await;
    let hold = json!({"event_id": "noche", "seats": ["A-1-1"]});
    let hold = office.buyer("ana", Method::POST, "/holds").key("k").json(&hold);
    let event = office.operator(Method::POST, "/admin/events").json(&json!({"venue_id": "teatro"}));
    let orders = office.buyer("ana", Method::GET, "/orders?event_id=noche");
    for (call, pointer, says) in [
        (hold, "/event_id", "`event_id` of GET /events/{slug}"),
        (event, "/venue_id", "`venue_id` of GET /admin/venues"),
        (orders, "?event_id", "`event_id` of GET /events/{slug}"),
    ] {
        let problem = call.send().await.problem(400, "malformed-request");
        let errors = problem["errors"].as_array().expect("errors");
        let error = errors.iter().find(|error| error["pointer"] == pointer).expect("an error");
        assert!(error["detail"].as_str().is_some_and(|it| it.contains(says)), "{error}");
    }
    office.buyer("ana", Method::GET, "/orders").send().await.ok(200);
}

#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_told_those_that_it_takes() {
    let office = BoxOffice::empty("methods").await;
    for (call, takes) in [
        (office.anyone(Method::POST, "/events"), "GET, HEAD"),
        (office.anyone(Method::OPTIONS, "/events/noche/availability"), "GET, HEAD"),
        (office.buyer("ana", Method::GET, "/holds"), "POST"),
        (office.buyer("ana", Method::PUT, "/holds/x"), "GET, HEAD, DELETE"),
        (office.operator(Method::PUT, "/admin/venues"), "GET, HEAD, POST"),
    ] {
        let answer = call.send().await;
        let detail = answer.problem(405, "method-not-allowed")["detail"].clone();
        assert_eq!(detail, format!("this path takes only {takes}"));
        let mut allow: Vec<_> = answer.header("allow").expect("a list").split(',').collect();
        let mut takes: Vec<_> = takes.split(", ").collect();
        allow.sort_unstable();
        takes.sort_unstable();
        assert_eq!(allow, takes);
    }
}
