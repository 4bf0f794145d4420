//! Events as buyers find them.

use axum::http::Method;
use serde_json::{Value, json};

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
        ("q=NOCHE", &["b"]),
        ("q=sevilla", &["a", "b", "c"]),
        ("from=2099-02-01T00:00:00Z", &["b", "c"]),
        ("to=2099-02-01T00:00:00Z", &["a", "b"]),
        ("near=37.39,-5.99", &["a", "b", "c"]),
        ("near=40.4,-3.7&radius_km=500", &["a", "b", "c"]),
        ("near=40.4,-3.7", &[]),
        ("category=rock&q=vivo", &["a"]),
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
async fn an_event_that_another_process_made_is_found_when_asked_for() {
    let (office, event) = BoxOffice::open("read_through").await;
    let mut app = office.app.clone();
    app.listings = std::sync::Arc::default();
    let router = taquilla_api::routes::router(app);
    let call = super::Call::new(router, Method::GET, &format!("/events/{event}"));
    assert_eq!(call.send().await.ok(200)["slug"], "noche");
}
