//! Two nodes over one database: what one makes and changes, as the other sees it.

use std::sync::Arc;

use axum::http::Method;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;

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
