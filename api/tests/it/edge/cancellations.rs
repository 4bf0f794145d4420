//! An event that does not take place: what buyers see, and that all of it is given back, whoever is
//! killed meanwhile.

use std::sync::Arc;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_engine::runtime::Cancellations;

use super::box_office::BoxOffice;
use super::client::Call;

impl BoxOffice {
    pub(crate) fn cancel(&self, event: &str, reason: &str) -> Call {
        let path = format!("/admin/events/{event}/cancel");
        self.operator(Method::POST, &path).json(&json!({"reason": reason}))
    }

    pub(crate) async fn cancellation(&self, event: &str) -> Value {
        let path = format!("/admin/events/{event}/cancellation");
        self.operator(Method::GET, &path).send().await.ok(200)
    }

    pub(crate) fn cancellations(&self) -> Arc<Cancellations> {
        Cancellations::new(Arc::clone(&self.app.node), Arc::new(self.app.orders.clone()))
    }
}

#[tokio::test]
async fn everything_sold_is_given_back_once_and_nothing_is_sold_any_more() {
    let (office, event) = BoxOffice::open("cancel").await;
    let path = format!("/admin/events/{event}/cancellation");
    office.operator(Method::GET, &path).send().await.problem(404, "not-found");
    let sold = office.sold("ana", &event, &["A-1-2", "B-1-1"]).await;
    let partly = office.sold("bob", &event, &["A-2-1", "A-2-2"]).await;
    let ticket = office.tickets("bob", &partly["order_id"]).await[0]["ticket_id"].clone();
    let one = json!({"tickets": [ticket], "reason": "ill"});
    office.refund("k", &partly["order_id"], &one).send().await.ok(202);
    let open = office.hold("cleo", "k", &event, &["A-1-3"]).send().await.ok(201);
    let open = office.order("cleo", "k", &open["hold_id"]).send().await.ok(201);
    office.hold("dora", "k", &event, &["A-1-4"]).send().await.ok(201);

    office.cancel(&event, " ").send().await.problem(400, "malformed-request");
    let begun = office.cancel(&event, "flood").send().await.ok(202);
    assert_eq!((&begun["reason"], &begun["who"]), (&json!("flood"), &json!("olga")));
    assert_eq!(begun["orders"], 2, "{begun}");
    let refused = office.hold("eva", "k", &event, &["A-1-1"]).send().await;
    assert_eq!(refused.problem(409, "sale-not-open")["sale_status"], "cancelled");
    let refused = office.pay("cleo", "p", &open["order_id"], "sim_ok").send().await;
    assert_eq!(refused.problem(409, "sale-not-open")["sale_status"], "cancelled");
    let resume = office.operator(Method::POST, &format!("/admin/events/{event}/sale"));
    let resume = resume.json(&json!({"action": "resume"})).send().await;
    assert_eq!(resume.problem(409, "sale-not-open")["sale_status"], "cancelled");
    let shown = office.anyone(Method::GET, &format!("/events/{event}")).send().await.ok(200);
    assert_eq!(shown["sale"]["status"], "cancelled");

    assert_eq!(office.cancellations().round().await.expect("rows"), 2);
    // Whoever comes later finds nothing left.
    assert_eq!(office.cancellations().round().await.expect("rows"), 0);
    office.cancel(&event, "another word").send().await.ok(202);
    let done = office.cancellation(&event).await;
    assert_eq!((&done["status"], &done["reason"]), (&json!("done"), &json!("flood")), "{done}");
    assert_eq!((&done["orders"], &done["done"]), (&json!(2), &json!(2)));
    assert_eq!(done["amount"]["amount"], 9_583 + 4_792 + 9_550);
    for order in [&sold, &partly] {
        let buyer = if order == &sold { "ana" } else { "bob" };
        let tickets = office.tickets(buyer, &order["order_id"]).await;
        assert!(tickets.iter().all(|it| it["status"] == "void"), "{tickets:?}");
    }
    let path = format!("/orders/{}", open["order_id"].as_str().expect("an id"));
    assert_eq!(office.read("cleo", &path).send().await.ok(200)["status"], "cancelled");
    let again = office.refund("l", &sold["order_id"], &json!({"reason": "rain"})).send().await;
    again.problem(409, "refund-not-possible");

    let path = format!("/admin/events/{event}/audit");
    let audit = office.operator(Method::GET, &path).send().await.ok(200);
    assert_eq!(audit["ok"], true, "{audit}");
    let blocked = office.operator(Method::POST, &format!("/admin/events/{event}/blocks"));
    let blocked = blocked.json(&json!({"block": ["A-1-1"]})).send().await.ok(200);
    // Of four seats sold one came back before; what was given back after stays off sale.
    assert_eq!(blocked["blocked"], 4);
}

#[tokio::test]
async fn a_cancellation_stands_in_the_trail_with_who_when_and_why() {
    let (office, event) = BoxOffice::open("cancel_trail").await;
    let begun = office.cancel(&event, "flood").send().await.ok(202);
    office.cancel(&event, "another word").send().await.ok(202);
    let path = format!("/admin/actions?event_id={event}");
    let trail = office.operator(Method::GET, &path).send().await.ok(200);
    let trail = trail["items"].as_array().expect("a list").iter();
    let said: Vec<&Value> = trail.filter(|it| it["what"] == "cancel_event").collect();
    let whys: Vec<&Value> = said.iter().map(|it| &it["why"]).collect();
    assert_eq!(whys, ["another word", "flood"], "newest first");
    let first = said[1];
    assert_eq!((&first["who"], &first["event_id"]), (&json!("olga"), &json!(event)));
    assert_eq!(first["at"], begun["cancelled_at"]);
    assert!(said[0]["at"].as_str() > first["at"].as_str(), "{said:?}");
}
