//! Orders from hold to tickets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_api::EdgeSettings;
use taquilla_api::payment_provider::SimulatedProvider;
use taquilla_api::provider_client::SimulatedProviderClient;
use taquilla_api::tickets::verify;
use taquilla_persistence::private_postgres::scratch;

use super::box_office::{BoxOffice, event_form};
use crate::simulated_provider::Server;

/// A hold of these seats and its order, as placed.
async fn ordered(office: &BoxOffice, buyer: &str, event: &str, seats: &[&str]) -> Value {
    let hold = office.hold(buyer, "hold", event, seats).send().await.ok(201);
    office.order(buyer, "order", &hold["hold_id"]).send().await.ok(201)
}

fn path(order: &Value) -> String {
    format!("/orders/{}", order["order_id"].as_str().expect("an id"))
}

/// Reads until the order has this status; each read waits for a change.
async fn settled(office: &BoxOffice, buyer: &str, order: &Value, status: &str) -> Value {
    for _ in 0..20 {
        let path = format!("{}?wait_seconds=10", path(order));
        let order = office.read(buyer, &path).send().await.ok(200);
        if order["status"] == status {
            return order;
        }
    }
    panic!("the order is never {status}");
}

#[tokio::test]
async fn a_purchase_goes_from_hold_to_tickets_that_verify_offline() {
    let (office, event) = BoxOffice::open("purchase").await;
    let order = ordered(&office, "ana", &event, &["A-1-1", "A-1-2"]).await;
    assert_eq!(order["status"], "pending_payment");
    assert_eq!((&order["attempts"], &order["tickets"]), (&json!([]), &json!([])));
    assert_eq!(order["total"], json!({"amount": 19_100, "currency": "EUR"}));

    let attempt = office.pay("ana", "pay", &order["order_id"], "ok").send().await.ok(202);
    assert_eq!(attempt["status"], "pending");
    assert_eq!(attempt["amount"], order["total"]);
    assert_eq!((&attempt["failure"], &attempt["next_action"]), (&Value::Null, &Value::Null));
    let paid = settled(&office, "ana", &order, "captured").await;
    assert_eq!(paid["attempts"][0]["status"], "captured");
    assert_eq!(paid["attempts"][0]["attempt_id"], attempt["attempt_id"]);

    let tickets = office.read("ana", &format!("{}/tickets", path(&order))).send().await.ok(200);
    assert_eq!(tickets, paid["tickets"]);
    let keys = office.anyone(Method::GET, "/.well-known/taquilla-ticket-keys.json");
    let keys = keys.send().await.ok(200);
    assert_eq!(
        (&keys["keys"][0]["kty"], &keys["keys"][0]["crv"]),
        (&json!("OKP"), &json!("Ed25519"))
    );
    let keys = serde_json::from_value(keys).expect("a JWK set");
    for (ticket, seat) in tickets.as_array().expect("tickets").iter().zip(["A-1-1", "A-1-2"]) {
        assert_eq!((&ticket["seat"], &ticket["status"]), (&json!(seat), &json!("valid")));
        let code = ticket["code"].as_str().expect("a code");
        let signed = verify(code, &keys).expect("signed by the published key");
        assert_eq!(signed.seat.as_deref(), Some(seat));
        assert_eq!(signed.event_id.to_string(), event);
        assert_eq!(json!(signed.ticket_id), ticket["ticket_id"]);
    }
    let hold = format!("/holds/{}", order["hold_id"].as_str().expect("an id"));
    assert_eq!(office.read("ana", &hold).send().await.ok(200)["status"], "converted");
    let release = office.buyer("ana", Method::DELETE, &hold).send().await;
    assert_eq!(release.problem(409, "hold-not-active")["hold_status"], "converted");
    let cancel = office.buyer("ana", Method::DELETE, &path(&order)).send().await;
    cancel.problem(409, "order-not-cancellable");
    let again = office.pay("ana", "pay2", &order["order_id"], "ok").send().await;
    assert_eq!(again.problem(409, "hold-not-active")["hold_status"], "converted");
    let audit = office.operator(Method::GET, "/admin/events/noche/audit").send().await.ok(200);
    assert_eq!(audit["ok"], true, "{audit}");
}

