//! Holds, and every refusal of one.

use axum::http::Method;
use serde_json::{Value, json};

use super::box_office::{BoxOffice, event_form};

#[tokio::test]
async fn a_hold_has_every_member_of_the_contract() {
    let (office, event) = BoxOffice::open("hold").await;
    let answer = office.hold("ana", "k", &event, &["A-1-2", "A-1-1"]).send().await;
    let hold = answer.ok(201);
    let id = hold["hold_id"].as_str().expect("an id");
    assert_eq!(answer.header("location"), Some(format!("/holds/{id}").as_str()));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(!answer.is_replay());

    let seat = |label: &str| {
        let price = json!({"amount": 9000, "currency": "EUR"});
        json!({"seat": label, "section": "A", "tier": "gold", "unit_price": price, "amount": price})
    };
    assert_eq!(hold["event_id"], event.as_str());
    assert_eq!(hold["status"], "active");
    assert_eq!(hold["order_id"], Value::Null);
    assert_eq!(hold["items"], json!([seat("A-1-2"), seat("A-1-1")]));
    assert_eq!(hold["declined"], json!([]));
    let fee = json!({"name": "service", "amount": {"amount": 1100, "currency": "EUR"}});
    assert_eq!(hold["fees"], json!([fee]));
    assert_eq!(hold["total"], json!({"amount": 19_100, "currency": "EUR"}));
    assert_eq!(hold["expires_in_seconds"], 480);
    for time in ["created_at", "expires_at", "as_of"] {
        assert!(hold[time].as_str().is_some_and(|time| time.ends_with('Z')), "{time}");
    }

    let read = office.read("ana", &format!("/holds/{id}")).send().await.ok(200);
    assert_eq!(read["items"], hold["items"]);
    let list = office.read("ana", "/events/noche/holds").send().await.ok(200);
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(list["next_cursor"], Value::Null);
}

#[tokio::test]
async fn places_of_a_general_section_are_counted() {
    let (office, event) = BoxOffice::open("places").await;
    let body = json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": 3}]});
    let call = office.buyer("ana", Method::POST, "/holds").key("k").json(&body);
    let hold = call.send().await.ok(201);
    let none = json!({"amount": 0, "currency": "EUR"});
    let item = json!({"section": "FLOOR", "quantity": 3, "unit_price": none, "amount": none});
    assert_eq!(hold["items"], json!([item]));
    assert_eq!(hold["total"], none);
}

#[tokio::test]
async fn a_repeated_request_is_a_replay_and_another_one_is_refused() {
    let (office, event) = BoxOffice::open("replay").await;
    let first = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let body = format!("{{ \"seats\": [\"A-1-1\"],\n \"event_id\": \"{event}\" }}");
    let again = office.buyer("ana", Method::POST, "/holds").key("k").text(&body).send().await;
    assert!(again.is_replay(), "white space and the order of keys say nothing");
    assert_eq!(again.ok(201)["hold_id"], first["hold_id"]);

    let other = office.hold("ana", "k", &event, &["A-1-2"]).send().await;
    other.problem(422, "idempotency-key-reused");
    let unknown = office.hold("ana", "k", &event, &["Z-9-9"]).send().await;
    unknown.problem(422, "idempotency-key-reused");
    let bob = office.hold("bob", "k", &event, &["A-1-3"]).send().await;
    assert!(!bob.is_replay(), "another buyer's key is another key");
    bob.ok(201);

    let refused = office.hold("bob", "k2", &event, &["A-1-1"]).send().await;
    refused.problem(409, "seats-unavailable");
    let again = office.hold("bob", "k2", &event, &["A-1-1"]).send().await;
    again.problem(409, "seats-unavailable");
}

