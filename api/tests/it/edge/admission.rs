//! How many are let in: what operators see and set of it, what follows a purchase, and what goes on while the
//! line's own rows cannot be read.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_api::EdgeSettings;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;

use super::box_office::{BoxOffice, event_form};
use super::queue::{FAR_OFF, LONG_AGO, QUEUE, with};
use super::rows::Rows;

pub(super) const ADMISSION: &str = "/admin/events/noche/admission";
/// The line moves once a second.
pub(super) const SOON: Duration = Duration::from_secs(20);

impl BoxOffice {
    async fn admission(&self) -> Value {
        self.operator(Method::GET, ADMISSION).send().await.ok(200)
    }

    /// The admission, once this is so.
    async fn admission_once(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let mut look = tokio::time::interval(Duration::from_millis(50));
        let looks = async {
            loop {
                look.tick().await;
                let admission = self.admission().await;
                if is_so(&admission) {
                    return admission;
                }
            }
        };
        tokio::time::timeout(SOON, looks).await.expect("it is so within seconds")
    }
}

#[tokio::test]
async fn an_operator_sees_why_no_more_are_let_in_and_stops_the_line_and_lets_it_go_on() {
    let (office, event) = BoxOffice::with_a_room("admission", LONG_AGO).await;
    office.join("ana").send().await.ok(201);
    let seen = office.admission_once(|it| it["rate_per_second"].as_f64() > Some(0.0)).await;
    for word in ["limited_by", "why", "as_of"] {
        assert!(seen[word].as_str().is_some_and(|it| !it.is_empty()), "{seen}");
    }
    for signal in ["commit_ms", "decision_ms", "payment_ms", "payments_in_flight", "open_holds"] {
        assert!(seen["signals"][signal].is_number(), "{signal} of {seen}");
    }
    office.admitted("ana").await;

    let stop = json!({"paused": true, "ceiling_per_second": 5, "reason": "the doors are shut"});
    let stopped = office.operator(Method::PATCH, ADMISSION).json(&stop).send().await.ok(200);
    assert_eq!((&stopped["paused"], &stopped["ceiling_per_second"]), (&json!(true), &json!(5.0)));
    let stopped = office.admission_once(|it| it["limited_by"] == "paused").await;
    assert_eq!(stopped["rate_per_second"], 0.0);
    let eva = office.join("eva").send().await.ok(201);
    assert_eq!(eva["state"], "waiting", "nobody new is let in");
    let serving = office.anyone(Method::GET, &format!("{QUEUE}/now-serving")).send().await.ok(200);
    assert_eq!((&serving["state"], &serving["served"]), (&json!("stopped"), &json!(1)));
    assert_eq!(office.place("ana").await["state"], "admitted", "who is inside goes on");

    let go_on = json!({"paused": false, "ceiling_per_second": null});
    let open = office.operator(Method::PATCH, ADMISSION).json(&go_on).send().await.ok(200);
    assert_eq!((&open["paused"], &open["ceiling_per_second"]), (&json!(false), &Value::Null));
    office.admitted("eva").await;

    let trail = format!("/admin/actions?event_id={event}");
    let trail = office.operator(Method::GET, &trail).send().await.ok(200);
    let of_it = |item: &&Value| item["what"] == "change_admission";
    let deeds: Vec<&Value> =
        trail["items"].as_array().expect("items").iter().filter(of_it).collect();
    assert_eq!(deeds.len(), 2, "{trail}");
    assert_eq!(deeds[1]["why"], "the doors are shut");
    assert_eq!(deeds[1]["detail"], json!({"paused": true, "ceiling_per_second": 5}));
}

#[tokio::test]
async fn what_makes_no_sense_of_an_admission_is_named() {
    let (office, _) = BoxOffice::with_a_room("admission_forms", FAR_OFF).await;
    let refused = [
        (json!({}), ""),
        (json!({"reason": "why not"}), ""),
        (json!({"ceiling_per_second": 100_001}), "/ceiling_per_second"),
        (json!({"ceiling_per_second": -1}), "/ceiling_per_second"),
        (json!({"paused": true, "rate": 5}), "/rate"),
    ];
    for (form, pointer) in refused {
        let answer = office.operator(Method::PATCH, ADMISSION).json(&form).send().await;
        assert_eq!(answer.pointers(), [pointer], "{form}");
    }
    let revoke = format!("{ADMISSION}/revoke");
    let blank = office.operator(Method::POST, &revoke).json(&json!({"reason": " "})).send().await;
    assert_eq!(blank.pointers(), ["/reason"]);
    office.buyer("ana", Method::GET, ADMISSION).send().await.problem(403, "forbidden");

    let (office, event) = BoxOffice::open("admission_none").await;
    let path = format!("/admin/events/{event}/admission");
    office.operator(Method::GET, &path).send().await.problem(404, "not-found");
    let pause = office.operator(Method::PATCH, &path).json(&json!({"paused": true}));
    pause.send().await.problem(404, "not-found");
}