#[tokio::test]
async fn the_simulated_provider_takes_the_money() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let url = reqwest::Url::parse(&server.url).expect("a URL");
    let client = SimulatedProviderClient::new(url, Duration::from_secs(5)).expect("a client");
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database("simulated").await.expect("a database");
    let office = BoxOffice::over(settings, Arc::new(SimulatedProvider::new(client))).await;
    let event = office.create_event(&event_form()).await;
    let order = ordered(&office, "ana", &event, &["A-1-1"]).await;
    office.pay("ana", "pay", &order["order_id"], "sim_ok").send().await.ok(202);
    let open = office.pay("ana", "pay2", &order["order_id"], "sim_ok").send().await;
    let problem = open.problem(409, "order-not-payable");
    assert!(
        ["authorizing", "confirmed"].contains(&problem["order_status"].as_str().expect("text"))
    );
    let paid = settled(&office, "ana", &order, "captured").await;
    assert_eq!(paid["attempts"].as_array().map(Vec::len), Some(1));
    assert_eq!(paid["attempts"][0]["provider"], "simulated");
    assert!(paid["attempts"][0]["provider_reference"].is_string());
    server.stop().await;
}

#[tokio::test]
async fn an_order_that_costs_nothing_is_captured_at_once() {
    let (office, event) = BoxOffice::open("free").await;
    let body = json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": 2}]});
    let hold = office.buyer("ana", Method::POST, "/holds").key("k").json(&body).send().await;
    let order = office.order("ana", "k", &hold.ok(201)["hold_id"]).send().await.ok(201);
    assert_eq!(order["status"], "captured");
    let tickets = order["tickets"].as_array().expect("tickets");
    assert_eq!(tickets.len(), 2);
    assert!(tickets.iter().all(|ticket| ticket.get("seat").is_none()));
    assert!(tickets.iter().all(|ticket| ticket["section"] == "FLOOR"));
}

#[tokio::test]
async fn a_hold_has_one_order_whatever_the_key() {
    let (office, event) = BoxOffice::open("one_order").await;
    let hold = office.hold("ana", "hold", &event, &["A-1-1"]).send().await.ok(201);
    let first = office.order("ana", "a", &hold["hold_id"]).send().await;
    let order = first.ok(201);
    assert_eq!(first.header("location"), Some(path(&order).as_str()));
    let replay = office.order("ana", "a", &hold["hold_id"]).send().await;
    assert!(replay.is_replay());
    assert_eq!(replay.ok(201)["order_id"], order["order_id"]);
    let other = office.order("ana", "b", &hold["hold_id"]).send().await;
    assert!(!other.is_replay());
    assert_eq!(other.ok(200)["order_id"], order["order_id"]);
    let held = office.read("ana", &format!("/holds/{}", hold["hold_id"].as_str().expect("an id")));
    assert_eq!(held.send().await.ok(200)["order_id"], order["order_id"]);
    let hold = office.hold("ana", "hold2", &event, &["A-1-2"]).send().await.ok(201);
    let reused = office.order("ana", "a", &hold["hold_id"]).send().await;
    reused.problem(422, "idempotency-key-reused");
}

#[tokio::test]
async fn an_order_is_given_up_once_and_again() {
    let (office, event) = BoxOffice::open("cancel").await;
    let order = ordered(&office, "ana", &event, &["A-1-1"]).await;
    for _ in 0..2 {
        office.buyer("ana", Method::DELETE, &path(&order)).send().await.ok(204);
    }
    assert_eq!(office.read("ana", &path(&order)).send().await.ok(200)["status"], "cancelled");
    office.hold("bob", "k", &event, &["A-1-1"]).send().await.ok(201);
    let late = office.pay("ana", "pay", &order["order_id"], "ok").send().await;
    assert_eq!(late.problem(409, "hold-not-active")["hold_status"], "released");
}

#[tokio::test]
async fn a_declined_order_may_be_paid_again() {
    let (office, event) = BoxOffice::open("declined").await;
    let order = ordered(&office, "ana", &event, &["A-1-1"]).await;
    office.pay("ana", "pay", &order["order_id"], "no").send().await.ok(202);
    let declined = settled(&office, "ana", &order, "declined").await;
    assert!(declined["attempts"][0]["failure"]["code"].is_string());
    let replay = office.pay("ana", "pay", &order["order_id"], "no").send().await;
    assert!(replay.is_replay());
    assert_eq!(replay.ok(202)["status"], "declined");
    let reused = office.pay("ana", "pay", &order["order_id"], "ok").send().await;
    reused.problem(422, "idempotency-key-reused");
    office.pay("ana", "pay2", &order["order_id"], "ok").send().await.ok(202);
    settled(&office, "ana", &order, "captured").await;
}

