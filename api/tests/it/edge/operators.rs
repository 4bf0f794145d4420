//! What operators do to a living sale, and every refusal of it.

mod purchases;
mod races;
mod sale;
mod terms;

use axum::http::Method;
use serde_json::{Value, json};

use super::box_office::BoxOffice;
use super::client::Call;

impl BoxOffice {
    fn blocks(&self, event: &str, block: &[&str], unblock: &[&str]) -> Call {
        let path = format!("/admin/events/{event}/blocks");
        let body = json!({"block": block, "unblock": unblock});
        self.operator(Method::POST, &path).json(&body)
    }

    fn change(&self, event: &str, patch: &Value) -> Call {
        self.operator(Method::PATCH, &format!("/admin/events/{event}")).json(patch)
    }

    fn sale(&self, event: &str, action: &str) -> Call {
        let path = format!("/admin/events/{event}/sale");
        self.operator(Method::POST, &path).json(&json!({"action": action}))
    }

    async fn shown(&self, event: &str) -> Value {
        self.anyone(Method::GET, &format!("/events/{event}")).send().await.ok(200)
    }

    fn places(&self, buyer: &str, key: &str, event: &str, quantity: u32) -> Call {
        let body =
            json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": quantity}]});
        self.buyer(buyer, Method::POST, "/holds").key(key).json(&body)
    }

    async fn audit_is_green(&self, event: &str) {
        let audit =
            self.operator(Method::GET, &format!("/admin/events/{event}/audit")).send().await;
        let audit = audit.ok(200);
        assert_eq!(audit["ok"], true, "{audit}");
    }
}

#[tokio::test]
async fn seats_of_any_sections_are_blocked_and_unblocked_and_the_map_shows_it() {
    let (office, event) = BoxOffice::open("op_blocks").await;
    let done = office.blocks(&event, &["A-1-1", "B-1-2"], &[]).send().await.ok(200);
    assert_eq!((&done["blocked"], &done["event_id"]), (&json!(2), &json!(event)));
    assert_eq!(done["block"], json!(["A-1-1", "B-1-2"]));
    let again = office.blocks("noche", &["A-1-1", "A-1-2"], &["A-1-3"]).send().await.ok(200);
    assert_eq!((&again["blocked"], &again["unblock"]), (&json!(3), &json!(["A-1-3"])));
    let refused = office.hold("ana", "k", &event, &["A-1-2", "A-1-3"]).send().await;
    assert_eq!(refused.problem(409, "seats-unavailable")["seats"], json!(["A-1-2"]));
    let free = office.blocks(&event, &[], &["A-1-2"]).send().await.ok(200);
    assert_eq!(free["blocked"], 2);
    office.hold("ana", "k2", &event, &["A-1-2"]).send().await.ok(201);

    let path = format!("/events/{event}/availability");
    for _ in 0..400 {
        let map = office.anyone(Method::GET, &path).send().await.ok(200);
        // Seat 0 blocked (3), seat 1 held (1): the first byte is 0b0111.
        if map["seats"].as_str().is_some_and(|seats| seats.starts_with("Bw")) {
            office.audit_is_green(&event).await;
            return;
        }
        tokio::task::yield_now().await;
        let _ = office.read("ana", "/orders").send().await;
    }
    panic!("the map never showed the block");
}

#[tokio::test]
async fn a_block_of_held_and_sold_seats_is_refused_with_all_of_them() {
    let (office, event) = BoxOffice::open("op_block_conflict").await;
    office.hold("ana", "k", &event, &["A-1-1", "A-1-2"]).send().await.ok(201);
    office.blocks(&event, &["B-1-1"], &[]).send().await.ok(200);
    let wanted = ["B-1-2", "A-1-2", "A-1-3", "A-1-1"];
    let problem = office.blocks(&event, &wanted, &["B-1-1"]).send().await;
    let problem = problem.problem(409, "conflicts-with-sales");
    let numbers = ["sold", "held", "asked"].map(|name| problem[name].as_u64());
    assert_eq!(numbers, [Some(0), Some(2), Some(4)]);
    assert_eq!(problem["seats"], json!(["A-1-1", "A-1-2"]));
    // All or nothing: the free seat of the other section is free still, the blocked one blocked.
    office.hold("eva", "k", &event, &["B-1-2"]).send().await.ok(201);
    let refused = office.hold("eva", "k2", &event, &["B-1-1"]).send().await;
    refused.problem(409, "seats-unavailable");
}

