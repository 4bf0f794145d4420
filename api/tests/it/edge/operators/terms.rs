//! A living event's terms changed.

use serde_json::{Value, json};

use crate::edge::box_office::BoxOffice;

/// Case 13 of the reported faults.
#[tokio::test]
async fn a_capacity_below_what_is_sold_and_held_is_refused_with_the_numbers() {
    let (office, event) = BoxOffice::open("op_capacity").await;
    let sold = office.places("ana", "k", &event, 3).send().await.ok(201);
    // The floor is free: its order is confirmed at once.
    office.order("ana", "o", &sold["hold_id"]).send().await.ok(201);
    office.places("eva", "k", &event, 2).send().await.ok(201);
    let capacity = |capacity: u32| json!({"general": [{"section": "FLOOR", "capacity": capacity}]});
    let problem = office.change(&event, &capacity(4)).send().await;
    let problem = problem.problem(409, "conflicts-with-sales");
    let numbers = ["sold", "held", "asked"].map(|name| problem[name].as_u64());
    assert_eq!(numbers, [Some(3), Some(2), Some(4)]);
    let floor = json!([{"section": "FLOOR", "sold": 3, "held": 2, "asked": 4}]);
    assert_eq!((&problem["sections"], &problem["seats"]), (&floor, &json!([])));
    let detail = problem["detail"].as_str().expect("text");
    assert!(detail.contains("FLOOR has 3 sold and 2 held, and was to have 4"), "{detail}");
    assert_eq!(office.shown(&event).await["sections"][2]["capacity"], 10, "nothing was done");

    let lowered = office.change(&event, &capacity(5)).send().await.ok(200);
    assert_eq!(lowered["sections"][2]["capacity"], 5);
    let refused = office.places("ida", "k", &event, 1).send().await;
    assert_eq!(refused.problem(409, "seats-unavailable")["sections"], json!(["FLOOR"]));
    office.change(&event, &capacity(12)).send().await.ok(200);
    office.places("ida", "k2", &event, 4).send().await.ok(201);
    assert_eq!(office.shown(&event).await["sections"][2]["capacity"], 12);
    let map = office.anyone(axum::http::Method::GET, &format!("/events/{event}/seatmap"));
    assert_eq!(map.send().await.ok(200)["sections"][2]["capacity"], 12);
    office.audit_is_green(&event).await;
}

#[tokio::test]
async fn everything_that_may_change_of_an_event_changes_and_the_rest_stays() {
    let (office, event) = BoxOffice::open("op_patch").await;
    let before = office.shown(&event).await;
    let hold = office.hold("ana", "k", &event, &["A-1-1", "A-1-2"]).send().await.ok(201);
    let patch = json!({
        "name": "Otra noche", "description": "Cambiada.", "category": "pop", "conditions": "c",
        "artists": ["Eva", "Ana"], "starts_at": "2099-07-01T19:00:00Z",
        "sale": {"closes_at": "2099-06-30T00:00:00Z", "hold_ttl_seconds": 60,
                 "max_seats_per_buyer": 1, "verifying_extension_seconds": 5},
        "price_tiers": [{"tier": "gold", "amount": 9900}, {"tier": "silver", "amount": 4500},
                        {"tier": "free", "amount": 0}],
        "general": [{"section": "FLOOR", "capacity": 7}]});
    let after = office.change(&event, &patch).send().await.ok(200);
    assert_eq!(after["name"], "Otra noche");
    assert_eq!((&after["category"], &after["conditions"]), (&json!("pop"), &json!("c")));
    let names: Vec<&Value> =
        after["artists"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["Eva", "Ana"]);
    assert_eq!(after["artists"][1]["artist_id"], before["artists"][0]["artist_id"]);
    assert_eq!(after["starts_at"], "2099-07-01T19:00:00Z");
    let sale = &after["sale"];
    assert_eq!((&sale["hold_ttl_seconds"], &sale["max_seats_per_buyer"]), (&json!(60), &json!(1)));
    assert_eq!(sale["opens_at"], before["sale"]["opens_at"]);
    assert_eq!(after["price_tiers"][0]["price"]["amount"], 9900);
    for same in ["slug", "fees", "venue", "timezone"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    let list = office.anyone(axum::http::Method::GET, "/events?category=pop").send().await.ok(200);
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1), "listed once, at its new place");

    // What buyers have they keep: seats above the limit, prices, time.
    let path = format!("/holds/{}", hold["hold_id"].as_str().expect("an id"));
    let kept = office.read("ana", &path).send().await.ok(200);
    for same in ["items", "total", "expires_at"] {
        assert_eq!(kept[same], hold[same], "{same}");
    }
    let refused = office.hold("ana", "k2", &event, &["A-1-3"]).send().await;
    let refused = refused.problem(409, "buyer-limit-exceeded");
    assert_eq!((&refused["limit"], &refused["held"]), (&json!(1), &json!(2)));
    let new = office.hold("eva", "k", &event, &["A-1-3"]).send().await.ok(201);
    assert_eq!(new["items"][0]["unit_price"]["amount"], 9900);
    assert!(new["expires_in_seconds"].as_u64().is_some_and(|left| left <= 60));
    office.audit_is_green(&event).await;
}

