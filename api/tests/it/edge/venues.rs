//! Venues with plans of their own: made, sold, listed.

use axum::http::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::box_office::{BoxOffice, event_form, venue_form};
use super::client::{Answer, Call};

async fn make(office: &BoxOffice, what: &str, form: &Value) -> Answer {
    office.operator(Method::POST, &format!("/admin/{what}")).json(form).send().await
}

/// Zone `A` with two boxes and two stalls, zone `B` with a stall for a wheelchair, and a floor.
pub(super) fn pretix_form() -> Value {
    let seat = |label: &str, x: u32, category: &str, wheelchair: bool| {
        json!({"seat_guid": label, "seat_number": label[2..], "category": category,
               "position": {"x": x, "y": 0}, "wheelchair": wheelchair})
    };
    let zone = |name: &str, seats: Value| json!({"name": name, "position": {"x": 0, "y": 5}, "rows": [{"row_number": "1", "seats": seats}]});
    let mut form = venue_form();
    form["plan"] = json!({
        "format": "pretix",
        "layout": {"name": "Hall", "categories": [{"name": "Box"}, {"name": "Stalls"}], "zones": [
            zone("A", json!([seat("A-1", 1, "Box", false), seat("A-2", 2, "Box", false),
                             seat("Ö-3", 3, "Stalls", false)])),
            zone("B", json!([seat("B-1", 9, "Stalls", true)]))]},
        "general": [{"section": "FLOOR", "capacity": 10}],
    });
    form
}

#[tokio::test]
async fn a_pretix_plan_is_sold_by_category() {
    let office = BoxOffice::empty("pretix").await;
    let venue = make(&office, "venues", &pretix_form()).await.ok(201);
    let section = |name: &str, kind: &str, capacity: u32| json!({"section": name, "kind": kind, "capacity": capacity});
    let sections = json!([
        section("A", "seated", 3),
        section("B", "seated", 1),
        section("FLOOR", "general", 10)
    ]);
    assert_eq!((&venue["capacity"], &venue["sections"]), (&json!(14), &sections));

    let mut form = event_form();
    form["venue_id"] = venue["venue_id"].clone();
    form["section_tiers"] = json!({"FLOOR": "free"});
    form["category_tiers"] = json!({"Box": "gold", "Stalls": "silver"});
    let event = make(&office, "events", &form).await.ok(201);
    let price = |place: usize| event["sections"][place]["price_from"]["amount"].clone();
    assert_eq!([price(0), price(1), price(2)], [json!(4500), json!(4500), json!(0)]);

    let map = office.anyone(Method::GET, "/events/noche/seatmap").send().await.ok(200);
    let tiers: Vec<_> =
        map["seats"].as_array().expect("seats").iter().map(|it| &it["tier"]).collect();
    assert_eq!(tiers, ["gold", "gold", "silver", "silver"]);
    let last = json!({"label": "B-1", "section": "B", "row": "1", "seat": "1", "x": 9.0, "y": 5.0,
                      "tier": "silver", "accessible": true});
    assert_eq!(map["seats"][3], last);

    // Composed otherwise it is the same seat; the answer has it as the plan does.
    let event = event["event_id"].as_str().expect("an id");
    let hold = office.hold("ana", "k", event, &["A-1", "O\u{308}-3"]).send().await.ok(201);
    let item = |place: usize| {
        let item = &hold["items"][place];
        (item["seat"].clone(), item["tier"].clone(), item["unit_price"]["amount"].clone())
    };
    assert_eq!(item(0), (json!("A-1"), json!("gold"), json!(9000)));
    assert_eq!(item(1), (json!("Ö-3"), json!("silver"), json!(4500)));
    // An order is read from its rows: each seat with its own tier again.
    let body = json!({"hold_id": hold["hold_id"]});
    let order =
        office.buyer("ana", Method::POST, "/orders").key("o").json(&body).send().await.ok(201);
    assert_eq!(order["items"], hold["items"]);
}

#[tokio::test]
async fn a_sections_own_tier_wins_over_its_categories() {
    let office = BoxOffice::empty("precedence").await;
    let mut form = event_form();
    form["venue_id"] = make(&office, "venues", &pretix_form()).await.ok(201)["venue_id"].clone();
    form["section_tiers"] = json!({"A": "silver", "FLOOR": "free"});
    form["category_tiers"] = json!({"Stalls": "gold"});
    make(&office, "events", &form).await.ok(201);
    let map = office.anyone(Method::GET, "/events/noche/seatmap").send().await.ok(200);
    let tiers: Vec<_> =
        map["seats"].as_array().expect("seats").iter().map(|it| &it["tier"]).collect();
    // Boxes occur only in A, which has a tier of its own; so they need none.
    assert_eq!(tiers, ["silver", "silver", "silver", "gold"]);
}

