//! Events as buyers find them.

use std::sync::Arc;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use tokio::task::JoinSet;

use super::box_office::{BoxOffice, event_form};
use super::client::Answer;

async fn get(office: &BoxOffice, path: &str) -> Answer {
    office.anyone(Method::GET, path).send().await
}

fn slugs(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("items");
    items.iter().map(|event| event["slug"].as_str().expect("a slug")).collect()
}

#[tokio::test]
async fn an_event_is_shown_whole_by_id_and_by_slug() {
    let (office, event) = BoxOffice::open("event").await;
    let shown = get(&office, &format!("/events/{event}")).await.ok(200);
    let by_slug = get(&office, "/events/noche").await.ok(200);
    assert_eq!(by_slug["event_id"], shown["event_id"]);
    let euros = |amount: u32| json!({"amount": amount, "currency": "EUR"});
    assert_eq!(shown["from_price"], euros(0));
    assert_eq!(shown["availability"], "plenty");
    assert_eq!(shown["timezone"], "Europe/Madrid");
    assert_eq!(shown["venue"]["city"], "Sevilla");
    assert_eq!(shown["artists"][0]["slug"], "ana");
    assert_eq!(shown["conditions"], "");
    assert_eq!(shown["fees"], json!([{"name": "service", "percent": "5.00", "fixed": euros(100)}]));
    let sale = &shown["sale"];
    assert_eq!((&sale["status"], &sale["opens_in_seconds"]), (&json!("open"), &json!(0)));
    assert_eq!((&sale["hold_ttl_seconds"], &sale["max_seats_per_buyer"]), (&json!(480), &json!(4)));
    assert_eq!((&sale["waiting_room"], &sale["closes_at"]), (&json!(false), &shown["starts_at"]));
    let section = json!({"section": "B", "kind": "seated", "capacity": 2, "available": 2, "price_from": euros(4500)});
    assert_eq!(shown["sections"][1], section);
    assert_eq!(shown["price_tiers"][1], json!({"tier": "silver", "price": euros(4500)}));
    for path in ["/events/nada", "/events/NOCHE", "/events/00000000-0000-0000-0000-000000000000"] {
        get(&office, path).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn events_are_listed_soonest_first_and_narrowed() {
    let office = BoxOffice::empty("events").await;
    for (slug, name, starts_at, category, artist) in [
        ("c", "Cante jondo", "2099-03-01T00:00:00Z", "flamenco", "Rosalía"),
        ("a", "Rock en vivo", "2099-01-01T00:00:00Z", "rock", "Ana"),
        ("b", "Otra noche", "2099-02-01T00:00:00Z", "rock", "Ana"),
    ] {
        let mut form = event_form();
        form["slug"] = json!(slug);
        form["name"] = json!(name);
        form["starts_at"] = json!(starts_at);
        form["category"] = json!(category);
        form["artists"] = json!([artist]);
        office.create_event(&form).await;
    }
    for (query, found) in [
        ("", &["a", "b", "c"][..]),
        ("category=rock", &["a", "b"]),
        ("artist=rosalia", &["c"]),
        ("q=rosal%C3%ADa", &["c"]),
        ("q=ROSALI%CC%81A", &["c"]),
        ("q=NOCHE", &["b"]),
        ("q=sevilla", &["a", "b", "c"]),
        ("from=2099-02-01T00:00:00Z", &["b", "c"]),
        ("to=2099-02-01T00:00:00Z", &["a", "b"]),
        ("near=37.39,-5.99", &["a", "b", "c"]),
        ("near=40.4,-3.7&radius_km=500", &["a", "b", "c"]),
        ("near=40.4,-3.7", &[]),
        ("category=rock&q=vivo", &["a"]),
        ("category=&artist=&q=", &["a", "b", "c"]),
        ("category=%20&artist=+&q=rock%20en", &["a"]),
    ] {
        let list = get(&office, &format!("/events?{query}")).await.ok(200);
        assert_eq!(slugs(&list), found, "{query}");
        assert_eq!(list["next_cursor"], Value::Null);
    }
    let first = get(&office, "/events?limit=2").await.ok(200);
    assert_eq!(slugs(&first), ["a", "b"]);
    let cursor = first["next_cursor"].as_str().expect("a cursor");
    let second = get(&office, &format!("/events?limit=2&cursor={cursor}")).await.ok(200);
    assert_eq!((slugs(&second), &second["next_cursor"]), (vec!["c"], &Value::Null));
    let item = &second["items"][0];
    let members = ["event_id", "starts_at", "venue", "sale", "from_price", "availability"];
    assert!(members.iter().all(|member| !item[member].is_null()), "{item}");
}

#[tokio::test]
async fn a_query_that_cannot_be_understood_is_refused_by_name() {
    let office = BoxOffice::empty("queries").await;
    for (query, pointer) in [
        ("near=91,0", "?near"),
        ("near=0,181", "?near"),
        ("near=NaN,0", "?near"),
        ("near=1", "?near"),
        ("near=1,1&radius_km=501", "?radius_km"),
        ("near=1,1&radius_km=0", "?radius_km"),
        ("radius_km=5", "?radius_km"),
        ("limit=0", "?limit"),
        ("limit=101", "?limit"),
        ("limit=%2B5", "?limit"),
        ("from=tomorrow", "?from"),
        ("cursor=%00", "?cursor"),
        // The least instant that 64 bits hold.
        ("cursor=gAAAAAAAAAAAAAAB", "?cursor"),
        ("q=a&q=b", "?q"),
        ("sort=price", "?sort"),
    ] {
        assert_eq!(
            get(&office, &format!("/events?{query}")).await.pointers(),
            [pointer],
            "{query}"
        );
    }
}

#[tokio::test]
async fn what_can_be_no_event_is_asked_of_no_database_and_many_askers_are_turned_away() {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database("unknown_names").await.expect("a database");
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let provider = Arc::new(MemoryProvider::default());
    let office = BoxOffice::over(proxy.before(&settings), provider).await;
    get(&office, "/events/nada").await.problem(404, "not-found");
    proxy.hold_answers();
    let id = "/events/00000000-0000-0000-0000-000000000000";
    for nothing in ["/events/nada", "/events/%00", "/events/NADA", id] {
        get(&office, nothing).await.problem(404, "not-found");
    }
    // One asks the database, some wait for what it learns, and there are no more than those.
    let mut askers = JoinSet::new();
    for _ in 0..100 {
        askers.spawn(office.anyone(Method::GET, "/events/otra").send());
    }
    let first = askers.join_next().await.expect("one is turned away").expect("an answer");
    first.problem(503, "overloaded");
    proxy.release();
    while let Some(answer) = askers.join_next().await {
        let answer = answer.expect("an answer");
        match answer.status.as_u16() {
            404 => drop(answer.problem(404, "not-found")),
            _ => drop(answer.problem(503, "overloaded")),
        }
    }
}
