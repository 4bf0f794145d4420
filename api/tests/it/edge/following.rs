//! Several nodes over one database: lists here follow what is made and changed there, and say how old they are.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_api::instant::Instant;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;

use super::box_office::{BoxOffice, event_form};
use super::rows::{DEADLINE, Rows};
use super::search::{list, slugs};

async fn database(name: &str) -> DatabaseSettings {
    scratch::shared().await.migrated_database(name).await.expect("a database")
}

async fn over(settings: &DatabaseSettings) -> BoxOffice {
    BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await.following()
}

/// Asks again until the list is so.
async fn until(office: &BoxOffice, query: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    let seen = async {
        loop {
            looks.tick().await;
            let list = list(office, query).await;
            if is_so(&list) {
                return list;
            }
        }
    };
    tokio::time::timeout(DEADLINE, seen).await.unwrap_or_else(|_| panic!("never so: {query}"))
}

fn as_of(list: &Value) -> Moment {
    Instant::parse(list["as_of"].as_str().expect("a text")).expect("an instant").0
}

#[tokio::test]
async fn what_another_node_makes_and_changes_is_found_so_here() {
    let settings = database("following").await;
    let (one, other) = (over(&settings).await, over(&settings).await);
    let event = one.create_event(&event_form()).await;
    until(&other, "q=noche", |list| slugs(list) == ["noche"]).await;
    let deed = async |method, path: &str, body: Value| {
        let path = format!("/admin/events/{event}{path}");
        let done = one.operator(method, &path).json(&body).send().await;
        assert!(done.status.is_success(), "{path}: {}", done.status);
    };

    deed(Method::PATCH, "", json!({"name": "Verano", "artists": ["Eva"]})).await;
    until(&other, "q=verano eva", |list| slugs(list) == ["noche"]).await;
    assert_eq!(slugs(&list(&other, "q=noche").await), [""; 0], "it is not called that any more");
    let shown = other.anyone(Method::GET, "/events/noche").send().await.ok(200);
    assert_eq!(shown["name"], "Verano");

    deed(Method::POST, "/sale", json!({"action": "pause"})).await;
    until(&other, "", |list| list["items"][0]["sale"]["status"] == "paused").await;

    let tiers = [("gold", 9_000), ("silver", 4_500), ("free", 700)];
    let tier = |(tier, amount)| json!({"tier": tier, "amount": amount});
    let prices = json!({"price_tiers": tiers.map(tier)});
    deed(Method::PATCH, "", prices).await;
    until(&other, "", |list| list["items"][0]["from_price"]["amount"] == 700).await;

    let rows = Rows::of(&settings).await;
    rows.change("UPDATE venues SET city = 'Cádiz', lat = 36.5, lon = -6.3").await;
    let near = "near=36.5,-6.3&radius_km=1";
    until(&other, near, |list| list["items"][0]["venue"]["city"] == "Cádiz").await;

    deed(Method::POST, "/cancel", json!({"reason": "rain"})).await;
    until(&other, "", |list| list["items"][0]["sale"]["status"] == "cancelled").await;
}

#[tokio::test]
async fn an_event_of_a_transaction_that_ends_late_is_found_and_so_are_later_ones_before() {
    let settings = database("following_late").await;
    let office = over(&settings).await;
    let event = office.create_event(&event_form()).await;
    let late = Rows::of(&settings).await;
    late.change("BEGIN; UPDATE events SET name = 'Tarde' WHERE slug = 'noche'").await;
    let mut form = event_form();
    (form["slug"], form["name"]) = (json!("dia"), json!("Temprano"));
    over(&settings).await.create_event(&form).await;
    let list = until(&office, "q=temprano", |list| slugs(list) == ["dia"]).await;
    until(&office, "", |newer| as_of(newer) > as_of(&list)).await;
    late.change("COMMIT").await;
    let list = until(&office, "q=tarde", |list| slugs(list) == ["noche"]).await;
    assert_eq!(list["items"][0]["event_id"], event.as_str());
}

#[tokio::test]
async fn without_a_database_lists_say_how_old_they_are_and_then_they_catch_up() {
    let settings = database("following_lost").await;
    let port = scratch::shared().await.postgres.port();
    let proxy = Proxy::start(port).await.expect("a proxy");
    let office = over(&proxy.before(&settings)).await;
    office.create_event(&event_form()).await;
    let first = as_of(&list(&office, "").await);
    until(&office, "", |list| as_of(list) > first).await;

    proxy.refuse_connections(true);
    proxy.cut();
    let rows = Rows::of(&settings).await;
    rows.change("UPDATE events SET name = 'Otra'").await;
    let micros = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    let changed_at = Moment(rows.one(micros).await);
    let lost = list(&office, "q=noche").await;
    assert_eq!(slugs(&lost), ["noche"], "lists go on");
    assert!(as_of(&lost) < changed_at);
    let again = until(&office, "q=noche", |_| true).await;
    assert_eq!(as_of(&again), as_of(&lost), "their time stands still");
    let shown = office.anyone(Method::GET, "/events/noche").send().await.ok(200);
    assert!(as_of(&shown) < changed_at, "an event says it too");

    proxy.refuse_connections(false);
    let found = until(&office, "q=otra", |list| as_of(list) > changed_at).await;
    assert_eq!(slugs(&found), ["noche"]);
}

#[tokio::test]
async fn many_events_are_read_by_a_start_and_by_whoever_follows() {
    let settings = database("following_many").await;
    let office = over(&settings).await;
    office.create_event(&event_form()).await;
    let rows = Rows::of(&settings).await;
    rows.change(
        "INSERT INTO events (event_no, event_id, venue_id, plan_id, slug, name, description, category, conditions, \
                starts_at, currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, waiting_room, \
                verifying_extension_seconds) OVERRIDING SYSTEM VALUE \
         SELECT n, (lpad(to_hex(n), 8, '0') || '-0100-8000-8000-000000000000')::uuid, venue_id, plan_id, 'e-' || n, \
                'Una de muchas', description, category, conditions, starts_at, currency, opens_at, \
                closes_at, hold_ttl_seconds, buyer_seats_max, waiting_room, verifying_extension_seconds \
           FROM events, generate_series(1001, 2300) AS n; \
         INSERT INTO event_tiers SELECT n, 0, 'all', 100 FROM generate_series(1001, 2300) AS n; \
         INSERT INTO event_section_tiers SELECT n, 0, 0, 0 FROM generate_series(1001, 2300) AS n",
    )
    .await;
    let last = "near=37.4,-5.9&limit=100&sort=distance&q=muchas";
    for office in [&office, &over(&settings).await] {
        let (mut found, mut cursor) = (0, String::new());
        until(office, last, |list| list["items"].as_array().is_some_and(|it| it.len() == 100))
            .await;
        loop {
            let page = list(office, &format!("{last}{cursor}")).await;
            found += slugs(&page).len();
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(found, 1_300);
    }
    rows.change(
        "DELETE FROM event_section_tiers WHERE event_no > 1000; \
         DELETE FROM event_tiers WHERE event_no > 1000; DELETE FROM events WHERE event_no > 1000",
    )
    .await;
    until(&office, last, |list| slugs(list) == [""; 0]).await;
    office.anyone(Method::GET, "/events/e-1500").send().await.problem(404, "not-found");
}
