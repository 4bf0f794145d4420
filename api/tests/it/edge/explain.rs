//! Stories for operators, over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;
use tokio::time::timeout;

use super::box_office::{BoxOffice, event_form};
use super::client::Answer;

async fn ask(office: &BoxOffice, event: &str, query: &str) -> Answer {
    office.operator(Method::GET, &format!("/admin/events/{event}/explain{query}")).send().await
}

async fn story(office: &BoxOffice, event: &str, query: &str) -> Vec<Value> {
    let told = ask(office, event, query).await.ok(200);
    assert_eq!(told["next_cursor"], Value::Null);
    told["story"].as_array().expect("a list").clone()
}

/// Who and what, but for operators' actions.
fn told(story: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let line = |entry: &Value| format!("{} {}", text(&entry["who"]), text(&entry["what"]));
    let lines = story.iter().map(line);
    lines.filter(|line| !line.ends_with("operator-action")).collect()
}

fn path(kind: &str, id: &Value) -> String {
    format!("/{kind}/{}", id.as_str().expect("an id"))
}

/// Waits for the order's changes until it has this status.
async fn settled(office: &BoxOffice, buyer: &str, order: &Value, status: &str) {
    for _ in 0..20 {
        let path = format!("{}?wait_seconds=10", path("orders", order));
        if office.read(buyer, &path).send().await.ok(200)["status"] == status {
            return;
        }
    }
    panic!("the order is never {status}");
}

/// An event whose holds live a second.
async fn hurried(office: &BoxOffice) -> String {
    let mut form = event_form();
    form["slug"] = json!("hurried");
    form["sale"]["hold_ttl_seconds"] = json!(1);
    office.create_event(&form).await
}