#[tokio::test]
async fn a_revoked_token_is_worth_nothing_and_who_is_inside_is_given_another() {
    let (office, event) = BoxOffice::with_a_room("admission_revoked", LONG_AGO).await;
    office.join("ana").send().await.ok(201);
    let before = office.admitted("ana").await;
    let revoke = office.operator(Method::POST, &format!("{ADMISSION}/revoke"));
    let revoked = revoke.json(&json!({"reason": "leaked"})).send().await.ok(200);
    assert_eq!(revoked["round"], 2);
    let hold = || office.hold("ana", "k", &event, &["A-1-1"]);
    with(hold(), &before).send().await.problem(403, "admission-required");
    let after = office.place("ana").await;
    assert_ne!(after["admission_token"], before["admission_token"]);
    with(hold(), &after).send().await.ok(201);
}

#[tokio::test]
async fn who_leaves_holds_nothing_more_by_his_token_and_may_order_what_he_holds() {
    let (office, event) = BoxOffice::with_a_room("admission_left", LONG_AGO).await;
    office.join("ana").send().await.ok(201);
    let place = office.admitted("ana").await;
    let held = with(office.hold("ana", "k", &event, &["A-1-1"]), &place).send().await.ok(201);
    let other = with(office.hold("ana", "j", &event, &["A-1-3"]), &place).send().await.ok(201);
    office.buyer("ana", Method::DELETE, QUEUE).send().await.ok(204);
    office.admission_once(|it| it["signals"]["active"] == 0).await;
    let more = with(office.hold("ana", "l", &event, &["A-1-2"]), &place);
    more.send().await.problem(403, "admission-required");
    with(office.order("ana", "k", &held["hold_id"]), &place).send().await.ok(201);
    // Nor does it come to life again with another place.
    assert_eq!(office.join("ana").send().await.ok(201)["index"], 1);
    let more = with(office.hold("ana", "m", &event, &["A-1-2"]), &place);
    more.send().await.problem(403, "admission-required");
    let another = office.admitted("ana").await;
    with(office.hold("ana", "n", &event, &["A-1-2"]), &another).send().await.ok(201);
    // Who is inside orders what is his, whatever he held it by.
    with(office.order("ana", "j", &other["hold_id"]), &another).send().await.ok(201);
}

#[tokio::test]
async fn who_joins_once_the_operator_was_told_that_it_is_open_stands_behind() {
    let (office, event) = BoxOffice::with_a_room("admission_opened", FAR_OFF).await;
    for buyer in ["ana", "bob"] {
        office.join(buyer).send().await.ok(201);
    }
    let open = office.operator(Method::POST, &format!("/admin/events/{event}/sale"));
    open.json(&json!({"action": "open"})).send().await.ok(200);
    office.join("late").send().await.ok(201);
    assert_eq!(office.admitted("late").await["position"], 2);
    let proof = office.anyone(Method::GET, &format!("{QUEUE}/proof")).send().await.ok(200);
    assert_eq!(proof["drawn"]["present"], 2);
}

#[tokio::test]
async fn nobody_joins_the_line_of_a_sale_that_is_over_and_who_is_in_it_is_told_so() {
    let (office, event) = BoxOffice::with_a_room("admission_over", LONG_AGO).await;
    let stop = json!({"paused": true});
    office.operator(Method::PATCH, ADMISSION).json(&stop).send().await.ok(200);
    office.join("ana").send().await.ok(201);
    let close = office.operator(Method::POST, &format!("/admin/events/{event}/sale"));
    close.json(&json!({"action": "close"})).send().await.ok(200);
    let refused = office.join("eva").send().await.problem(409, "sale-not-open");
    assert_eq!(refused["sale_status"], "closed");
    let place = office.join("ana").send().await.ok(200);
    assert_eq!((&place["state"], &place["outlook"]), (&json!("waiting"), &json!("unlikely")));
    assert_eq!(
        (&place["eta_seconds"], &place["eta_reason"]),
        (&Value::Null, &json!("the sale is over"))
    );
    let serving = office.anyone(Method::GET, &format!("{QUEUE}/now-serving")).send().await.ok(200);
    assert_eq!(serving["state"], "over");
    office.buyer("ana", Method::DELETE, QUEUE).send().await.ok(204);
    office.join("ana").send().await.problem(409, "sale-not-open");
    assert_eq!(office.place("ana").await["state"], "left");
}

