//! Two nodes over one database: what one makes and changes, as the other sees it.

use std::sync::Arc;

use axum::http::Method;
use serde_json::json;
use taquilla_engine::id::EventId;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;
use uuid::Uuid;

use super::box_office::{BoxOffice, event_form};

async fn two(name: &str) -> (BoxOffice, BoxOffice) {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database(name).await.expect("a database");
    let over =
        async || BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await;
    (over().await, over().await)
}

#[tokio::test]
async fn an_event_that_another_node_made_is_found_and_sold_when_asked_for() {
    let (one, other) = two("second_node").await;
    // That is remembered of the slug for a second; the id is another name.
    other.anyone(Method::GET, "/events/noche").send().await.problem(404, "not-found");
    let event = one.create_event(&event_form()).await;
    let shown = other.anyone(Method::GET, &format!("/events/{event}")).send().await.ok(200);
    assert_eq!(shown["slug"], "noche");
    let hold = other.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    assert_eq!(hold["event_id"], event.as_str());
    let path = format!("/holds/{}", hold["hold_id"].as_str().expect("an id"));
    assert_eq!(other.read("ana", &path).send().await.ok(200)["status"], "active");
    let audit = other.operator(Method::GET, &format!("/admin/events/{event}/audit")).send().await;
    assert_eq!(audit.ok(200)["ok"], true);
}

#[tokio::test]
async fn a_listing_that_may_have_changed_unseen_is_read_by_whoever_looks_next() {
    let (one, other) = two("doubt").await;
    let event = one.create_event(&event_form()).await;
    let shown = async || {
        let shown = one.anyone(Method::GET, "/events/noche").send().await.ok(200);
        shown["name"].as_str().expect("a name").to_owned()
    };
    let path = format!("/admin/events/{event}");
    let change = other.operator(Method::PATCH, &path).json(&json!({"name": "Otra"}));
    change.send().await.ok(200);
    assert_eq!(shown().await, "Noche", "no node sees what another one changes");
    // A change here whose asker went before its end.
    let number =
        EventId::parse(Uuid::parse_str(&event).expect("a UUID")).expect("an event").event();
    drop(one.app.listings.change(number));
    assert_eq!(shown().await, "Otra");
}
