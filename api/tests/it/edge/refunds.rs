//! Sold tickets taken back by an operator: what he is told, what the buyer sees, and every refusal.

use axum::http::Method;
use serde_json::{Value, json};

use super::box_office::BoxOffice;
use super::client::Call;

impl BoxOffice {
    pub(crate) fn refund(&self, key: &str, order: &Value, body: &Value) -> Call {
        let path = format!("/admin/orders/{}/refunds", order.as_str().expect("an id"));
        self.operator(Method::POST, &path).key(key).json(body)
    }

    /// A paid order of these seats; as its buyer sees it.
    pub(crate) async fn sold(&self, buyer: &str, event: &str, seats: &[&str]) -> Value {
        let hold = self.hold(buyer, &seats.join("+"), event, seats).send().await.ok(201);
        let order = self.order(buyer, "o", &hold["hold_id"]).send().await.ok(201);
        self.pay(buyer, &seats.join("+"), &order["order_id"], "ok").send().await.ok(202);
        self.once(buyer, &order["order_id"], |order| order["status"] == "captured").await
    }

    /// The order as its buyer sees it, once it is so.
    async fn once(&self, buyer: &str, order: &Value, is_so: impl Fn(&Value) -> bool) -> Value {
        let path = format!("/orders/{}?wait_seconds=1", order.as_str().expect("an id"));
        for _ in 0..20 {
            let order = self.read(buyer, &path).send().await.ok(200);
            if is_so(&order) {
                return order;
            }
        }
        panic!("the provider answers at once")
    }

    pub(crate) async fn tickets(&self, buyer: &str, order: &Value) -> Vec<Value> {
        let path = format!("/orders/{}/tickets", order.as_str().expect("an id"));
        let tickets = self.read(buyer, &path).send().await.ok(200);
        tickets.as_array().expect("tickets").clone()
    }
}

const EVERYTHING: fn() -> Value = || json!({"reason": "rain"});

#[tokio::test]
async fn tickets_come_back_with_their_share_and_somebody_else_may_have_the_seats() {
    let (office, event) = BoxOffice::open("refund").await;
    let order = office.sold("ana", &event, &["A-1-2", "B-1-1"]).await["order_id"].clone();
    let tickets = office.tickets("ana", &order).await;
    let gold =
        tickets.iter().find(|it| it["seat"] == "A-1-2").expect("a ticket")["ticket_id"].clone();

    let body = json!({"tickets": [gold], "reason": "rain"});
    let first = office.refund("k", &order, &body).send().await;
    let refund = first.ok(202);
    assert_eq!(refund["status"], "pending");
    assert_eq!(refund["amount"], json!({"amount": 9_583, "currency": "EUR"}));
    assert_eq!((&refund["tickets"], &refund["order_id"]), (&json!([gold]), &order));
    assert!(!first.is_replay());
    let again = office.refund("k", &order, &body).send().await;
    assert_eq!(again.ok(202), refund);
    assert!(again.is_replay());

    let status = |it: &Value| (it["seat"].clone(), it["status"].clone());
    let now: Vec<_> = office.tickets("ana", &order).await.iter().map(status).collect();
    let expected = [("A-1-2", "void"), ("B-1-1", "valid")];
    assert_eq!(now, expected.map(|(seat, status)| (json!(seat), json!(status))));
    office.hold("bob", "k", &event, &["A-1-2"]).send().await.ok(201);
    let taken = office.hold("bob", "l", &event, &["B-1-1"]).send().await;
    taken.problem(409, "seats-unavailable");
    let rest = office.refund("l", &order, &EVERYTHING()).send().await.ok(202);
    assert_eq!(rest["amount"]["amount"], 4_792);

    let path = format!("/admin/events/{event}/audit");
    let audit = office.operator(Method::GET, &path).send().await.ok(200);
    assert_eq!(audit["ok"], true, "{audit}");
    let trail = office.operator(Method::GET, "/admin/actions?limit=1").send().await.ok(200);
    let deed = &trail["items"][0];
    assert_eq!(
        (&deed["what"], &deed["why"]),
        (&json!("refund_tickets"), &json!("rain")),
        "{trail}"
    );
    let path = format!("/admin/events/{event}/explain?order={}", order.as_str().expect("an id"));
    let story = office.operator(Method::GET, &path).send().await.ok(200);
    let returned = |it: &&Value| it["what"] == "tickets-returned" && it["who"] == "olga";
    let told: Vec<_> =
        story["story"].as_array().expect("a story").iter().filter(returned).collect();
    assert_eq!(told.len(), 2, "{story}");
    assert_eq!(told[0]["detail"]["seats"], json!(["A-1-2"]));
}