#[tokio::test]
async fn every_category_needs_a_tier_and_all_without_are_named() {
    let office = BoxOffice::empty("category_tiers").await;
    let mut form = event_form();
    form["venue_id"] = make(&office, "venues", &pretix_form()).await.ok(201)["venue_id"].clone();
    form["section_tiers"] = json!({});
    form["category_tiers"] = json!({"Attic": "gold", "Box": "bronze"});
    let pointers = make(&office, "events", &form).await.pointers();
    let expected = [
        "/category_tiers/Attic",
        "/category_tiers/Box",
        "/section_tiers/FLOOR",
        "/category_tiers/Stalls",
    ];
    assert_eq!(pointers, expected);
}

#[tokio::test]
async fn defects_of_a_layout_are_422_and_errors_of_the_form_400() {
    let office = BoxOffice::empty("layouts").await;
    let mut form = pretix_form();
    form["plan"]["layout"]["zones"][0]["rows"][0]["seats"][1]["seat_guid"] = json!("A-1");
    form["plan"]["layout"]["zones"][1]["position"] = json!("left");
    let problem = make(&office, "venues", &form).await.problem(422, "plan-invalid");
    let places: Vec<_> =
        problem["defects"].as_array().expect("defects").iter().map(|it| &it["where"]).collect();
    let expected = [
        "/plan/layout/zones/1/position",
        "/plan/layout/zones/0/rows/0/seats/0/seat_guid",
        "/plan/layout/zones/0/rows/0/seats/1/seat_guid",
    ];
    assert_eq!(places, expected);
    form["plan"]["general"][0]["capacity"] = json!("many");
    form["plan"]["general"][0]["color"] = json!("red");
    form["plan"]["sections"] = json!([]);
    form["opened"] = json!(1929);
    let pointers = make(&office, "venues", &form).await.pointers();
    let expected =
        ["/opened", "/plan/sections", "/plan/general/0/color", "/plan/general/0/capacity"];
    assert_eq!(pointers, expected);
}

#[tokio::test]
async fn venues_are_listed_newest_first_with_their_sections() {
    let office = BoxOffice::empty("venue_list").await;
    for slug in ["uno", "dos", "tres"] {
        let mut form = if slug == "tres" { pretix_form() } else { venue_form() };
        form["slug"] = json!(slug);
        make(&office, "venues", &form).await.ok(201);
    }
    let list = async |query: &str| {
        office.operator(Method::GET, &format!("/admin/venues{query}")).send().await.ok(200)
    };
    let first = list("?limit=2").await;
    let slugs = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().expect("items");
        items.iter().map(|item| item["slug"].as_str().expect("a slug").to_owned()).collect()
    };
    assert_eq!(slugs(&first), ["tres", "dos"]);
    let newest = &first["items"][0];
    assert_eq!((&newest["capacity"], &newest["sections"][1]["section"]), (&json!(14), &json!("B")));
    assert_eq!(
        (&newest["city"], &newest["categories"]),
        (&json!("Sevilla"), &json!(["Box", "Stalls"]))
    );
    let cursor = first["next_cursor"].as_str().expect("a cursor");
    let second = list(&format!("?limit=2&cursor={cursor}")).await;
    assert_eq!((slugs(&second), &second["next_cursor"]), (vec!["uno".into()], &Value::Null));
    office.buyer("ana", Method::GET, "/admin/venues").send().await.problem(403, "forbidden");
    let wrong = office.operator(Method::GET, "/admin/venues?cursor=x").send().await;
    assert_eq!(wrong.pointers(), ["?cursor"]);
}

#[tokio::test]
async fn plans_are_read_one_after_the_other_and_only_a_few_may_wait() {
    let office = BoxOffice::empty("plan_turns").await;
    let (front, token) = (office.front(), office.token("olga", "operator"));
    let mut operators = JoinSet::new();
    for _ in 0..9 {
        let call = Call::new(front.clone(), Method::POST, "/admin/venues").bearer(&token);
        operators.spawn(call.header("content-type", "application/json").stuck().send());
    }
    let first = operators.join_next().await.expect("one is turned away").expect("an answer");
    first.problem(503, "overloaded");
    // Those who left have left their places, too.
    operators.shutdown().await;
    let call = Call::new(front, Method::POST, "/admin/venues").bearer(&token);
    call.json(&venue_form()).send().await.ok(201);
}
