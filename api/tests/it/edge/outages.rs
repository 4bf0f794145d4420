//! What callers are told when something does not answer, or is broken.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::Value;
use taquilla_api::EdgeSettings;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;

use super::box_office::{BoxOffice, event_form};

#[tokio::test]
async fn a_lost_database_pauses_purchases_and_leaves_the_catalogue_up() {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database("outage").await.expect("a database");
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let provider = Arc::new(MemoryProvider::default());
    let mut office = BoxOffice::over(proxy.before(&settings), provider).await;
    let event = office.create_event(&event_form()).await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    office.app.settings = Arc::new(EdgeSettings {
        decision_deadline: Duration::from_millis(500),
        ..EdgeSettings::default()
    });

    proxy.refuse_connections(true);
    proxy.cut();
    let lost = office.hold("ana", "k2", &event, &["A-1-2"]).send().await;
    assert_eq!(lost.status, 503);
    assert!(lost.header("retry-after").is_some());
    office.order("ana", "k", &hold["hold_id"]).send().await.problem(503, "purchases-paused");
    let list = office.read("ana", "/orders").send().await.problem(503, "purchases-paused");
    assert_eq!(list["reason"], "database-unavailable");
    assert!(!list.to_string().contains("connect"), "nothing of the inside: {list}");
    office.anyone(Method::GET, "/readyz").send().await.problem(503, "purchases-paused");
    for path in ["/healthz", "/events", "/events/noche", "/events/noche/availability"] {
        office.anyone(Method::GET, path).send().await.ok(200);
    }
    let as_of = async || {
        let map = office.anyone(Method::GET, "/events/noche/availability").send().await.ok(200);
        map["as_of"].clone()
    };
    assert_eq!(as_of().await, as_of().await, "the last map says how old it is");
    let purchases = office.operator(Method::GET, "/admin/purchases").send().await.ok(200);
    assert_eq!(purchases["paused"], false);
    assert_eq!(purchases["payments"], Value::Null, "the database does not say");

    proxy.refuse_connections(false);
    let same = loop {
        let again = office.hold("ana", "k2", &event, &["A-1-2"]).send().await;
        if again.status != 503 {
            break again.ok(201);
        }
    };
    let list = office.read("ana", "/events/noche/holds").send().await.ok(200);
    let holds: Vec<_> = list["items"].as_array().expect("items").iter().collect();
    assert_eq!(holds.len(), 2, "the key brought the truth");
    assert_eq!(holds[1]["hold_id"], same["hold_id"]);
}

#[tokio::test]
async fn a_decision_that_is_not_learnt_in_time_is_unknown_and_comes_back_by_its_key() {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database("unknown").await.expect("a database");
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let provider = Arc::new(MemoryProvider::default());
    let mut office = BoxOffice::over(proxy.before(&settings), provider).await;
    let event = office.create_event(&event_form()).await;
    office.hold("ana", "warm", &event, &["A-1-1"]).send().await.ok(201);
    office.app.settings = Arc::new(EdgeSettings {
        decision_deadline: Duration::from_millis(300),
        ..EdgeSettings::default()
    });
    proxy.hold_answers();
    let unknown = office.hold("ana", "k", &event, &["A-1-2"]).send().await;
    unknown.problem(503, "outcome-unknown");
    proxy.release();
    office.app.settings = Arc::new(EdgeSettings::default());
    let known = office.hold("ana", "k", &event, &["A-1-2"]).send().await;
    assert!(known.is_replay());
    known.ok(201);
}

#[tokio::test]
async fn a_panic_is_an_internal_error_that_says_nothing() {
    let office = BoxOffice::empty("panic").await.with_a_bug();
    for path in ["/events", "/orders", "/admin/venues"] {
        let answer = office.anyone(Method::GET, path).bearer("a token").send().await;
        let problem = answer.problem(500, "internal-error");
        assert!(!problem.to_string().contains("secret"), "{problem}");
        office.anyone(Method::GET, "/healthz").send().await.ok(200);
    }
}