#[tokio::test]
async fn everything_wrong_with_a_block_is_named() {
    let (office, event) = BoxOffice::open("op_block_form").await;
    let send = async |body: Value| {
        let path = format!("/admin/events/{event}/blocks");
        office.operator(Method::POST, &path).json(&body).send().await
    };
    let both = json!({"block": ["A-1-1", "Z-1-1", "A-1-1"], "unblock": ["A-1-1", "nowhere"]});
    assert_eq!(send(both).await.pointers(), ["/block/2", "/unblock/0"]);
    let twice = json!({"block": ["Ö-1"], "unblock": ["O\u{308}-1"]});
    assert_eq!(send(twice).await.pointers(), ["/unblock/0"], "one name, typed in two ways");
    let unknown = json!({"block": ["A-1-1", "Z-1-1"], "unblock": ["nowhere"]});
    assert_eq!(send(unknown).await.pointers(), ["/block/1", "/unblock/0"]);
    assert_eq!(send(json!({})).await.pointers(), [""]);
    assert_eq!(send(json!({"block": [], "unblock": []})).await.pointers(), [""]);
    assert_eq!(send(json!({"block": "A-1-1"})).await.pointers(), ["/block"]);
    assert_eq!(send(json!({"seats": ["A-1-1"]})).await.pointers(), ["/seats"]);
    let many: Vec<String> = (0..10_001).map(|n| format!("X-{n}")).collect();
    assert_eq!(send(json!({"block": many})).await.pointers(), [""], "too many to be looked at");
    let all_unknown = send(json!({"block": many[..10_000]})).await;
    let problem = all_unknown.problem(400, "malformed-request");
    assert_eq!(problem["detail"], "10000 places of the request are wrong");
    assert_eq!(problem["errors"].as_array().map(Vec::len), Some(101));
    assert_eq!(problem["errors"][100]["detail"], "and 9900 more places");
    let nowhere = office.blocks("nowhere", &["A-1-1"], &[]).send().await;
    nowhere.problem(404, "not-found");
    let nowhere = office.blocks("nowhere", &["A-1-1", "A-1-1"], &[]).send().await;
    assert_eq!(nowhere.pointers(), ["/block/1"], "its form comes before the event");
    let path = format!("/admin/events/{event}/blocks");
    let body = json!({"block": ["A-1-1"]});
    office.anyone(Method::POST, &path).json(&body).send().await.problem(401, "unauthenticated");
    let buyer = office.buyer("ana", Method::POST, &path).json(&body).send().await;
    buyer.problem(403, "forbidden");
    let trail = office.operator(Method::GET, "/admin/actions").send().await.ok(200);
    let whats: Vec<_> = trail["items"].as_array().expect("a list").iter().collect();
    assert!(whats.iter().all(|it| it["what"] != "block_seats"), "nothing was done: {whats:?}");
}

