//! All purchases of the site stopped, over a restart too.

use std::sync::Arc;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;

use crate::edge::box_office::{BoxOffice, event_form};
use crate::edge::client::Answer;

impl BoxOffice {
    async fn purchases(&self, body: &Value) -> Answer {
        self.operator(Method::POST, "/admin/purchases").json(body).send().await
    }
}

#[tokio::test]
async fn a_paused_site_sells_nothing_until_it_is_resumed_whoever_restarts() {
    let settings = scratch::shared().await.migrated_database("op_site").await.expect("a database");
    let office = BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await;
    let event = office.create_event(&event_form()).await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ana", "o", &hold["hold_id"]).send().await.ok(201);
    let other = office.hold("eva", "k", &event, &["A-1-2"]).send().await.ok(201);
    let paused =
        office.purchases(&json!({"action": "pause", "reason": "stage fire"})).await.ok(200);
    assert_eq!((&paused["paused"], &paused["reason"]), (&json!(true), &json!("stage fire")));

    // Another process on the same rows.
    office.app.node.stop().await;
    let office = BoxOffice::over(settings, Arc::new(MemoryProvider::default())).await;
    for number in office.app.catalogue.all_event_numbers().await.expect("numbers") {
        let terms = office.app.catalogue.event_terms(number).await.expect("terms");
        office.app.node.open(terms.expect("an event"));
    }
    let new = || office.hold("ida", "k", &event, &["A-1-3"]);
    let refused = new().send().await.problem(503, "purchases-paused");
    assert_eq!(refused["reason"], "stage fire");
    let unknown = office.hold("ida", "k", &event, &["Z"]).send().await;
    assert_eq!(unknown.pointers(), ["/seats/0"], "that comes first");
    let refused = office.order("eva", "o", &other["hold_id"]).send().await;
    assert_eq!(refused.problem(503, "purchases-paused")["reason"], "stage fire");
    let pay = || office.pay("ana", "p", &order["order_id"], "sim_ok");
    assert_eq!(pay().send().await.problem(503, "purchases-paused")["reason"], "stage fire");

    assert!(office.hold("ana", "k", &event, &["A-1-1"]).send().await.is_replay());
    assert!(office.order("ana", "o", &hold["hold_id"]).send().await.is_replay());
    let path = format!("/holds/{}", other["hold_id"].as_str().expect("an id"));
    office.read("eva", &path).send().await.ok(200);
    office.buyer("eva", Method::DELETE, &path).send().await.ok(204);
    office.anyone(Method::GET, "/events/noche").send().await.ok(200);
    office.anyone(Method::GET, "/readyz").send().await.ok(200);
    let said = office.operator(Method::GET, "/admin/purchases").send().await.ok(200);
    assert_eq!(said["reason"], "stage fire");

    let resumed = office.purchases(&json!({"action": "resume"})).await.ok(200);
    assert_eq!((&resumed["paused"], &resumed["reason"]), (&json!(false), &Value::Null));
    new().send().await.ok(201);
    pay().send().await.ok(202);
}

#[tokio::test]
async fn a_pause_of_the_site_has_a_reason() {
    let office = BoxOffice::empty("op_site_form").await;
    for (body, pointer) in [
        (json!({"action": "pause"}), "/reason"),
        (json!({"action": "pause", "reason": "  "}), "/reason"),
        (json!({"action": "pause", "reason": "x".repeat(1_001)}), "/reason"),
        (json!({"action": "stop", "reason": "x"}), "/action"),
        (json!({"reason": "x"}), "/action"),
        (json!({"action": "pause", "reason": "x", "event_id": 1}), "/event_id"),
    ] {
        assert_eq!(office.purchases(&body).await.pointers(), [pointer], "{body}");
    }
    let pause = json!({"action": "pause", "reason": "x"});
    let buyer = office.buyer("ana", Method::POST, "/admin/purchases").json(&pause).send().await;
    buyer.problem(403, "forbidden");
    let said = office.operator(Method::GET, "/admin/purchases").send().await.ok(200);
    assert_eq!(said["paused"], false);
}