#[tokio::test]
async fn while_a_sale_does_without_its_waiting_room_nobody_is_called() {
    let (office, event) = BoxOffice::with_a_room("admission_off", LONG_AGO).await;
    let stop = json!({"paused": true});
    office.operator(Method::PATCH, ADMISSION).json(&stop).send().await.ok(200);
    office.join("ana").send().await.ok(201);
    let path = format!("/admin/events/{event}");
    let switch = async |on: bool| {
        let patch = json!({"sale": {"waiting_room": on}});
        office.operator(Method::PATCH, &path).json(&patch).send().await.ok(200);
    };
    let go_on = json!({"paused": false});
    office
        .operator(Method::PATCH, ADMISSION)
        .json(&json!({"ceiling_per_second": 0}))
        .send()
        .await
        .ok(200);
    office.operator(Method::PATCH, ADMISSION).json(&go_on).send().await.ok(200);
    switch(false).await;
    office.read("ana", QUEUE).send().await.problem(404, "not-found");
    with_no_token(&office, &event).await;
    switch(true).await;
    let any = json!({"ceiling_per_second": null});
    office.operator(Method::PATCH, ADMISSION).json(&any).send().await.ok(200);
    office.admitted("ana").await;
}

async fn with_no_token(office: &BoxOffice, event: &str) {
    office.hold("bob", "k", event, &["A-1-1"]).send().await.ok(201);
}

#[tokio::test]
async fn who_has_bought_no_longer_counts_among_those_inside() {
    let (office, event) = BoxOffice::with_a_room("admission_bought", LONG_AGO).await;
    office.join("ana").send().await.ok(201);
    let place = office.admitted("ana").await;
    office.admission_once(|it| it["signals"]["active"] == 1).await;
    let held = with(office.hold("ana", "k", &event, &["A-1-1"]), &place).send().await.ok(201);
    let open = office.admission_once(|it| it["signals"]["open_holds"] == 1).await;
    assert_eq!(open["signals"]["active"], 1, "{open}");
    let order = with(office.order("ana", "k", &held["hold_id"]), &place).send().await.ok(201);
    office.pay("ana", "k", &order["order_id"], "ok").send().await.ok(202);
    office.admission_once(|it| it["signals"]["active"] == 0).await;
    assert_eq!(office.place("ana").await["state"], "admitted", "he may go on all the same");
}

/// An edge over these rows.
async fn over(settings: &DatabaseSettings) -> BoxOffice {
    BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await
}

/// Rows, an edge over them, its event with a waiting room, and the place of `ana`, who is inside.
async fn with_ana_inside(name: &str) -> (DatabaseSettings, BoxOffice, String, Value) {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database(name).await.expect("a database");
    let office = over(&settings).await;
    let mut form = event_form();
    form["sale"]["waiting_room"] = json!(true);
    form["sale"]["opens_at"] = json!(LONG_AGO);
    let event = office.create_event(&form).await;
    office.join("ana").send().await.ok(201);
    let place = office.admitted("ana").await;
    (settings, office, event, place)
}

#[tokio::test]
async fn an_admission_that_cannot_be_looked_at_is_not_refused_for_that() {
    let (settings, _before, event, place) = with_ana_inside("admission_unknown").await;
    let rows = Rows::of(&settings).await;
    rows.change("BEGIN; LOCK TABLE queue_heads IN ACCESS EXCLUSIVE MODE").await;
    let mut after = over(&settings).await;
    // Longer than a read waits for its lock.
    after.app.settings =
        Arc::new(EdgeSettings { decision_deadline: SOON, ..EdgeSettings::default() });
    let hold = || with(after.hold("ana", "k", &event, &["A-1-1"]), &place);
    hold().send().await.problem(503, "purchases-paused");
    let without = after.hold("ana", "l", &event, &["A-1-1"]);
    without.send().await.problem(403, "admission-required");
    rows.change("ROLLBACK").await;
    hold().send().await.ok(201);
}

#[tokio::test]
async fn while_the_lines_rows_cannot_be_read_nobody_new_comes_in_and_who_is_in_goes_on() {
    let (settings, _before, event, place) = with_ana_inside("admission_unread").await;
    let rows = Rows::of(&settings).await;
    rows.change("BEGIN; LOCK TABLE queue_tickets IN ACCESS EXCLUSIVE MODE").await;
    let after = over(&settings).await;
    let held = with(after.hold("ana", "k", &event, &["A-1-1"]), &place).send().await.ok(201);
    with(after.order("ana", "k", &held["hold_id"]), &place).send().await.ok(201);
    let hold = after.hold("eva", "k", &event, &["A-1-2"]);
    with(hold, &place).send().await.problem(403, "admission-required");
    after.join("eva").send().await.problem(503, "purchases-paused");

    rows.change("ROLLBACK").await;
    let joined = async {
        let mut look = tokio::time::interval(Duration::from_millis(50));
        loop {
            look.tick().await;
            let answer = after.join("eva").send().await;
            if answer.status.as_u16() == 201 {
                return answer.ok(201);
            }
        }
    };
    let eva = tokio::time::timeout(SOON, joined).await.expect("it can be read again");
    assert_eq!(eva["index"], 1);
    assert_eq!(after.place("ana").await["admission_token"], place["admission_token"]);
}
