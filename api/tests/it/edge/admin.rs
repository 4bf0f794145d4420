//! What operators make, and what is wrong with it.

use axum::http::Method;
use serde_json::{Value, json};

use super::box_office::{BoxOffice, event_form, venue_form};
use super::client::Answer;

async fn venue(office: &BoxOffice, form: &Value) -> Answer {
    office.operator(Method::POST, "/admin/venues").json(form).send().await
}

async fn event(office: &BoxOffice, form: &Value) -> Answer {
    office.operator(Method::POST, "/admin/events").json(form).send().await
}

#[tokio::test]
async fn a_venue_is_made_once() {
    let office = BoxOffice::empty("venue").await;
    let made = venue(&office, &venue_form()).await.ok(201);
    assert_eq!((&made["slug"], &made["capacity"]), (&json!("teatro"), &json!(20)));
    assert_eq!(made["sections"][2], json!({"section": "FLOOR", "kind": "general", "capacity": 10}));
    venue(&office, &venue_form()).await.problem(409, "already-exists");
}

#[tokio::test]
async fn everything_wrong_with_a_venues_form_is_named() {
    let office = BoxOffice::empty("venue_form").await;
    let mut form = venue_form();
    form["slug"] = json!("Teatro Real");
    form["name"] = json!("a\u{0}b");
    form["country"] = json!("Spain");
    form["lat"] = json!(90.5);
    form["timezone"] = json!("Europe/Sevilla");
    form["plan"]["sections"][0]["capacity"] = json!(3);
    let pointers = venue(&office, &form).await.pointers();
    let expected = ["/name", "/slug", "/country", "/lat", "/timezone", "/plan/sections/0/capacity"];
    assert_eq!(pointers, expected);
    for (plan, pointer) in [
        (json!({"format": "dxf", "layout": {"a": [1]}}), "/plan/format"),
        (json!({"format": "pretix"}), "/plan/layout"),
        (json!(["rows"]), "/plan"),
        (json!({"format": "rows"}), "/plan/sections"),
        (
            json!({"format": "rows", "sections": [{"section": "A", "kind": "standing"}]}),
            "/plan/sections/0/kind",
        ),
        (
            json!({"format": "rows", "sections": [{"section": "A", "kind": "seated"}]}),
            "/plan/sections/0/rows",
        ),
        (json!({"format": "rows", "sections": [], "colour": 1}), "/plan/colour"),
    ] {
        let mut form = venue_form();
        form["plan"] = plan;
        assert_eq!(venue(&office, &form).await.pointers(), [pointer], "{}", form["plan"]);
    }
}

#[tokio::test]
async fn all_defects_of_a_plan_are_told_at_once() {
    let office = BoxOffice::empty("defects").await;
    let mut form = venue_form();
    form["plan"]["sections"] = json!([
        {"section": "A", "kind": "seated", "rows": [
            {"row": "1", "seats": 0}, {"row": "1", "seats": 2, "accessible": [3]}]},
        {"section": "A", "kind": "seated", "rows": []},
        {"section": "F", "kind": "general", "capacity": 0}]);
    let problem = venue(&office, &form).await.problem(422, "plan-invalid");
    let defects = problem["defects"].as_array().expect("defects");
    let found: Vec<_> = defects
        .iter()
        .map(|defect| {
            (defect["code"].as_str().expect("text"), defect["where"].as_str().expect("text"))
        })
        .collect();
    let expected = [
        ("duplicate-section", "/plan/sections/0"),
        ("duplicate-section", "/plan/sections/1"),
        ("duplicate-row", "/plan/sections/0/rows/0"),
        ("duplicate-row", "/plan/sections/0/rows/1"),
        ("seats-out-of-range", "/plan/sections/0/rows/0/seats"),
        ("no-such-seat", "/plan/sections/0/rows/1/accessible"),
        ("no-rows", "/plan/sections/1/rows"),
        ("capacity-out-of-range", "/plan/sections/2/capacity"),
    ];
    assert_eq!(found, expected);

    form["plan"]["sections"] = json!([
        {"section": "A-B", "kind": "seated", "rows": [{"row": "C", "seats": 1}]},
        {"section": "A", "kind": "seated", "rows": [{"row": "B-C", "seats": 1}]}]);
    let problem = venue(&office, &form).await.problem(422, "plan-invalid");
    assert_eq!(problem["defects"][0]["code"], "duplicate-label");
    let rows: Vec<_> =
        (0..1_000).map(|row| json!({"row": row.to_string(), "seats": 1_000})).collect();
    form["plan"]["sections"] = json!([
        {"section": "A", "kind": "seated", "rows": rows},
        {"section": "B", "kind": "seated", "rows": rows[..49]}]);
    let problem = venue(&office, &form).await.problem(422, "plan-invalid");
    assert_eq!(problem["defects"][0]["code"], "too-many-seats");
}

