//! Events as they are looked for.

use axum::http::Method;
use serde_json::{Value, json};

use super::box_office::{BoxOffice, event_form, venue_form};

/// Slug, name, artist, venue's slug, beginning.
const EVENTS: [(&str, &str, &str, &str, &str); 7] = [
    ("motomami", "Motomami World Tour", "Rosalía", "sevilla", "2099-03-27T20:00:00Z"),
    ("agaetis", "Ágætis byrjun", "Sigur Rós", "sevilla", "2099-05-01T20:00:00Z"),
    ("metal", "Master of Puppets", "Metallica", "madrid", "2099-04-01T20:00:00Z"),
    ("carnival", "嘉年華 Carnival", "周杰倫", "madrid", "2099-06-01T20:00:00Z"),
    ("gruppa", "Группа крови", "Кино", "madrid", "2099-07-01T20:00:00Z"),
    ("madrid", "Madrid Sur", "Ana", "sevilla", "2099-08-01T20:00:00Z"),
    // The next day where it takes place, and still the same one by the clock of Greenwich.
    ("late", "Noche larga", "Ana", "tokyo", "2099-09-01T20:00:00Z"),
];

const VENUES: [(&str, &str, &str, f64, f64); 3] = [
    ("sevilla", "Sevilla", "Europe/Madrid", 37.39, -5.99),
    ("madrid", "Madrid", "Europe/Madrid", 40.42, -3.70),
    ("tokyo", "東京", "Asia/Tokyo", 35.68, 139.69),
];

async fn catalogue(name: &str) -> BoxOffice {
    let office = BoxOffice::empty(name).await;
    for (slug, city, zone, lat, lon) in VENUES {
        let mut form = venue_form();
        for (member, value) in [
            ("slug", json!(slug)),
            ("name", json!(format!("Estadio {slug}"))),
            ("city", json!(city)),
            ("timezone", json!(zone)),
            ("lat", json!(lat)),
            ("lon", json!(lon)),
        ] {
            form[member] = value;
        }
        office.operator(Method::POST, "/admin/venues").json(&form).send().await.ok(201);
    }
    for (slug, name, artist, venue, starts_at) in EVENTS {
        let mut form = event_form();
        let venue = office.operator(Method::GET, "/admin/venues").send().await.ok(200)["items"]
            .as_array()
            .expect("items")
            .iter()
            .find(|it| it["slug"] == venue)
            .expect("it was made")["venue_id"]
            .clone();
        for (member, value) in [
            ("slug", json!(slug)),
            ("name", json!(name)),
            ("artists", json!([artist])),
            ("venue_id", venue),
            ("starts_at", json!(starts_at)),
        ] {
            form[member] = value;
        }
        office.operator(Method::POST, "/admin/events").json(&form).send().await.ok(201);
    }
    office
}

pub(super) async fn list(office: &BoxOffice, query: &str) -> Value {
    let query: String = query
        .chars()
        .map(|letter| match letter {
            ' ' => "+".to_owned(),
            letter if letter.is_ascii() => letter.to_string(),
            letter => letter.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
        })
        .collect();
    office.anyone(Method::GET, &format!("/events?{query}")).send().await.ok(200)
}

pub(super) fn slugs(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("items");
    items.iter().map(|event| event["slug"].as_str().expect("a slug")).collect()
}

#[tokio::test]
async fn an_event_is_found_by_what_was_meant_in_any_script() {
    let office = catalogue("search").await;
    for (query, found) in [
        ("q=rosalia", &["motomami"][..]),
        ("q=ROSALÍA tour", &["motomami"]),
        ("q=rosaila", &["motomami"]),
        ("q=rosala", &["motomami"]),
        ("q=metalica", &["metal"]),
        ("q=mtalica", &["metal"]),
        ("q=metal", &["metal"]),
        ("q=pupets mastr", &["metal"]),
        ("q=sigur ros", &["agaetis"]),
        ("q=agaetis", &["agaetis"]),
        ("q=周杰倫", &["carnival"]),
        ("q=杰倫", &["carnival"]),
        ("q=倫杰", &[]),
        ("q=嘉年華 carnaval", &["carnival"]),
        ("q=東京", &["late"]),
        ("q=ГРУППА", &["gruppa"]),
        ("q=група", &["gruppa"]),
        ("q=кино", &["gruppa"]),
        // Of a short word each letter counts.
        ("q=ros", &["agaetis", "motomami"]),
        ("q=rxs", &[]),
        ("q=rosalia metallica", &[]),
        ("q=!?", &[]),
    ] {
        assert_eq!(slugs(&list(&office, query).await), found, "{query}");
    }
}