#[tokio::test]
async fn all_seats_that_cannot_be_had_are_named_and_nothing_is_taken() {
    let (office, event) = BoxOffice::open("unavailable").await;
    office.hold("ana", "k", &event, &["A-1-1", "A-1-2"]).send().await.ok(201);
    let wanted = ["A-1-1", "A-1-3", "A-1-2"];
    let refused = office.hold("bob", "k", &event, &wanted).send().await;
    let problem = refused.problem(409, "seats-unavailable");
    assert_eq!(problem["seats"], json!(["A-1-1", "A-1-2"]));
    office.hold("bob", "k2", &event, &["A-1-3"]).send().await.ok(201);

    let places = |buyer, quantity| {
        let body =
            json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": quantity}]});
        office.buyer(buyer, Method::POST, "/holds").key("floor").json(&body).send()
    };
    places("carl", 4).await.ok(201);
    places("dora", 4).await.ok(201);
    let problem = places("emil", 3).await.problem(409, "seats-unavailable");
    assert_eq!(problem["sections"], json!(["FLOOR"]));
}

#[tokio::test]
async fn a_buyer_has_no_more_seats_than_the_sale_allows() {
    let (office, event) = BoxOffice::open("limit").await;
    office.hold("ana", "k", &event, &["A-1-1", "A-1-2", "A-1-3"]).send().await.ok(201);
    let refused = office.hold("ana", "k2", &event, &["B-1-1", "B-1-2"]).send().await;
    let problem = refused.problem(409, "buyer-limit-exceeded");
    assert_eq!((&problem["limit"], &problem["held"]), (&json!(4), &json!(3)));
}

#[tokio::test]
async fn what_the_event_does_not_have_is_named_by_its_place() {
    let (office, event) = BoxOffice::open("unknown_seats").await;
    let answer = office.hold("ana", "k", &event, &["A-1-1", "A-9-1", "Z"]).send().await;
    assert_eq!(answer.pointers(), ["/seats/1", "/seats/2"]);
    for section in ["NOWHERE", "A"] {
        let body = json!({"event_id": event, "general": [{"section": section, "quantity": 1}]});
        let call = office.buyer("ana", Method::POST, "/holds").key("k").json(&body);
        assert_eq!(call.send().await.pointers(), ["/general/0/section"], "{section}");
    }
    let best = json!({"quantity": 1, "section": "FLOOR", "tier": "Z"});
    let body = json!({"event_id": event, "best_available": best});
    let answer = office.buyer("ana", Method::POST, "/holds").key("k").json(&body).send().await;
    let errors = answer.problem(400, "malformed-request")["errors"].clone();
    assert_eq!(errors[0]["detail"], "the event has no such section with seats");
    assert_eq!(errors[1]["detail"], "the event has no such tier");
    office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
}

#[tokio::test]
async fn the_form_of_a_hold_is_checked_in_all_its_places() {
    let (office, event) = BoxOffice::open("hold_form").await;
    let place = |quantity: u32| json!({"section": "FLOOR", "quantity": quantity});
    for (body, pointers) in [
        (json!({}), &[""][..]),
        (json!({"seats": []}), &["/seats"]),
        (json!({"seats": ["A-1-1", "A-1-2", "A-1-1"]}), &["/seats/2"]),
        // One name, typed in two ways.
        (json!({"seats": ["Ö-1", "O\u{308}-1"]}), &["/seats/1"]),
        (json!({"general": []}), &["/general"]),
        (json!({"general": [place(0)]}), &["/general/0/quantity"]),
        (json!({"general": [place(1_000_001)]}), &["/general/0/quantity"]),
        (json!({"general": [place(u32::MAX)]}), &["/general/0/quantity"]),
        (json!({"general": [place(1), place(1)]}), &["/general/1/section"]),
        (json!({"accept_fewer": true}), &[""]),
        (json!({"best_available": {"quantity": 0}}), &["/best_available/quantity"]),
        (json!({"best_available": {"quantity": u32::MAX}}), &["/best_available/quantity"]),
        (json!({"seats": ["A-1-1"], "best_available": {"quantity": 1}}), &["/best_available"]),
        (
            json!({"best_available": {"quantity": 1, "section": "FLOOR", "tier": "Z"}}),
            &["/best_available/section", "/best_available/tier"],
        ),
        (json!({"best_available": {"quantity": 1, "rows": 2}}), &["/best_available/rows"]),
        (json!({"seats": ["A-1-1"], "price": 1}), &["/price"]),
        (json!({"seats": "A-1-1"}), &["/seats"]),
        (json!({"seats": [1]}), &["/seats/0"]),
        (json!({"general": [{"section": "FLOOR", "quantity": -1}]}), &["/general/0/quantity"]),
    ] {
        let mut body = body;
        body["event_id"] = json!(event);
        let call = office.buyer("ana", Method::POST, "/holds").key("k").json(&body);
        assert_eq!(call.send().await.pointers(), pointers, "{body}");
    }
    // The most that a form takes is more than this hall has.
    for (key, most) in [
        ("a", json!({"event_id": event, "general": [place(1_000_000)], "seats": ["A-1-1"]})),
        ("b", json!({"event_id": event, "best_available": {"quantity": 1_000_000}})),
    ] {
        let call = office.buyer("ana", Method::POST, "/holds").key(key).json(&most);
        call.send().await.problem(409, "buyer-limit-exceeded");
    }
    let fine = json!({"event_id": event, "seats": ["A-1-1"], "accept_fewer": false});
    office.buyer("ana", Method::POST, "/holds").key("k").json(&fine).send().await.ok(201);
}

