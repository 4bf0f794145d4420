//! The waiting room as buyers meet it: one place each, a turn, an admission that is theirs alone.

use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_api::draw::{DrawProof, Fault};
use uuid::Uuid;

use super::box_office::{BoxOffice, event_form};
use super::client::Call;

pub(super) const QUEUE: &str = "/events/noche/queue";

/// Longer than anybody waits here: the line moves once a second.
const TURN_MAX: Duration = Duration::from_secs(20);

impl BoxOffice {
    /// An edge with an event whose sale has a waiting room, and opens then.
    pub(super) async fn with_a_room(name: &str, opens_at: &str) -> (Self, String) {
        let office = Self::empty(name).await;
        let mut form = event_form();
        form["sale"]["waiting_room"] = json!(true);
        form["sale"]["opens_at"] = json!(opens_at);
        let event = office.create_event(&form).await;
        (office, event)
    }

    pub(super) fn join(&self, buyer: &str) -> Call {
        self.buyer(buyer, Method::POST, QUEUE)
    }

    async fn place(&self, buyer: &str) -> Value {
        self.read(buyer, QUEUE).send().await.ok(200)
    }

    /// The buyer's place, once it is his turn.
    async fn admitted(&self, buyer: &str) -> Value {
        let mut look = tokio::time::interval(Duration::from_millis(100));
        let waits = async {
            loop {
                look.tick().await;
                let place = self.place(buyer).await;
                if place["state"] == "admitted" {
                    return place;
                }
                // The draw is made within a second of the opening.
                let waits = ["pre_sale", "waiting"].map(Value::from).contains(&place["state"]);
                assert!(waits, "{place}");
                assert!(place.get("admission_token").is_none(), "{place}");
            }
        };
        tokio::time::timeout(TURN_MAX, waits).await.expect("the line moves")
    }
}

/// Shown with a request.
fn with(call: Call, place: &Value) -> Call {
    call.header("admission-token", place["admission_token"].as_str().expect("a token"))
}

pub(super) const LONG_AGO: &str = "2020-01-01T00:00:00Z";
pub(super) const FAR_OFF: &str = "2098-01-01T00:00:00Z";

#[tokio::test]
async fn who_joins_has_one_place_and_is_let_in_and_his_admission_is_his_alone() {
    let (office, event) = BoxOffice::with_a_room("queue", LONG_AGO).await;
    let refused = office.hold("ana", "k", &event, &["A-1-1"]).send().await;
    refused.problem(403, "admission-required");
    office.read("ana", QUEUE).send().await.problem(404, "not-found");

    let joined = office.join("ana").send().await;
    let first = joined.ok(201);
    assert_eq!(joined.header("cache-control"), Some("no-store"));
    assert_eq!(first["index"], 0);
    assert!(Uuid::parse_str(first["ticket_id"].as_str().expect("an id")).is_ok());
    let again = office.join("ana").json(&json!({"challenge_response": "x"})).send().await.ok(200);
    assert_eq!((&again["ticket_id"], &again["index"]), (&first["ticket_id"], &first["index"]));
    assert_eq!(office.join("eva").send().await.ok(201)["index"], 1);

    let place = office.admitted("ana").await;
    assert_eq!((&place["position"], &place["ahead"]), (&json!(0), &json!(0)));
    assert!(place["poll_after_ms"].as_u64().is_some_and(|it| it >= 1_000), "{place}");
    for member in ["as_of", "admission_expires_at"] {
        assert!(place[member].as_str().is_some_and(|time| time.ends_with('Z')), "{place}");
    }
    assert_eq!(office.place("ana").await["admission_token"], place["admission_token"]);

    // Shared, bent, or said twice, it is nothing.
    let hold = |buyer: &str, key: &str| office.hold(buyer, key, &event, &["A-1-1"]);
    with(hold("eva", "k"), &place).send().await.problem(403, "admission-required");
    let bent = hold("ana", "k").header("admission-token", "AQAAAAE");
    bent.send().await.problem(403, "admission-required");
    let held = with(hold("ana", "k"), &place).send().await.ok(201);
    let order = office.order("ana", "k", &held["hold_id"]);
    order.send().await.problem(403, "admission-required");
    let order = with(office.order("ana", "k", &held["hold_id"]), &place).send().await.ok(201);
    // What has a key already needs no admission to be told again.
    let again = office.order("ana", "k", &held["hold_id"]).send().await;
    assert_eq!(again.ok(201)["order_id"], order["order_id"]);
    assert!(hold("ana", "k").send().await.is_replay());
}

#[tokio::test]
async fn before_the_opening_nobody_has_a_position_and_the_draw_is_committed_to() {
    let (office, event) = BoxOffice::with_a_room("queue_pre_sale", FAR_OFF).await;
    let proof = || async {
        let answer = office.anyone(Method::GET, &format!("{QUEUE}/proof")).send().await.ok(200);
        serde_json::from_value::<DrawProof>(answer).expect("a proof")
    };
    let before = proof().await;
    assert_eq!(before.check().err(), Some(Fault::NotRevealed));
    for buyer in ["ana", "eva"] {
        let place = office.join(buyer).send().await.ok(201);
        assert_eq!(place["state"], "pre_sale");
        for member in ["position", "ahead", "eta_seconds"] {
            assert_eq!(place[member], Value::Null, "{place}");
        }
        assert!(place["eta_reason"].is_string(), "{place}");
    }
    assert_eq!(proof().await, before, "it was fixed before anybody joined");
    let serving = office.anyone(Method::GET, &format!("{QUEUE}/now-serving")).send().await;
    assert_eq!(serving.header("cache-control"), Some("public, max-age=1"));
    let serving = serving.ok(200);
    assert_eq!((&serving["served"], &serving["joined"]), (&Value::Null, &json!(2)));

    office.buyer("ana", Method::DELETE, QUEUE).send().await.ok(204);
    assert_eq!(office.place("ana").await["state"], "left");
    office.buyer("ana", Method::DELETE, QUEUE).send().await.ok(204);
    assert_eq!(office.join("ana").send().await.ok(200)["state"], "pre_sale");

    // Now it opens: whoever was there is drawn, and anybody computes it again.
    let patch = json!({"sale": {"opens_at": LONG_AGO}});
    let path = format!("/admin/events/{event}");
    office.operator(Method::PATCH, &path).json(&patch).send().await.ok(200);
    let (ana, eva) = (office.admitted("ana").await, office.admitted("eva").await);
    let after = proof().await;
    assert_eq!(after.commitment, before.commitment);
    let draw = after.check().expect("every part follows from the others");
    assert_eq!(draw.present(), 2);
    for place in [&ana, &eva] {
        let ticket = place["ticket_id"].as_str().expect("an id").parse().expect("a UUID");
        assert_eq!(draw.position(ticket).map(u64::from), place["position"].as_u64());
    }
}

#[tokio::test]
async fn an_event_without_a_waiting_room_has_no_queue() {
    let (office, event) = BoxOffice::open("queue_none").await;
    let paths = ["", "/now-serving", "/proof"];
    for path in paths {
        let path = format!("/events/{event}/queue{path}");
        office.read("ana", &path).send().await.problem(404, "not-found");
    }
    office.join("ana").send().await.problem(404, "not-found");
    office.buyer("ana", Method::DELETE, QUEUE).send().await.problem(404, "not-found");
    // What is shown there is passed over.
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).header("admission-token", "x");
    hold.send().await.ok(201);
}