#[tokio::test]
async fn what_fits_best_is_nearest_or_soonest_comes_first_as_asked() {
    let office = catalogue("search_order").await;
    for (query, found) in [
        // In the event's name rather than in the venue's city.
        ("q=madrid", &["madrid", "metal", "carnival", "gruppa"][..]),
        ("q=madrid&sort=date", &["metal", "carnival", "gruppa", "madrid"]),
        (
            "near=40.4,-3.7&radius_km=500",
            &["motomami", "metal", "agaetis", "carnival", "gruppa", "madrid"],
        ),
        (
            "near=40.4,-3.7&radius_km=500&sort=distance",
            &["metal", "carnival", "gruppa", "motomami", "agaetis", "madrid"],
        ),
        ("near=40.4,-3.7&radius_km=100&sort=distance", &["metal", "carnival", "gruppa"]),
    ] {
        assert_eq!(slugs(&list(&office, query).await), found, "{query}");
        // Page by page it is the same list.
        let (mut pages, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = list(&office, &format!("{query}&limit=2{cursor}")).await;
            pages.extend(slugs(&page).into_iter().map(ToOwned::to_owned));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(pages, found, "{query}");
    }
    let by_date = list(&office, "limit=1").await;
    let cursor = by_date["next_cursor"].as_str().expect("more").to_owned();
    for (query, pointer) in [
        (format!("q=madrid&cursor={cursor}"), "?cursor"),
        ("sort=distance".to_owned(), "?sort"),
        ("sort=relevance".to_owned(), "?sort"),
        (format!("q={}", "x".repeat(201)), "?q"),
        ("from=2099-6-1".to_owned(), "?from"),
        ("to=2099-02-30".to_owned(), "?to"),
    ] {
        let answer = office.anyone(Method::GET, &format!("/events?{query}")).send().await;
        assert_eq!(answer.pointers(), [pointer], "{query}");
    }
}

#[tokio::test]
async fn a_date_is_that_day_where_the_event_takes_place() {
    let office = catalogue("search_days").await;
    for (query, found) in [
        ("from=2099-09-02", &["late"][..]),
        ("from=2099-09-03", &[]),
        ("from=2099-09-02&to=2099-09-02", &["late"]),
        ("from=2099-08-02&to=2099-09-01", &[]),
        ("from=2099-08-01&to=2099-08-01", &["madrid"]),
        ("from=2099-08-01T20:00:01Z", &["late"]),
    ] {
        assert_eq!(slugs(&list(&office, query).await), found, "{query}");
    }
}

#[tokio::test]
async fn what_is_changed_is_found_as_it_is_now() {
    let office = catalogue("search_changes").await;
    let events = list(&office, "q=metallica").await;
    let id = events["items"][0]["event_id"].as_str().expect("an id").to_owned();
    let patch = json!({"name": "Ride the Lightning", "artists": ["Die Ärzte"]});
    office
        .operator(Method::PATCH, &format!("/admin/events/{id}"))
        .json(&patch)
        .send()
        .await
        .ok(200);
    assert_eq!(slugs(&list(&office, "q=metallica").await), [""; 0]);
    assert_eq!(slugs(&list(&office, "q=die arzte lightning").await), ["metal"]);
    assert_eq!(slugs(&list(&office, "artist=die-arzte").await), ["metal"]);
}
