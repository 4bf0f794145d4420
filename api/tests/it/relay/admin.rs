//! What operators see of sinks.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use taquilla_api::relay::{MemorySink, NamedSink};
use taquilla_engine::id::EventId;
use taquilla_persistence::deliveries::{Deliveries, MessageName, Tried};
use taquilla_persistence::relay::Begins;
use uuid::Uuid;

use super::office::{Office, eventually};

#[tokio::test]
async fn sinks_are_listed_with_what_they_have_not_been_told_yet() {
    let mut office = Office::open("outbox_list").await;
    let sink = Arc::new(MemorySink::default());
    sink.set_away(true);
    let named = || vec![NamedSink::new("bus", Begins::WithTheFirst, sink.clone())];
    office.edge.app.sinks = Arc::new(office.sinks(named()));
    office.buy("ana", "A-1-2").await;
    let list = async || {
        let list = office.edge.operator(Method::GET, "/admin/outbox").send().await.ok(200);
        assert_eq!(list["items"][0]["sink"], "bus");
        list["items"][0].clone()
    };
    let behind = list().await;
    assert_eq!((&behind["events"]["behind"], &behind["money"]["behind"]), (&3.into(), &3.into()));
    assert!(behind["events"]["oldest_seconds"].as_f64().is_some_and(|it| it > 0.0), "{behind}");
    sink.set_away(false);
    let _relay = office.relay(&office.sinks(named()));
    eventually("everything is told", async || {
        let behind = list().await;
        let none =
            (&behind["events"]["behind"], &behind["money"]["behind"]) == (&0.into(), &0.into());
        none.then_some(())
    })
    .await;
    office.edge.buyer("ana", Method::GET, "/admin/outbox").send().await.problem(403, "forbidden");
}

#[tokio::test]
async fn deliveries_are_listed_by_what_became_of_them_page_by_page() {
    let mut office = Office::open("outbox_deliveries").await;
    let named = NamedSink::new("crm", Begins::Now, Arc::new(MemorySink::default()));
    office.edge.app.sinks = Arc::new(office.sinks(vec![named]));
    let event = EventId::parse(Uuid::parse_str(&office.event).expect("a UUID")).expect("an event");
    let deliveries = Deliveries::new(office.database.clone());
    for (id, tried) in [
        ("e.1.0", Tried::Delivered { status: 200 }),
        ("e.2.0", Tried::Refused { status: 422 }),
        ("e.3.0", Tried::Away { status: None, error: "connection refused".into() }),
    ] {
        let message = MessageName { id, kind: "taquilla.hold.placed.v1", event };
        let day = Duration::from_secs(86_400);
        deliveries.note("crm", message, &tried, day).await.expect("noted");
    }
    deliveries.park("crm", "e.2.0").await.expect("parked");
    let list = async |query: &str| {
        let path = format!("/admin/outbox/crm/deliveries{query}");
        office.edge.operator(Method::GET, &path).send().await
    };
    let page = list("?limit=1").await.ok(200);
    assert_eq!(page["items"][0]["message_id"], "e.3.0");
    assert_eq!(page["items"][0]["outcome"], "pending");
    assert_eq!(page["items"][0]["error"], "connection refused");
    let next = page["next_cursor"].as_str().expect("there are more");
    let page = list(&format!("?cursor={next}")).await.ok(200);
    let ids: Vec<_> = page["items"].as_array().expect("a list").iter().collect();
    assert_eq!((ids.len(), &ids[0]["message_id"]), (2, &"e.2.0".into()));
    let parked = list("?outcome=parked").await.ok(200);
    assert_eq!(parked["items"][0]["message_id"], "e.2.0");
    assert_eq!(parked["items"][1], serde_json::Value::Null);
    list("?outcome=lost").await.problem(400, "malformed-request");
    let path = "/admin/outbox/nobody/deliveries";
    office.edge.operator(Method::GET, path).send().await.problem(404, "not-found");
}