#[tokio::test]
async fn every_section_needs_a_tier_and_all_without_are_named() {
    let office = BoxOffice::empty("coverage").await;
    let mut form = event_form();
    form["venue_id"] = venue(&office, &venue_form()).await.ok(201)["venue_id"].clone();
    form["section_tiers"] = json!({"A": "bronze", "ATTIC": "gold"});
    form["category_tiers"] = json!({"vip": "gold"});
    let pointers = event(&office, &form).await.pointers();
    let expected = [
        "/section_tiers/A",
        "/section_tiers/ATTIC",
        "/category_tiers/vip",
        "/section_tiers/B",
        "/section_tiers/FLOOR",
    ];
    assert_eq!(pointers, expected);
}

#[tokio::test]
async fn an_events_form_is_checked_before_its_venue_is_looked_for() {
    let office = BoxOffice::empty("event_form").await;
    let mut form = event_form();
    form["venue_id"] = json!("00000000-0000-0000-0000-000000000000");
    event(&office, &form).await.problem(404, "not-found");
    form["slug"] = json!("");
    form["artists"] = json!(["Ana", "ANA"]);
    form["price_tiers"] = json!([{"tier": "a", "amount": 1}, {"tier": "a", "amount": 1}]);
    form["sale"] = json!({
        "opens_at": "2099-07-01T00:00:00Z", "hold_ttl_seconds": 3_601, "max_seats_per_buyer": 0});
    let expected = [
        "/slug",
        "/artists/1",
        "/price_tiers/1",
        "/sale/closes_at",
        "/sale/hold_ttl_seconds",
        "/sale/max_seats_per_buyer",
    ];
    assert_eq!(event(&office, &form).await.pointers(), expected);
    let fee = |name: &str| json!({"name": name, "percent": "1", "fixed": 0});
    let mut fees = event_form();
    fees["venue_id"] = form["venue_id"].clone();
    fees["fees"] = json!([fee("Órgano"), fee("O\u{301}rgano")]);
    assert_eq!(event(&office, &fees).await.pointers(), ["/fees/1"], "one name, typed in two ways");
    form["sale"] = json!({"opens": "now"});
    assert_eq!(event(&office, &form).await.pointers(), ["/sale/opens"]);
}

#[tokio::test]
async fn an_event_is_made_once_and_on_sale_at_once() {
    let (office, made) = BoxOffice::open("event_once").await;
    let list = office.operator(Method::GET, "/admin/events").send().await.ok(200);
    assert_eq!(list["items"][0]["event_id"], made.as_str());
    let mut form = event_form();
    let shown = office.anyone(Method::GET, "/events/noche").send().await.ok(200);
    form["venue_id"] = shown["venue"]["venue_id"].clone();
    event(&office, &form).await.problem(409, "already-exists");
    office.buyer("ana", Method::GET, "/admin/events").send().await.problem(403, "forbidden");
    // The hold waits for the event's owner; then all events have one.
    office.hold("ana", "k", &made, &["A-1-1"]).send().await.ok(201);
    office.anyone(Method::GET, "/readyz").send().await.ok(200);
    let audit = office.operator(Method::GET, &format!("/admin/events/{made}/audit")).send().await;
    let audit = audit.ok(200);
    assert_eq!(audit["ok"], true, "{audit}");
    assert!(audit["invariants"].as_array().is_some_and(|all| !all.is_empty()));
}