#[tokio::test]
async fn everything_wrong_with_a_change_is_named_and_nothing_is_changed() {
    let (office, event) = BoxOffice::open("op_patch_form").await;
    let before = office.shown(&event).await;
    let wrong = async |patch: Value| office.change(&event, &patch).send().await.pointers();
    assert_eq!(wrong(json!({})).await, [""]);
    assert_eq!(wrong(json!({"sale": {}})).await, [""]);
    assert_eq!(wrong(json!({"reason": "why not"})).await, [""]);
    assert_eq!(wrong(json!({"slug": "otra"})).await, ["/slug"]);
    assert_eq!(wrong(json!({"currency": "USD"})).await, ["/currency"]);
    assert_eq!(wrong(json!({"sale": {"paused": true}})).await, ["/sale/paused"]);
    assert_eq!(wrong(json!({"general": []})).await, ["/general"]);
    let many = json!({
        "name": "", "category": "a\u{0}", "artists": ["Ana", "ANA"],
        "sale": {"hold_ttl_seconds": 0, "max_seats_per_buyer": 1001},
        "price_tiers": [{"tier": "gold", "amount": 1}, {"tier": "gold", "amount": 1}],
        "general": [{"section": "A", "capacity": 1}, {"section": "FLOOR", "capacity": 1_000_001},
                    {"section": "FLOOR", "capacity": 1}]});
    let expected = [
        "/name",
        "/category",
        "/artists/1",
        "/sale/hold_ttl_seconds",
        "/sale/max_seats_per_buyer",
        "/price_tiers/1",
        "/general/1/capacity",
        "/general/2/section",
    ];
    assert_eq!(wrong(many.clone()).await, expected, "what the form says by itself");
    let nowhere = office.change("nowhere", &many).send().await;
    assert_eq!(nowhere.pointers(), expected, "before the event is looked for");
    let sections = json!({"general": [{"section": "A", "capacity": 1}, {"section": "FLOOR", "capacity": 1},
        {"section": "LAWN", "capacity": 1}]});
    assert_eq!(wrong(sections.clone()).await, ["/general/0/section", "/general/2/section"]);
    office.change("nowhere", &sections).send().await.problem(404, "not-found");

    let closes_first = json!({"sale": {"closes_at": "2000-01-01T00:00:00Z"}});
    assert_eq!(wrong(closes_first).await, ["/sale/closes_at"]);
    let dropped = json!({"price_tiers": [{"tier": "gold", "amount": 1}]});
    assert_eq!(wrong(dropped.clone()).await, ["/price_tiers", "/price_tiers"]);
    let problem = office.change(&event, &dropped).send().await.json();
    let detail = problem["errors"][0]["detail"].as_str().expect("text");
    assert!(detail.contains("silver, at which B is sold"), "{detail}");
    let unknown = json!({"price_tiers": [{"tier": "gold", "amount": 1}, {"tier": "bronze", "amount": 1},
        {"tier": "silver", "amount": 1}, {"tier": "free", "amount": 1}]});
    assert_eq!(wrong(unknown).await, ["/price_tiers"]);

    office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let put_off = json!({"name": "Otra", "sale": {"opens_at": "2098-01-01T00:00:00Z"}});
    let problem = office.change(&event, &put_off).send().await;
    let problem = problem.problem(409, "conflicts-with-sales");
    assert_eq!((&problem["sold"], &problem["held"]), (&json!(0), &json!(1)));
    let after = office.shown(&event).await;
    for same in ["name", "sale", "price_tiers", "artists"] {
        assert_eq!(after[same]["opens_at"], before[same]["opens_at"], "{same}");
    }
    assert_eq!(after["name"], before["name"]);
}