#[tokio::test]
async fn what_cannot_come_back_is_refused_and_nothing_is_done() {
    let (office, event) = BoxOffice::open("refund_refusals").await;
    let hold = office.hold("ana", "k", &event, &["A-1-2"]).send().await.ok(201);
    let open = office.order("ana", "k", &hold["hold_id"]).send().await.ok(201);
    let refused = office.refund("k", &open["order_id"], &EVERYTHING()).send().await;
    refused.problem(409, "refund-not-possible");

    let order = office.sold("bob", &event, &["A-1-3", "A-1-4"]).await["order_id"].clone();
    let tickets = office.tickets("bob", &order).await;
    let (one, two) = (&tickets[0]["ticket_id"], &tickets[1]["ticket_id"]);
    let strange = "00000001-0500-8000-8000-000000000000";
    let some = |ids: Value| json!({"tickets": ids, "reason": "rain"});
    let pointers = async |body: Value| office.refund("p", &order, &body).send().await.pointers();
    assert_eq!(pointers(some(json!([one, strange]))).await, ["/tickets"]);
    assert_eq!(pointers(some(json!([]))).await, ["/tickets"]);
    assert_eq!(pointers(some(json!([one, one]))).await, ["/tickets/1"]);
    assert_eq!(pointers(some(json!([order, one]))).await, ["/tickets/0"]);
    assert_eq!(pointers(json!({"tickets": [one]})).await, ["/reason"]);
    assert_eq!(pointers(json!({"reason": " "})).await, ["/reason"]);
    assert_eq!(pointers(json!({"reason": "rain", "amount": 1})).await, ["/amount"]);
    let path = format!("/admin/orders/{}/refunds", order.as_str().expect("an id"));
    let keyless = office.operator(Method::POST, &path).json(&EVERYTHING()).send().await;
    assert_eq!(keyless.pointers(), ["Idempotency-Key"]);
    let buyer = office.buyer("bob", Method::POST, &path).key("k").json(&EVERYTHING()).send().await;
    buyer.problem(403, "forbidden");
    let nowhere = json!("00000001-0300-8000-8000-000000000000");
    office.refund("k", &nowhere, &EVERYTHING()).send().await.problem(404, "not-found");
    office.refund("k", one, &EVERYTHING()).send().await.problem(404, "not-found");
    assert!(office.tickets("bob", &order).await.iter().all(|it| it["status"] == "valid"));

    office.refund("one", &order, &some(json!([one]))).send().await.ok(202);
    let both = office.refund("both", &order, &some(json!([one, two]))).send().await;
    both.problem(409, "refund-not-possible");
    let reused = office.refund("one", &order, &some(json!([two]))).send().await;
    reused.problem(422, "idempotency-key-reused");
    // The key is this operator's in this event, whichever order.
    let other = office.sold("cleo", &event, &["A-2-1"]).await["order_id"].clone();
    let reused = office.refund("one", &other, &EVERYTHING()).send().await;
    reused.problem(422, "idempotency-key-reused");
    office.refund("rest", &order, &EVERYTHING()).send().await.ok(202);
    let none = office.refund("none", &order, &EVERYTHING()).send().await;
    none.problem(409, "refund-not-possible");
}

#[tokio::test]
async fn for_what_cost_nothing_nothing_is_owed() {
    let (office, event) = BoxOffice::open("refund_free").await;
    let body = json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": 3}]});
    let hold =
        office.buyer("ana", Method::POST, "/holds").key("k").json(&body).send().await.ok(201);
    let order = office.order("ana", "k", &hold["hold_id"]).send().await.ok(201);
    let ticket = office.tickets("ana", &order["order_id"]).await[0]["ticket_id"].clone();
    let body = json!({"tickets": [ticket], "reason": "rain"});
    let refund = office.refund("k", &order["order_id"], &body).send().await.ok(202);
    assert_eq!((&refund["status"], &refund["amount"]["amount"]), (&json!("settled"), &json!(0)));
    let shown = office.anyone(Method::GET, &format!("/events/{event}")).send().await.ok(200);
    assert_eq!(shown["sections"][2]["capacity"], 10);
    let more = json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": 2}]});
    office.buyer("ana", Method::POST, "/holds").key("l").json(&more).send().await.ok(201);
}