#[tokio::test]
async fn another_buyers_order_is_not_found() {
    let (office, event) = BoxOffice::open("others_order").await;
    let order = ordered(&office, "ana", &event, &["A-1-1"]).await;
    let path = path(&order);
    for path in [path.as_str(), &format!("{path}/tickets"), &format!("{path}?wait_seconds=1")] {
        office.read("bob", path).send().await.problem(404, "not-found");
    }
    office.buyer("bob", Method::DELETE, &path).send().await.problem(404, "not-found");
    office.pay("bob", "k", &order["order_id"], "ok").send().await.problem(404, "not-found");
    assert_eq!(office.read("bob", "/orders").send().await.ok(200)["items"], json!([]));
    for seconds in ["31", "-1", "x", "1.5", ""] {
        let path = format!("{path}?wait_seconds={seconds}");
        assert_eq!(office.read("ana", &path).send().await.pointers(), ["?wait_seconds"]);
    }
}

#[tokio::test]
async fn orders_are_listed_newest_first_a_page_at_a_time() {
    let (office, event) = BoxOffice::open("order_list").await;
    let mut made = Vec::new();
    for seat in ["A-1-1", "A-1-2", "A-1-3"] {
        let hold = office.hold("ana", seat, &event, &[seat]).send().await.ok(201);
        let order = office.order("ana", seat, &hold["hold_id"]).send().await.ok(201);
        made.insert(0, order["order_id"].clone());
    }
    let mut seen = Vec::new();
    let mut next = format!("/orders?limit=2&event_id={event}");
    loop {
        let page = office.read("ana", &next).send().await.ok(200);
        seen.extend(page["items"].as_array().expect("items").iter().map(|o| o["order_id"].clone()));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        next = format!("/orders?limit=2&cursor={cursor}");
    }
    assert_eq!(seen, made);
    for (query, pointer) in [
        ("limit=0", "?limit"),
        ("limit=101", "?limit"),
        ("cursor=zzz", "?cursor"),
        ("event_id=noche", "?event_id"),
        ("what=1", "?what"),
        ("limit=1&limit=2", "?limit"),
    ] {
        let answer = office.read("ana", &format!("/orders?{query}")).send().await;
        assert_eq!(answer.pointers(), [pointer], "{query}");
    }
}

#[tokio::test]
async fn a_long_poll_returns_on_the_change_and_not_at_its_end() {
    let (office, event) = BoxOffice::open("long_poll").await;
    let order = ordered(&office, "ana", &event, &["A-1-1"]).await;
    let waiting = format!("{}?wait_seconds=30", path(&order));
    let poll = office.read("ana", &waiting).send();
    let pay = async {
        // The poll has looked at the rows once by the time that these reads have come back.
        for _ in 0..10 {
            office.read("ana", &path(&order)).send().await.ok(200);
        }
        office.buyer("ana", Method::DELETE, &path(&order)).send().await.ok(204);
        Instant::now()
    };
    let (polled, changed_at) = tokio::join!(async { (poll.await, Instant::now()) }, pay);
    let (answer, answered_at) = polled;
    assert_eq!(answer.ok(200)["status"], "cancelled");
    // Rows are looked at every five seconds anyway; a bell is quicker.
    let late = answered_at.saturating_duration_since(changed_at);
    assert!(late < Duration::from_secs(3), "{late:?}");
}

#[tokio::test]
async fn a_look_without_a_body_may_wait_longer_than_a_decision_as_one_with_a_body_does() {
    let (mut office, event) = BoxOffice::open("long_head").await;
    let order = ordered(&office, "ana", &event, &["A-1-1"]).await;
    let decision_deadline = Duration::from_millis(100);
    office.app.settings = Arc::new(EdgeSettings { decision_deadline, ..EdgeSettings::default() });
    let waiting = format!("{}?wait_seconds=1", path(&order));
    for method in [Method::GET, Method::HEAD] {
        assert_eq!(
            office.buyer("ana", method.clone(), &waiting).send().await.status,
            200,
            "{method}"
        );
    }
}