#[tokio::test]
async fn a_seats_story_has_everything_that_touched_it_in_order() {
    let (office, event) = BoxOffice::open("explain").await;
    let ann = office.hold("ann", "k", &event, &["A-1-1", "A-1-2"]).send().await.ok(201);
    office
        .hold("bob", "k", &event, &["A-1-1", "B-1-1"])
        .send()
        .await
        .problem(409, "seats-unavailable");
    let ann_path = path("holds", &ann["hold_id"]);
    office.buyer("bob", Method::DELETE, &ann_path).send().await.problem(404, "not-found");
    let part = format!("{ann_path}/items?seat=A-1-1");
    office.buyer("ann", Method::DELETE, &part).send().await.ok(200);
    office.buyer("ann", Method::DELETE, &ann_path).send().await.ok(204);
    office.order("ann", "late", &ann["hold_id"]).send().await.problem(409, "hold-not-active");
    let cid = office.hold("cid", "k", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("cid", "o", &cid["hold_id"]).send().await.ok(201);
    office.pay("cid", "first", &order["order_id"], "decline").send().await.ok(202);
    settled(&office, "cid", &order["order_id"], "declined").await;
    office.pay("cid", "second", &order["order_id"], "ok").send().await.ok(202);
    settled(&office, "cid", &order["order_id"], "captured").await;
    let cancel = path("orders", &order["order_id"]);
    office.buyer("cid", Method::DELETE, &cancel).send().await.problem(409, "order-not-cancellable");
    office.app.node.write_refusals().await;

    let story = story(&office, &event, "?seat=A-1-1").await;
    let mut lines = told(&story);
    // Decisions and attempts are stamped by two clocks, which may differ by a moment.
    let (sale, attempts): (Vec<String>, Vec<String>) =
        lines.drain(..).partition(|line| !line.contains("attempt-"));
    let expected = [
        "ann hold-placed",
        "bob refused",
        "bob refused",
        "ann hold-reduced",
        "ann hold-released",
        "ann refused",
        "cid hold-placed",
        "cid order-placed",
        "cid hold-converted",
        "cid order-confirmed",
        "cid ticket-issued",
        "cid refused",
    ];
    assert_eq!(sale, expected);
    let mut kinds = attempts.clone();
    kinds.sort();
    let expected = [
        "cid attempt-captured",
        "cid attempt-confirmed",
        "cid attempt-declined",
        "cid attempt-opened",
        "cid attempt-opened",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(story[0]["what"], "operator-action");
    assert_eq!(story[0]["detail"]["action"], "create_event");

    let of = |what: &str| -> Vec<&Value> {
        story.iter().filter(|entry| entry["what"] == what).map(|entry| &entry["detail"]).collect()
    };
    let euro = |amount: u32| json!({"amount": amount, "currency": "EUR"});
    let placed = of("hold-placed")[0];
    assert_eq!(placed["seats"], json!(["A-1-1", "A-1-2"]));
    assert_eq!((&placed["hold_id"], &placed["total"]), (&ann["hold_id"], &euro(19_100)));
    assert_eq!(placed["expires_at"], ann["expires_at"]);
    let refused = of("refused");
    let expected = json!({
        "asked": "POST /holds", "problem": "seats-unavailable",
        "seats": ["A-1-1", "B-1-1"], "unavailable_seats": ["A-1-1"]});
    assert_eq!(refused[0], &expected);
    let expected = json!({
        "asked": "DELETE /holds/{hold_id}", "problem": "not-found", "hold_id": ann["hold_id"]});
    assert_eq!(refused[1], &expected);
    assert_eq!(refused[2]["hold_status"], "released");
    assert_eq!(refused[3]["order_id"], order["order_id"]);
    let reduced = of("hold-reduced")[0];
    assert_eq!((&reduced["seats"], &reduced["total"]), (&json!(["A-1-1"]), &euro(9_550)));
    let ticket = of("ticket-issued")[0];
    assert_eq!((&ticket["seat"], &ticket["section"]), (&json!("A-1-1"), &json!("A")));
    assert_eq!(of("attempt-declined")[0]["failure"]["code"], "card_declined");
    assert_eq!(of("attempt-opened")[1]["amount"], euro(9_550));

    let of_order = format!("?order={}", order["order_id"].as_str().expect("an id"));
    let of_hold = format!("?hold={}", cid["hold_id"].as_str().expect("an id"));
    let by_order = self::story(&office, &event, &of_order).await;
    assert_eq!(by_order, self::story(&office, &event, &of_hold).await);
    assert!(told(&by_order).iter().all(|line| line.starts_with("cid ")), "{by_order:?}");
    let of_bob = self::story(&office, &event, "?buyer=bob").await;
    assert_eq!(told(&of_bob), ["bob refused", "bob refused"]);
}

#[tokio::test]
async fn what_time_ends_the_clock_did() {
    let office = BoxOffice::empty("explain_clock").await;
    let event = hurried(&office).await;
    let hold = office.hold("ann", "k", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ann", "o", &hold["hold_id"]).send().await.ok(201);
    settled(&office, "ann", &order["order_id"], "expired").await;
    // Seen as expired at its instant, written by the next sweep.
    let written = async {
        loop {
            let story = story(&office, &event, "?seat=A-1-1").await;
            if told(&story).len() > 2 {
                break story;
            }
        }
    };
    let story = timeout(Duration::from_secs(10), written).await.expect("a sweep writes it");
    let expected =
        ["ann hold-placed", "ann order-placed", "clock hold-expired", "clock order-expired"];
    assert_eq!(told(&story), expected);
}

#[tokio::test]
async fn general_places_best_seats_and_declined_ones_are_told_in_the_apis_words() {
    let (office, event) = BoxOffice::open("explain_words").await;
    let hold = |buyer: &str, body: Value| {
        let mut body = body;
        body["event_id"] = json!(event);
        office.buyer(buyer, Method::POST, "/holds").key("k").json(&body).send()
    };
    hold("ann", json!({"seats": ["B-1-1"], "general": [{"section": "FLOOR", "quantity": 2}]}))
        .await
        .ok(201);
    hold("bob", json!({"seats": ["B-1-1", "B-1-2"], "accept_fewer": true})).await.ok(201);
    let best = json!({"quantity": 2, "section": "B", "adjacent": true});
    hold("cid", json!({"best_available": best})).await.problem(409, "seats-unavailable");
    office.app.node.write_refusals().await;

    let of_ann = story(&office, &event, "?buyer=ann").await;
    let placed = &of_ann.last().expect("a hold")["detail"];
    assert_eq!(placed["general"], json!([{"section": "FLOOR", "quantity": 2}]));
    let of_seat = story(&office, &event, "?seat=B-1-1").await;
    assert_eq!(told(&of_seat), ["ann hold-placed", "bob seats-declined"]);
    assert_eq!(of_seat.last().expect("it")["detail"]["seats"], json!(["B-1-1"]));
    let of_cid = story(&office, &event, "?buyer=cid").await;
    let refused = &of_cid.last().expect("a refusal")["detail"];
    let expected = json!({"quantity": 2, "section": "B", "adjacent": true, "accessible": false});
    assert_eq!(refused["best_available"], expected);
}

#[tokio::test]
async fn a_story_is_the_same_after_a_restart_and_tells_nothing_of_other_events() {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database("explain_restart").await.expect("a database");
    let provider = Arc::new(MemoryProvider::default());
    let office = BoxOffice::over(settings.clone(), provider.clone()).await;
    let event = office.create_event(&event_form()).await;
    let other = hurried(&office).await;
    let hold = office.hold("ann", "k", &event, &["A-1-1"]).send().await.ok(201);
    office.hold("bob", "k", &event, &["A-1-1"]).send().await.problem(409, "seats-unavailable");
    office.hold("ann", "k", &other, &["A-1-1"]).send().await.ok(201);
    office.hold("cid", "k", &other, &["A-1-1"]).send().await.problem(409, "seats-unavailable");
    // What a stop does at its end: nothing that was refused is lost.
    office.app.node.stop().await;

    let office = BoxOffice::over(settings, provider).await;
    for number in office.app.catalogue.all_event_numbers().await.expect("rows") {
        let terms = office.app.catalogue.event_terms(number).await.expect("rows");
        office.app.node.open(terms.expect("an event has terms"));
    }
    let of_seat = story(&office, &event, "?seat=A-1-1").await;
    assert_eq!(told(&of_seat), ["ann hold-placed", "bob refused"]);
    let of_ann = story(&office, "noche", "?buyer=ann").await;
    assert_eq!(told(&of_ann), ["ann hold-placed"]);
    ask(&office, &event, "?buyer=cid").await.problem(404, "not-found");
    let of_hold = format!("?hold={}", hold["hold_id"].as_str().expect("an id"));
    story(&office, &event, &of_hold).await;
    ask(&office, &other, &of_hold).await.problem(404, "not-found");
}

#[tokio::test]
async fn whose_story_is_named_by_one_parameter_that_means_something() {
    let (office, event) = BoxOffice::open("explain_hostile").await;
    let long = format!("?buyer={}", "x".repeat(256));
    let stranger = "01890a5d-ac96-774b-bcce-b302099a8057";
    let both = format!("?seat=A-1-1&order={stranger}&buyer=ann");
    for (query, pointers) in [
        ("", vec!["?"]),
        ("?cursor=AAAA", vec!["?cursor"]),
        (&both, vec!["?buyer", "?order"]),
        ("?buyer=", vec!["?buyer"]),
        ("?buyer=a%00b", vec!["?buyer"]),
        (&long, vec!["?buyer"]),
        ("?hold=nonsense", vec!["?hold"]),
        ("?order=' OR 1=1 --", vec!["?order"]),
        ("?seat=A-1-1&seat=A-1-2", vec!["?seat"]),
        ("?seat=", vec!["?seat"]),
        ("?seat=Z-9-9", vec!["?seat"]),
        ("?seat=A-1-1'%3B DROP TABLE holds%3B", vec!["?seat"]),
    ] {
        let query = query.replace(' ', "%20");
        assert_eq!(ask(&office, &event, &query).await.pointers(), pointers, "{query}");
    }
    for query in ["?buyer=nobody", &format!("?hold={stranger}"), &format!("?order={stranger}")] {
        ask(&office, &event, query).await.problem(404, "not-found");
    }
    // The form comes before the event, the event before its seats.
    assert_eq!(ask(&office, "nowhere", "").await.pointers(), ["?"]);
    ask(&office, "nowhere", "?seat=Z-9-9").await.problem(404, "not-found");
    let buyers = office.read("ann", &format!("/admin/events/{event}/explain?seat=A-1-1"));
    buyers.send().await.problem(403, "forbidden");
    assert_eq!(told(&story(&office, &event, "?seat=A-1-1").await), [""; 0]);
}

#[tokio::test]
async fn a_block_is_told_with_the_action_that_made_it() {
    let (office, event) = BoxOffice::open("explain_blocks").await;
    let path = format!("/admin/events/{event}/blocks");
    for body in [json!({"block": ["A-1-4", "A-2-4"]}), json!({"unblock": ["A-1-4"]})] {
        office.operator(Method::POST, &path).json(&body).send().await.ok(200);
    }
    office.hold("ann", "k", &event, &["A-2-4"]).send().await.problem(409, "seats-unavailable");
    office.app.node.write_refusals().await;

    let of_seat = story(&office, &event, "?seat=A-1-4").await;
    assert_eq!(told(&of_seat), ["olga seat-blocked", "olga seat-unblocked"]);
    let details: Vec<&Value> = of_seat.iter().map(|entry| &entry["detail"]).collect();
    let [made, action, blocked, ..] = details.as_slice() else { panic!("{details:?}") };
    assert_eq!(
        (&made["action"], &action["action"]),
        (&json!("create_event"), &json!("block_seats"))
    );
    assert_eq!(blocked["seat"], "A-1-4");
    assert_eq!(blocked["action_id"], action["action_id"]);
    let of_other = story(&office, &event, "?seat=A-2-4").await;
    assert_eq!(told(&of_other), ["olga seat-blocked", "ann refused"]);
    assert_eq!(told(&story(&office, &event, "?seat=A-1-3").await), [""; 0]);
}
