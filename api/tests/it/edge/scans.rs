//! Gates that ask over the network: what each is told, and what is left of it.

use axum::http::Method;
use serde_json::{Value, json};

use super::box_office::{BoxOffice, event_form};
use super::client::Call;

impl BoxOffice {
    /// Asks what to do with who shows this code.
    fn scan(&self, scan: &str, code: &str) -> Call {
        let body = json!({"code": code, "scan_id": scan});
        self.operator(Method::POST, "/admin/tickets/scan").json(&body)
    }

    /// Places of the free section, bought; their order.
    pub(crate) async fn buy_places(&self, buyer: &str, event: &str, quantity: u32) -> Value {
        let body =
            json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": quantity}]});
        let hold = self.buyer(buyer, Method::POST, "/holds").key("g").json(&body).send().await;
        self.order(buyer, "g", &hold.ok(201)["hold_id"]).send().await.ok(201)
    }

    /// A seat whose payment is captured; its order.
    pub(crate) async fn buy_seat(&self, buyer: &str, event: &str, seat: &str) -> Value {
        let hold = self.hold(buyer, seat, event, &[seat]).send().await.ok(201);
        let order = self.order(buyer, seat, &hold["hold_id"]).send().await.ok(201);
        self.pay(buyer, seat, &order["order_id"], "ok").send().await.ok(202);
        let path =
            format!("/orders/{}?wait_seconds=10", order["order_id"].as_str().expect("an id"));
        for _ in 0..20 {
            let order = self.read(buyer, &path).send().await.ok(200);
            if order["status"] == "captured" {
                return order;
            }
        }
        panic!("the order is never captured");
    }
}

/// The codes of an order's tickets.
pub(crate) fn codes(order: &Value) -> Vec<&str> {
    let tickets = order["tickets"].as_array().expect("tickets");
    tickets.iter().map(|ticket| ticket["code"].as_str().expect("a code")).collect()
}

#[tokio::test]
async fn a_ticket_lets_its_bearer_in_once_and_the_gate_is_told_who_was_before() {
    let (office, event) = BoxOffice::open("scan_once").await;
    let order = office.buy_seat("ana", &event, "A-1-2").await;
    let code = codes(&order)[0];
    let accepted = office.scan("north-1", code).send().await.ok(200);
    assert_eq!(accepted["result"], "accepted");
    for (member, expected) in [
        ("ticket_id", &order["tickets"][0]["ticket_id"]),
        ("event_id", &json!(event)),
        ("section", &json!("A")),
        ("seat", &json!("A-1-2")),
        ("scanned_by", &json!("olga")),
    ] {
        assert_eq!(&accepted[member], expected, "{member}");
    }
    let second = office.scan("south-1", code).send().await.ok(200);
    assert_eq!(second["result"], "already_used");
    assert_eq!(
        (&second["used_at"], &second["used_by_scan"]),
        (&accepted["scanned_at"], &json!("north-1"))
    );
    let path = format!("/orders/{}/tickets", order["order_id"].as_str().expect("an id"));
    let tickets = office.read("ana", &path).send().await.ok(200);
    assert_eq!(tickets[0]["status"], "used");

    let again = office.scan("north-1", code).send().await;
    assert!(again.is_replay());
    assert_eq!(again.ok(200), accepted, "whatever became of the ticket since");
    let other = office.scan("north-1", "another code").send().await;
    other.problem(422, "idempotency-key-reused");
}

#[tokio::test]
async fn whatever_a_gate_reads_is_told_apart_and_is_no_error() {
    let (office, event) = BoxOffice::open("scan_nonsense").await;
    let order = office.buy_places("ana", &event, 2).await;
    let code = codes(&order)[0].to_owned();
    let (head, tail) = code.rsplit_once('.').expect("three parts");
    let flipped = if tail.starts_with('A') { "B" } else { "A" };
    let forged = format!("{head}.{flipped}{}", &tail[1..]);
    let long = "x".repeat(60_000);
    for (at, nonsense) in
        ["", "x", "座位1", "a.b.c", "\u{0}", "👻", &forged, &code[1..], &long].iter().enumerate()
    {
        let told = office.scan(&format!("s{at}"), nonsense).send().await.ok(200);
        assert_eq!(told["result"], "unknown", "{at}");
        assert!(told["ticket_id"].is_null() && told["event_id"].is_null(), "{told}");
    }
    let told = office.scan("good", &code).send().await.ok(200);
    assert_eq!((&told["result"], &told["section"]), (&json!("accepted"), &json!("FLOOR")));
    assert!(told["seat"].is_null(), "{told}");
}

#[tokio::test]
async fn a_ticket_of_another_installation_is_unknown_though_its_key_be_ours() {
    let (here, event) = BoxOffice::open("scan_here").await;
    let (there, _) = BoxOffice::open("scan_there").await;
    let order = here.buy_places("ana", &event, 1).await;
    let told = there.scan("s", codes(&order)[0]).send().await.ok(200);
    assert_eq!(told["result"], "unknown");
}

#[tokio::test]
async fn only_operators_scan_and_a_scan_has_an_id() {
    let office = BoxOffice::empty("scan_form").await;
    let body = json!({"code": "x", "scan_id": "s"});
    let call = |call: Call| call.json(&body).send();
    let path = "/admin/tickets/scan";
    call(office.anyone(Method::POST, path)).await.problem(401, "unauthenticated");
    call(office.buyer("ana", Method::POST, path)).await.problem(403, "forbidden");
    for (body, pointer) in [
        (json!({"code": "x"}), "/scan_id"),
        (json!({"scan_id": "s"}), "/code"),
        (json!({"code": "x", "scan_id": ""}), "/scan_id"),
        (json!({"code": "x", "scan_id": "a b"}), "/scan_id"),
        (json!({"code": "x", "scan_id": "x".repeat(256)}), "/scan_id"),
        (json!({"code": 7, "scan_id": "s"}), "/code"),
        (json!({"code": "x", "scan_id": "s", "gate": 1}), "/gate"),
    ] {
        let answer = office.operator(Method::POST, path).json(&body).send().await;
        assert_eq!(answer.pointers(), [pointer], "{body}");
    }
}

#[tokio::test]
async fn every_scan_leaves_a_row_that_says_who_and_when_and_what() {
    let (office, event) = BoxOffice::open("scan_trail").await;
    let mut form = event_form();
    (form["slug"], form["name"]) = (json!("otra"), json!("Otra"));
    office.create_event(&form).await;
    let order = office.buy_places("ana", &event, 1).await;
    let mut told = Vec::new();
    for (scan, code) in [("a", codes(&order)[0]), ("b", codes(&order)[0]), ("c", "nonsense")] {
        told.push(office.scan(scan, code).send().await.ok(200));
    }
    told.reverse();
    let list = async |query: &str| {
        let path = format!("/admin/tickets/scans{query}");
        office.operator(Method::GET, &path).send().await.ok(200)
    };
    let all = list("").await;
    assert_eq!(all["items"], json!(told));
    assert_eq!(list("?event_id=noche").await["items"], json!(told[1..]));
    assert_eq!(list("?event_id=otra").await["items"], json!([]));
    let page = list("?limit=2").await;
    assert_eq!(page["items"], json!(told[..2]));
    let next = page["next_cursor"].as_str().expect("there is one more");
    assert_eq!(list(&format!("?limit=2&cursor={next}")).await["items"], json!(told[2..]));
    let nowhere = office.operator(Method::GET, "/admin/tickets/scans?event_id=nada").send().await;
    nowhere.problem(404, "not-found");
}
