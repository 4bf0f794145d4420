//! Events moved to a later version of their hall's plan.

use std::sync::Arc;

use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio::task::JoinSet;

use super::box_office::{BoxOffice, event_form};
use super::client::Answer;
use super::halls::{general, rows, seated};
use super::rows::Rows;
use super::venues::pretix_form;

impl BoxOffice {
    pub(super) async fn move_to(&self, body: &Value) -> Answer {
        self.operator(Method::PATCH, "/admin/events/noche").json(body).send().await
    }

    async fn states(&self) -> Vec<u8> {
        let map = self.anyone(Method::GET, "/events/noche/availability").send().await.ok(200);
        STANDARD.decode(map["seats"].as_str().expect("text")).expect("base64")
    }

    async fn is_sound(&self) {
        let audit = self.operator(Method::GET, "/admin/events/noche/audit").send().await.ok(200);
        assert_eq!(audit["ok"], true, "{audit}");
    }

    /// `A` without `A-2-4`, `B` without all of it, `C` new, `FLOOR` larger.
    async fn second_version(&self) {
        let plan = rows(&[seated("A", &[4, 3]), general("FLOOR", 12), seated("C", &[2, 3])]);
        self.add_plan(&json!({"plan": plan})).await.ok(201);
    }
}

fn second() -> Value {
    json!({"plan_version": 2, "section_tiers": {"C": "silver"}, "reason": "a new stand"})
}

async fn database(name: &str) -> DatabaseSettings {
    scratch::shared().await.migrated_database(name).await.expect("a database")
}

async fn over(settings: &DatabaseSettings) -> BoxOffice {
    BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await
}

#[tokio::test]
async fn a_plan_that_lacks_a_sold_or_held_seat_is_refused_by_name_and_nothing_is_done() {
    let settings = database("move_refused").await;
    let (office, looks) = (over(&settings).await, Rows::of(&settings).await);
    let event = office.create_event(&event_form()).await;
    office.second_version().await;
    office.sold("ana", &event, &["A-2-4", "A-1-1"]).await;
    office.hold("bob", "k", &event, &["B-1-2"]).send().await.ok(201);
    let rows = "SELECT md5(string_agg(h::text, '')) || (SELECT md5(string_agg(s::text, '' ORDER BY \
                seat_key)) FROM seats s) || (SELECT count(*) FROM operator_actions) FROM event_heads h";
    let before: String = looks.one(rows).await;

    let refused = office.move_to(&second()).await.problem(409, "conflicts-with-sales");

    assert_eq!(refused["seats"], json!(["A-2-4", "B-1-2"]));
    assert_eq!([&refused["sold"], &refused["held"], &refused["asked"]], [1, 1, 3]);
    assert_eq!(looks.one::<String>(rows).await, before, "not even its owner was fenced");
    let fewer = office.add_plan(&json!({"plan": rows_without_floor()})).await.ok(201);
    assert_eq!(fewer["plan_version"], 3);
    let floor = json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": 2}]});
    office.buyer("eva", Method::POST, "/holds").key("k").json(&floor).send().await.ok(201);
    let refused = office.move_to(&json!({"plan_version": 3})).await;
    let refused = refused.problem(409, "conflicts-with-sales");
    assert_eq!(refused["seats"], json!([]));
    let expected = json!([{"section": "FLOOR", "sold": 0, "held": 2, "asked": 0}]);
    assert_eq!((&refused["held"], &refused["sections"]), (&json!(2), &expected));
    office.hold("ida", "k", &event, &["A-1-2"]).send().await.ok(201);
    office.is_sound().await;
}

fn rows_without_floor() -> Value {
    rows(&[seated("A", &[4, 4]), seated("B", &[2])])
}

