//! One bad row, and who still sells: with a real database that refuses.

use std::sync::Arc;

use axum::http::Method;
use serde_json::json;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;

use super::box_office::{BoxOffice, event_form};
use super::rows::Rows;

/// Past our own code.
async fn sql(settings: &DatabaseSettings, sql: &str) {
    Rows::of(settings).await.change(sql).await;
}

async fn office(settings: &DatabaseSettings) -> BoxOffice {
    BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await
}

#[tokio::test]
async fn a_seat_that_the_database_refuses_fails_alone_and_shuts_its_section_alone() {
    let settings = scratch::shared().await.migrated_database("poison").await.expect("a database");
    let office = office(&settings).await;
    let event = office.create_event(&event_form()).await;
    office.hold("ana", "k", &event, &["A-1-2"]).send().await.ok(201);
    // As a constraint would that somebody added by hand: seat 3 of section A cannot be held.
    sql(
        &settings,
        "CREATE FUNCTION poisoned() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             RAISE EXCEPTION USING ERRCODE = '23514', MESSAGE = 'poisoned'; END $$;
         CREATE TRIGGER poisoned BEFORE UPDATE ON seats FOR EACH ROW
             WHEN (NEW.seat_key % 1048576 = 2 AND NEW.state = 1) EXECUTE FUNCTION poisoned();",
    )
    .await;
    let poisoned = office.hold("bob", "k", &event, &["A-1-3"]).send().await;
    let problem = poisoned.problem(500, "internal-error");
    assert!(!problem.to_string().contains("poisoned"), "nothing of the inside: {problem}");

    let shut = office.hold("carl", "k", &event, &["B-1-1", "A-1-4"]).send().await;
    let problem = shut.problem(503, "purchases-paused");
    assert_eq!(problem["sections"], json!(["A"]));
    assert_eq!(problem["reason"], "section-quarantined");
    let hold = office.hold("carl", "k", &event, &["B-1-1"]).send().await.ok(201);
    office.order("carl", "k", &hold["hold_id"]).send().await.ok(201);
    let mine = office.read("ana", "/events/noche/holds").send().await.ok(200);
    assert_eq!(mine["items"].as_array().map(Vec::len), Some(1), "one's own things can be read");
    office.anyone(Method::GET, "/events/noche/availability").send().await.ok(200);
    let audit = office.operator(Method::GET, "/admin/events/noche/audit").send().await.ok(200);
    assert_eq!(audit["ok"], true, "{audit}");
}

#[tokio::test]
async fn a_section_whose_rows_contradict_each_other_is_shut_from_the_start() {
    let settings = scratch::shared().await.migrated_database("torn").await.expect("a database");
    let first = office(&settings).await;
    let event = first.create_event(&event_form()).await;
    first.hold("ana", "k", &event, &["A-1-2"]).send().await.ok(201);
    first.app.node.stop().await;
    sql(&settings, "UPDATE seats SET state = 0, hold_id = NULL WHERE seat_key % 1048576 = 1").await;

    let second = office(&settings).await;
    let terms = second.app.catalogue.all_event_numbers().await.expect("one event");
    for number in terms {
        let terms = second.app.catalogue.event_terms(number).await.expect("readable");
        second.app.node.open(terms.expect("an event"));
    }
    let shut = second.hold("bob", "k", &event, &["A-1-4"]).send().await;
    assert_eq!(shut.problem(503, "purchases-paused")["sections"], json!(["A"]));
    second.hold("bob", "k", &event, &["B-1-1"]).send().await.ok(201);
    let audit = second.operator(Method::GET, "/admin/events/noche/audit").send().await.ok(200);
    assert_eq!(audit["ok"], false, "and the audit says which row: {audit}");
}