#[tokio::test]
async fn each_action_says_who_when_what_and_why() {
    let (office, event) = BoxOffice::open("op_trail").await;
    let path = format!("/admin/events/{event}/blocks");
    let body = json!({"block": ["A-1-1"], "reason": "a camera stands here"});
    office.operator(Method::POST, &path).json(&body).send().await.ok(200);
    office.sale(&event, "pause").send().await.ok(200);
    office.change(&event, &json!({"name": "Otra", "reason": "typo"})).send().await.ok(200);
    let pause = json!({"action": "pause", "reason": "fire"});
    office.operator(Method::POST, "/admin/purchases").json(&pause).send().await.ok(200);

    let list = async |query: &str| {
        let path = format!("/admin/actions?{query}");
        office.operator(Method::GET, &path).send().await.ok(200)
    };
    let whats = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().expect("a list").iter();
        items.map(|it| it["what"].as_str().expect("text").to_owned()).collect()
    };
    let of_event = list("event_id=noche").await;
    assert_eq!(whats(&of_event), ["change_event", "change_sale", "block_seats", "create_event"]);
    let change = &of_event["items"][0];
    assert_eq!((&change["who"], &change["why"]), (&json!("olga"), &json!("typo")));
    assert_eq!(change["detail"], json!({"name": "Otra"}));
    assert_eq!(change["event_id"], event.as_str());
    assert!(change["at"].as_str().is_some_and(|at| at.ends_with('Z')));
    assert_eq!(of_event["items"][2]["why"], "a camera stands here");

    let mut all = Vec::new();
    let mut query = "limit=2".to_owned();
    loop {
        let page = list(&query).await;
        all.extend(whats(&page));
        let Some(next) = page["next_cursor"].as_str() else { break };
        query = format!("limit=2&cursor={next}");
    }
    let expected = [
        "pause_purchases",
        "change_event",
        "change_sale",
        "block_seats",
        "create_event",
        "create_venue",
    ];
    assert_eq!(all, expected);
    let wrong = office.operator(Method::GET, "/admin/actions?cursor=x&who=olga").send().await;
    assert!(!wrong.pointers().is_empty());
    // Of the latest instant that 64 bits hold, which no database can compare with.
    let beyond = "f_________8AAAAAAAAAAAAAAAAAAAAA";
    for list in ["/admin/actions", "/admin/venues"] {
        let path = format!("{list}?cursor={beyond}");
        assert_eq!(office.operator(Method::GET, &path).send().await.pointers(), ["?cursor"]);
    }
    let unknown = office.operator(Method::GET, "/admin/actions?event_id=%00").send().await;
    unknown.problem(404, "not-found");
}

#[tokio::test]
async fn everybodys_orders_are_listed_by_event_buyer_and_status() {
    let (office, event) = BoxOffice::open("op_orders").await;
    for (buyer, seat) in [("ana", "A-1-1"), ("eva", "A-1-2"), ("ana", "A-1-3")] {
        let hold = office.hold(buyer, seat, &event, &[seat]).send().await.ok(201);
        office.order(buyer, seat, &hold["hold_id"]).send().await.ok(201);
    }
    let free = office.places("eva", "floor", &event, 1).send().await.ok(201);
    office.order("eva", "floor", &free["hold_id"]).send().await.ok(201);
    let list = async |query: &str| {
        office.operator(Method::GET, &format!("/admin/orders?{query}")).send().await
    };
    let buyers = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().expect("a list").iter();
        items.map(|it| it["buyer"].as_str().expect("text").to_owned()).collect()
    };
    assert_eq!(buyers(&list("").await.ok(200)), ["eva", "ana", "eva", "ana"]);
    assert_eq!(buyers(&list("buyer=ana&event_id=noche").await.ok(200)), ["ana", "ana"]);
    let captured = list("status=captured").await.ok(200);
    assert_eq!(buyers(&captured), ["eva"]);
    assert_eq!(captured["next_cursor"], Value::Null);
    assert_eq!(captured["items"][0]["status"], "captured");
    let first = list("status=pending_payment&limit=2").await.ok(200);
    assert_eq!(buyers(&first), ["ana", "eva"]);
    let next = first["next_cursor"].as_str().expect("one more");
    let second = list(&format!("status=pending_payment&limit=2&cursor={next}")).await.ok(200);
    assert_eq!(buyers(&second), ["ana"]);
    assert_eq!(list("status=paid").await.pointers(), ["?status"]);
    assert_eq!(list("limit=101").await.pointers(), ["?limit"]);
    for nowhere in ["nowhere", "%00", "NOCHE", "00000000-0000-0000-0000-000000000000"] {
        list(&format!("event_id={nowhere}")).await.problem(404, "not-found");
    }
    assert_eq!(list("event_id=nowhere&status=paid").await.pointers(), ["?status"]);
    assert_eq!(list("buyer=%00").await.pointers(), ["?buyer"]);
    let buyer = office.buyer("ana", Method::GET, "/admin/orders").send().await;
    buyer.problem(403, "forbidden");
}