#[tokio::test]
async fn an_event_moves_and_everything_that_was_stays() {
    let settings = database("move").await;
    let (office, looks) = (over(&settings).await, Rows::of(&settings).await);
    let event = office.create_event(&event_form()).await;
    office.second_version().await;
    let order = office.sold("ana", &event, &["A-1-1"]).await;
    let held = office.hold("bob", "k", &event, &["A-2-1"]).send().await.ok(201);
    let map = office.anyone(Method::GET, "/events/noche/seatmap").send().await;
    let (tag, map) = (map.header("etag").expect("a tag").to_owned(), map.ok(200));
    let free = office.anyone(Method::GET, "/events/noche/availability").send().await.ok(200);

    let unpriced = office.move_to(&json!({"plan_version": 2})).await;
    assert_eq!(unpriced.pointers(), ["/section_tiers/C"]);
    let wrong = json!({"plan_version": 2, "section_tiers": {"C": "bronze", "A": "gold"}});
    assert_eq!(office.move_to(&wrong).await.pointers(), ["/section_tiers/A", "/section_tiers/C"]);
    let moved = office.move_to(&second()).await.ok(200);

    assert_eq!((&moved["hall"], &moved["plan_version"]), (&json!("main"), &json!(2)));
    let sections: Vec<_> = moved["sections"]
        .as_array()
        .expect("sections")
        .iter()
        .map(|it| {
            (
                it["section"].as_str().expect("a name"),
                it["capacity"].as_u64(),
                it["price_from"]["amount"].as_u64(),
            )
        })
        .collect();
    let expected =
        [("A", Some(7), Some(9000)), ("FLOOR", Some(12), Some(0)), ("C", Some(5), Some(4500))];
    assert_eq!(sections, expected);
    let now = office.anyone(Method::GET, "/events/noche/seatmap").send().await;
    assert_ne!(now.header("etag"), Some(tag.as_str()));
    let now = now.ok(200);
    let labels = |map: &Value| {
        let seats = map["seats"].as_array().expect("seats").iter();
        seats.map(|seat| seat["label"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(labels(&now)[..10], labels(&map)[..], "indexes stay");
    assert_eq!(labels(&now)[10], "C-1-1");
    assert_eq!((&now["seats"][7]["dropped"], now["seats"][6].get("dropped")), (&json!(true), None));
    // A-1-1 sold, A-2-1 held, A-2-4 and all of B blocked, five new ones free.
    assert_eq!(office.states().await, [0b10, 0b11_00_00_01, 0b11_11, 0]);
    let since = format!("/events/noche/availability?since={}", free["version"]);
    let whole = office.anyone(Method::GET, &since).send().await.ok(200);
    assert!(whole["seats"].is_string(), "what was before is told by no changes: {whole}");

    // What was decided before stands, and is told again.
    assert!(office.hold("bob", "k", &event, &["A-2-1"]).send().await.is_replay());
    assert!(office.hold("ana", "A-1-1", &event, &["A-1-1"]).send().await.is_replay());
    let path = format!("/orders/{}/tickets", order["order_id"].as_str().expect("an id"));
    let tickets = office.read("ana", &path).send().await.ok(200);
    assert_eq!((&tickets[0]["seat"], &tickets[0]["status"]), (&json!("A-1-1"), &json!("valid")));
    let order = office.order("bob", "o", &held["hold_id"]).send().await.ok(201);
    office.pay("bob", "p", &order["order_id"], "sim_ok").send().await.ok(202);
    // What is new sells, and what is gone does not.
    let hold = office.hold("eva", "k", &event, &["C-2-3"]).send().await.ok(201);
    assert_eq!(hold["items"][0]["unit_price"]["amount"], 4500);
    let gone = office.hold("ida", "k", &event, &["A-2-4", "C-1-1"]).send().await;
    assert_eq!(gone.problem(409, "seats-unavailable")["seats"], json!(["A-2-4"]));
    let blocks = office.operator(Method::POST, "/admin/events/noche/blocks");
    let blocks = blocks.json(&json!({"unblock": ["A-2-4", "A-1-4"]})).send().await;
    let told = blocks.problem(400, "malformed-request");
    assert!(told.to_string().contains("A-2-4") && !told.to_string().contains("A-1-4"), "{told}");
    let trail = "SELECT who || ' ' || why || ' ' || (detail->>'plan_version') FROM operator_actions \
                  WHERE what = 'move_event' AND event_no IS NOT NULL";
    assert_eq!(looks.one::<String>(trail).await, "olga a new stand 2");
    office.is_sound().await;

    // Asked again it is so already; and back there is no way but a new version.
    office.move_to(&second()).await.ok(200);
    assert_eq!(office.move_to(&json!({"plan_version": 1})).await.pointers(), ["/plan_version"]);
    assert_eq!(office.move_to(&json!({"plan_version": 9})).await.pointers(), ["/plan_version"]);
    let more = json!({"plan_version": 2, "name": "Dia"});
    assert_eq!(office.move_to(&more).await.pointers(), ["/name"]);
    assert_eq!(
        looks.one::<i64>("SELECT count(*) FROM operator_actions WHERE what = 'move_event'").await,
        1
    );

    // Another process reads what this one has left.
    office.app.node.stop().await;
    let office = over(&settings).await;
    office.hold("uma", "k", &event, &["C-1-1", "A-2-3"]).send().await.ok(201);
    office.is_sound().await;
}

#[tokio::test]
async fn a_seat_that_comes_back_is_for_sale_at_its_old_index() {
    let (office, event) = BoxOffice::open("move_back").await;
    office.second_version().await;
    office.move_to(&second()).await.ok(200);
    let third = rows(&[seated("A", &[4, 4]), seated("B", &[1]), general("FLOOR", 12)]);
    office.add_plan(&json!({"plan": third})).await.ok(201);
    let moved = office.move_to(&json!({"plan_version": 3})).await.ok(200);
    let names = moved["sections"].as_array().expect("sections").iter();
    let names: Vec<_> = names.map(|it| it["section"].as_str().expect("a name")).collect();
    assert_eq!(names, ["A", "B", "FLOOR"]);
    office.hold("ana", "k", &event, &["A-2-4", "B-1-1"]).send().await.ok(201);
    let gone = office.hold("bob", "k", &event, &["B-1-2", "C-1-1"]).send().await;
    assert_eq!(gone.problem(409, "seats-unavailable")["seats"], json!(["B-1-2", "C-1-1"]));
    office.is_sound().await;
    // An event that begins with this version has what it drops blocked from the start.
    let mut form = event_form();
    form["slug"] = json!("dia");
    let dia = office.create_event(&form).await;
    let gone = office.hold("ana", "k2", &dia, &["C-1-1", "A-1-1"]).send().await;
    assert_eq!(gone.problem(409, "seats-unavailable")["seats"], json!(["C-1-1"]));
    office.hold("ana", "k3", &dia, &["B-1-1"]).send().await.ok(201);
    let audit = office.operator(Method::GET, "/admin/events/dia/audit").send().await.ok(200);
    assert_eq!(audit["ok"], true, "{audit}");
}

#[tokio::test]
async fn a_seat_may_get_another_category_which_needs_a_tier_where_it_is_new() {
    let office = BoxOffice::empty("move_category").await;
    let venue = office.operator(Method::POST, "/admin/venues").json(&pretix_form()).send().await;
    let mut form = event_form();
    form["venue_id"] = venue.ok(201)["venue_id"].clone();
    form["section_tiers"] = json!({"FLOOR": "free"});
    form["category_tiers"] = json!({"Box": "gold", "Stalls": "silver"});
    let event = office.operator(Method::POST, "/admin/events").json(&form).send().await.ok(201);
    let event = event["event_id"].as_str().expect("an id");
    let order = office.sold("ana", event, &["A-2"]).await;
    let mut plan = pretix_form()["plan"].clone();
    plan["layout"]["categories"] = json!([{"name": "Lounge"}, {"name": "Stalls"}, {"name": "Box"}]);
    let seats = &mut plan["layout"]["zones"][0]["rows"][0]["seats"];
    seats[1]["category"] = json!("Lounge");
    seats[2]["category"] = json!("Box");
    office.add_plan(&json!({"plan": plan})).await.ok(201);

    let unpriced = office.move_to(&json!({"plan_version": 2})).await;
    assert_eq!(unpriced.pointers(), ["/category_tiers/Lounge"]);
    let priced = json!({"plan_version": 2, "category_tiers": {"Lounge": "free"}});
    let moved = office.move_to(&priced).await.ok(200);

    assert_eq!(moved["from_price"]["amount"], 0);
    let map = office.anyone(Method::GET, "/events/noche/seatmap").send().await.ok(200);
    let tiers: Vec<_> =
        map["seats"].as_array().expect("seats").iter().map(|it| &it["tier"]).collect();
    assert_eq!(tiers, ["gold", "free", "gold", "silver"]);
    let path = format!("/orders/{}", order["order_id"].as_str().expect("an id"));
    let shown = office.read("ana", &path).send().await.ok(200);
    assert_eq!(shown["items"][0]["unit_price"], order["items"][0]["unit_price"]);
    let hold = office.hold("bob", "k", event, &["Ö-3"]).send().await.ok(201);
    assert_eq!(hold["items"][0]["unit_price"]["amount"], 9000);
    office.is_sound().await;
}

/// Either somebody has the seat, and the event did not move; or it has moved, and nobody has it.
#[tokio::test]
async fn a_hold_and_a_move_that_would_drop_its_seat_never_both_succeed() {
    let (office, event) = BoxOffice::open("move_race").await;
    let office = Arc::new(office);
    for round in 0..6_u32 {
        // Every second version lacks the seat.
        let last = seated("A", &[4, 4 - round % 2]);
        let plan = rows(&[last, seated("B", &[2]), general("FLOOR", 10)]);
        let made = office.add_plan(&json!({"plan": plan})).await.ok(201);
        let version = made["plan_version"].clone();
        let mut at_once = JoinSet::new();
        for buyer in 0..8 {
            let (office, event) = (Arc::clone(&office), event.clone());
            let key = format!("k{round}");
            at_once.spawn(async move {
                let buyer = format!("buyer-{buyer}");
                let hold = office.hold(&buyer, &key, &event, &["A-2-4"]).send().await;
                match hold.status.as_u16() {
                    201 => Some((buyer, hold.json()["hold_id"].clone())),
                    409 | 503 => None,
                    other => panic!("{other}: {hold:?}"),
                }
            });
        }
        let moved = office.move_to(&json!({"plan_version": version})).await;
        let had: Vec<_> = at_once.join_all().await.into_iter().flatten().collect();
        let is_held = {
            let mut held = false;
            for (buyer, hold) in &had {
                let path = format!("/holds/{}", hold.as_str().expect("an id"));
                held |= office.read(buyer, &path).send().await.ok(200)["status"] == "active";
            }
            held
        };
        match moved.status.as_u16() {
            200 => assert!(round % 2 == 0 || !is_held, "round {round}"),
            409 => assert!(round % 2 == 1 && moved.json()["seats"] == json!(["A-2-4"])),
            503 => {}
            other => panic!("{other}: {moved:?}"),
        }
        office.is_sound().await;
        for (buyer, hold) in had {
            let path = format!("/holds/{}", hold.as_str().expect("an id"));
            office.buyer(&buyer, Method::DELETE, &path).send().await;
        }
    }
}

/// The move fails in the middle; its owner is made anew, and sells.
#[tokio::test]
async fn a_move_that_fails_leaves_the_event_as_it_was_and_for_sale() {
    let settings = database("move_fails").await;
    let (office, looks) = (over(&settings).await, Rows::of(&settings).await);
    let event = office.create_event(&event_form()).await;
    office.second_version().await;
    looks.change("CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$; \
                  CREATE TRIGGER no BEFORE INSERT ON operator_actions FOR EACH ROW EXECUTE FUNCTION no()").await;
    let failed = office.move_to(&second()).await;
    assert!(failed.status.is_server_error(), "{failed:?}");
    // Whoever asks while the owner is made anew may learn that it is not known yet, and asks again.
    let held = async || office.hold("ana", "k", &event, &["A-2-4", "B-1-1"]).send().await;
    let mut answer = held().await;
    while answer.status == 503 {
        answer = held().await;
    }
    answer.ok(201);
    office.is_sound().await;
    looks.change("DROP TRIGGER no ON operator_actions").await;
    let refused = office.move_to(&second()).await.problem(409, "conflicts-with-sales");
    assert_eq!(refused["seats"], json!(["A-2-4", "B-1-1"]));
    // Over by the clock, held by its row: whoever owns the event writes it down, and the move goes on.
    looks.change("UPDATE holds SET expires_at = clock_timestamp()").await;
    office.app.node.reopen(taquilla_engine::id::EventNumber(1));
    office.move_to(&second()).await.ok(200);
    office.is_sound().await;
}

#[tokio::test]
async fn two_operators_who_move_an_event_at_once_move_it_once() {
    let settings = database("move_twice").await;
    let (office, looks) = (over(&settings).await, Rows::of(&settings).await);
    office.create_event(&event_form()).await;
    office.second_version().await;
    let both = [second(), second()];
    let (one, two) = tokio::join!(office.move_to(&both[0]), office.move_to(&both[1]));
    assert_eq!([one.ok(200)["plan_version"].clone(), two.ok(200)["plan_version"].clone()], [2, 2]);
    let rows = "SELECT count(*) FROM operator_actions WHERE what = 'move_event'";
    assert_eq!(looks.one::<i64>(rows).await, 1);
    office.is_sound().await;
}

#[tokio::test]
async fn a_cancelled_event_moves_nowhere() {
    let (office, _) = BoxOffice::open("move_cancelled").await;
    office.second_version().await;
    let cancel = office.operator(Method::POST, "/admin/events/noche/cancel");
    cancel.json(&json!({"reason": "rain"})).send().await;
    let refused = office.move_to(&second()).await.problem(409, "sale-not-open");
    assert_eq!(refused["sale_status"], "cancelled");
}