#[tokio::test]
async fn another_buyers_hold_and_no_hold_are_not_told_apart() {
    let (office, event) = BoxOffice::open("others_hold").await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let id = hold["hold_id"].as_str().expect("an id");
    let none = "00000001-0200-8000-8000-000000000000";
    for id in [id, none, "nothing", &event] {
        let path = format!("/holds/{id}");
        office.read("bob", &path).send().await.problem(404, "not-found");
        office.buyer("bob", Method::DELETE, &path).send().await.problem(404, "not-found");
        let order = office.order("bob", "k", &json!(none)).send().await;
        order.problem(404, "not-found");
    }
    office.order("bob", "k", &hold["hold_id"]).send().await.problem(404, "not-found");
    let list = office.read("bob", "/events/noche/holds").send().await.ok(200);
    assert_eq!(list["items"], json!([]));
}

#[tokio::test]
async fn a_hold_is_given_back_once_and_again() {
    let (office, event) = BoxOffice::open("release").await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let path = format!("/holds/{}", hold["hold_id"].as_str().expect("an id"));
    for _ in 0..2 {
        office.buyer("ana", Method::DELETE, &path).send().await.ok(204);
    }
    assert_eq!(office.read("ana", &path).send().await.ok(200)["status"], "released");
    office.hold("bob", "k", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ana", "k", &hold["hold_id"]).send().await;
    assert_eq!(order.problem(409, "hold-not-active")["hold_status"], "released");
    let replay = office.order("ana", "k", &hold["hold_id"]).send().await;
    replay.problem(409, "hold-not-active");
    assert!(replay.is_replay());
}

#[tokio::test]
async fn a_sale_takes_no_holds_before_it_opens_and_none_without_admission() {
    let office = BoxOffice::empty("not_open").await;
    let mut form = event_form();
    form["sale"] = json!({"opens_at": "2098-01-01T00:00:00Z", "waiting_room": true});
    let event = office.create_event(&form).await;
    let refused = office.hold("ana", "k", &event, &["A-1-1"]).send().await;
    let problem = refused.problem(409, "sale-not-open");
    assert_eq!(problem["sale_status"], "scheduled");
    assert_eq!(problem["opens_at"], "2098-01-01T00:00:00Z");

    form["sale"] = json!({"waiting_room": true});
    form["slug"] = json!("otra");
    let event = office.create_event(&form).await;
    let refused = office.hold("ana", "k", &event, &["A-1-1"]).send().await;
    refused.problem(403, "admission-required");
}

#[tokio::test]
async fn an_unknown_event_is_not_found_before_its_seats_are_looked_at() {
    let (office, event) = BoxOffice::open("unknown_event").await;
    let last = if event.ends_with('0') { '1' } else { '0' };
    let other = format!("{}{last}", &event[..35]);
    for unknown in ["00000000-0000-0000-0000-000000000000", &other] {
        let answer = office.hold("ana", "k", unknown, &["Z"]).send().await;
        answer.problem(404, "not-found");
    }
    let slug = json!({"event_id": "noche", "seats": ["A-1-1"]});
    let call = office.buyer("ana", Method::POST, "/holds").key("k").json(&slug);
    assert_eq!(call.send().await.pointers(), ["/event_id"]);
}
