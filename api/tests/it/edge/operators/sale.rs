//! The sale opened, paused, resumed, closed.

use axum::http::Method;
use serde_json::json;

use crate::edge::box_office::{BoxOffice, event_form};

#[tokio::test]
async fn a_pause_stops_holds_orders_and_payments_and_nothing_of_ones_own() {
    let (office, event) = BoxOffice::open("op_pause").await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ana", "o", &hold["hold_id"]).send().await.ok(201);
    let other = office.hold("ana", "k2", &event, &["A-1-2"]).send().await.ok(201);
    let third = office.hold("ana", "k3", &event, &["A-1-3"]).send().await.ok(201);
    let paused = office.sale(&event, "pause").send().await.ok(200);
    assert_eq!(paused["sale"]["status"], "paused");
    assert_eq!(office.shown(&event).await["sale"]["status"], "paused");
    let list = office.anyone(Method::GET, "/events").send().await.ok(200);
    assert_eq!(list["items"][0]["sale"]["status"], "paused");

    let refused = office.hold("eva", "k", &event, &["A-1-4"]).send().await;
    assert_eq!(refused.problem(409, "sale-not-open")["sale_status"], "paused");
    let refused = office.order("ana", "o2", &other["hold_id"]).send().await;
    assert_eq!(refused.problem(409, "sale-not-open")["sale_status"], "paused");
    let pay = || office.pay("ana", "p", &order["order_id"], "sim_ok");
    assert_eq!(pay().send().await.problem(409, "sale-not-open")["sale_status"], "paused");

    assert!(office.hold("ana", "k", &event, &["A-1-1"]).send().await.is_replay());
    assert!(office.order("ana", "o", &hold["hold_id"]).send().await.is_replay());
    let again = office.order("ana", "o3", &hold["hold_id"]).send().await.ok(200);
    assert_eq!(again["order_id"], order["order_id"]);
    let path = format!("/holds/{}", third["hold_id"].as_str().expect("an id"));
    assert_eq!(office.read("ana", &path).send().await.ok(200)["status"], "active");
    office.buyer("ana", Method::DELETE, &path).send().await.ok(204);

    assert_eq!(office.sale(&event, "resume").send().await.ok(200)["sale"]["status"], "open");
    // None of these keys was used up.
    office.hold("eva", "k", &event, &["A-1-4"]).send().await.ok(201);
    office.order("ana", "o2", &other["hold_id"]).send().await.ok(201);
    pay().send().await.ok(202);
    office.audit_is_green(&event).await;
}

#[tokio::test]
async fn an_authorised_attempt_is_confirmed_while_the_sale_is_paused() {
    let (office, event) = BoxOffice::open("op_pause_paid").await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ana", "o", &hold["hold_id"]).send().await.ok(201);
    let path = format!("/orders/{}?wait_seconds=10", order["order_id"].as_str().expect("an id"));
    office.pay("ana", "p", &order["order_id"], "ok").send().await.ok(202);
    office.sale(&event, "pause").send().await.ok(200);
    loop {
        let order = office.read("ana", &path).send().await.ok(200);
        if order["status"] == "captured" {
            break;
        }
        assert!(order["status"] == "authorizing" || order["status"] == "confirmed", "{order}");
    }
    assert!(office.pay("ana", "p", &order["order_id"], "ok").send().await.is_replay());
}

#[tokio::test]
async fn a_sale_opens_and_closes_at_a_word_and_nonsense_is_refused() {
    let office = BoxOffice::empty("op_open").await;
    let mut form = event_form();
    form["sale"]["opens_at"] = json!("2099-01-01T00:00:00Z");
    let event = office.create_event(&form).await;
    let refused = office.sale(&event, "close").send().await.problem(409, "sale-not-open");
    assert_eq!(refused["sale_status"], "scheduled");
    let resumed = office.sale(&event, "resume").send().await;
    assert_eq!(resumed.pointers(), ["/action"]);
    let opened = office.sale(&event, "open").send().await.ok(200);
    assert_eq!(
        (&opened["sale"]["status"], &opened["sale"]["opens_in_seconds"]),
        (&json!("open"), &json!(0))
    );
    office.sale(&event, "open").send().await.ok(200);
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);

    let closed = office.sale(&event, "close").send().await.ok(200);
    assert_eq!(closed["sale"]["status"], "closed");
    office.sale(&event, "close").send().await.ok(200);
    let refused = office.hold("ana", "k2", &event, &["A-1-2"]).send().await;
    assert_eq!(refused.problem(409, "sale-not-open")["sale_status"], "closed");
    // A living hold may be ordered and paid all the same.
    let order = office.order("ana", "o", &hold["hold_id"]).send().await.ok(201);
    office.pay("ana", "p", &order["order_id"], "sim_ok").send().await.ok(202);
    let refused = office.sale(&event, "open").send().await.problem(409, "sale-not-open");
    assert_eq!(refused["sale_status"], "closed");
    for (body, pointer) in [
        (json!({"action": "stop"}), "/action"),
        (json!({}), "/action"),
        (json!({"action": "open", "at": 1}), "/at"),
        (json!({"action": "open", "reason": "\u{0}"}), "/reason"),
    ] {
        let path = format!("/admin/events/{event}/sale");
        let wrong = office.operator(Method::POST, &path).json(&body).send().await;
        assert_eq!(wrong.pointers(), [pointer], "{body}");
    }
    office.sale("nowhere", "open").send().await.problem(404, "not-found");
}
