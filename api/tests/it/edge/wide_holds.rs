//! Holds over several sections, with what was declined, chosen, and given back.

use axum::http::Method;
use serde_json::{Value, json};

use super::box_office::BoxOffice;

fn labels(hold: &Value) -> Vec<&str> {
    let items = hold["items"].as_array().expect("items").iter();
    items.filter_map(|item| item["seat"].as_str()).collect()
}

#[tokio::test]
async fn seats_of_several_sections_and_places_are_one_hold_one_order_and_one_sale() {
    let (office, event) = BoxOffice::open("several_sections").await;
    let body = json!({"event_id": event, "seats": ["B-1-1", "A-1-2"],
        "general": [{"section": "FLOOR", "quantity": 2}]});
    let place = || office.buyer("ana", Method::POST, "/holds").key("k").json(&body).send();
    let hold = place().await.ok(201);
    let items = &hold["items"];
    assert_eq!(labels(&hold), ["B-1-1", "A-1-2"]);
    assert_eq!((&items[0]["section"], &items[0]["tier"]), (&json!("B"), &json!("silver")));
    assert_eq!((&items[1]["section"], &items[1]["tier"]), (&json!("A"), &json!("gold")));
    assert_eq!((&items[2]["section"], &items[2]["quantity"]), (&json!("FLOOR"), &json!(2)));
    // 45.00 and 90.00, 5 % of each and 1.00; the floor is free and has no fee.
    assert_eq!(hold["total"], json!({"amount": 13_500 + 225 + 450 + 200, "currency": "EUR"}));
    assert_eq!(hold["declined"], json!([]));
    assert!(hold.get("choice").is_none());
    let again = place().await;
    assert!(again.is_replay());
    assert_eq!(again.ok(201)["items"], hold["items"]);

    let mine = office.read("ana", "/events/noche/holds").send().await.ok(200);
    assert_eq!(mine["items"][0]["items"], hold["items"]);
    let taken = json!({"event_id": event, "seats": ["A-1-2", "A-1-3", "B-1-1"],
        "general": [{"section": "FLOOR", "quantity": 1}]});
    let refused = office.buyer("bob", Method::POST, "/holds").key("k").json(&taken).send().await;
    assert_eq!(refused.problem(409, "seats-unavailable")["seats"], json!(["A-1-2", "B-1-1"]));

    let order = office.order("ana", "o", &hold["hold_id"]).send().await.ok(201);
    assert_eq!(order["items"], hold["items"]);
    assert_eq!(order["total"], hold["total"]);
}

#[tokio::test]
async fn who_accepts_fewer_is_told_what_was_declined_and_a_replay_says_the_same() {
    let (office, event) = BoxOffice::open("fewer").await;
    office.hold("ana", "k", &event, &["A-1-1", "B-1-2"]).send().await.ok(201);
    let floor = json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": 4}]});
    for buyer in ["carl", "dora"] {
        office.buyer(buyer, Method::POST, "/holds").key("k").json(&floor).send().await.ok(201);
    }
    let body = json!({"event_id": event, "seats": ["A-1-2", "A-1-1"], "accept_fewer": true,
        "general": [{"section": "FLOOR", "quantity": 2}]});
    let place = |buyer: &'static str, body: Value| {
        office.buyer(buyer, Method::POST, "/holds").key("f").json(&body).send()
    };
    let hold = place("emil", body.clone()).await.ok(201);
    assert_eq!(labels(&hold), ["A-1-2"]);
    assert_eq!(hold["items"][1]["quantity"], 2);
    assert_eq!(hold["declined"], json!(["A-1-1"]));
    let replay = place("emil", body).await;
    assert!(replay.is_replay());
    assert_eq!(replay.ok(201)["declined"], json!(["A-1-1"]));

    let nothing = json!({"event_id": event, "seats": ["A-1-1"], "accept_fewer": true,
        "general": [{"section": "FLOOR", "quantity": 1}]});
    let problem = place("fred", nothing).await.problem(409, "seats-unavailable");
    assert_eq!(problem["seats"], json!(["A-1-1"]));
    assert_eq!(problem["sections"], json!(["FLOOR"]));
    let over = json!({"event_id": event, "seats": ["A-1-1", "A-2-1", "A-2-2", "A-2-3", "A-2-4"],
        "accept_fewer": true});
    let problem = place("gina", over).await.problem(409, "buyer-limit-exceeded");
    assert_eq!((&problem["limit"], &problem["held"]), (&json!(4), &json!(0)));
}

#[tokio::test]
async fn the_house_chooses_and_says_why() {
    let (office, event) = BoxOffice::open("best").await;
    let best = |buyer: &'static str, wish: Value| {
        let body = json!({"event_id": event, "best_available": wish});
        office.buyer(buyer, Method::POST, "/holds").key("b").json(&body).send()
    };
    let hold = best("ana", json!({"quantity": 2, "section": "A", "adjacent": true})).await.ok(201);
    let choice = &hold["choice"];
    assert_eq!(choice["split"], false);
    assert!(choice["distance"].is_number() && choice["orphans"].is_number());
    assert!(choice["row"].is_string() && choice["reason"].is_string(), "{choice}");
    assert!(labels(&hold).iter().all(|label| label.starts_with("A-") && *label != "A-1-1"));
    let read = office.read("ana", &format!("/holds/{}", hold["hold_id"].as_str().expect("an id")));
    assert_eq!(read.send().await.ok(200)["choice"], *choice);

    // The one seat fit for a wheelchair is for those who ask.
    let hold = best("bob", json!({"quantity": 2, "accessible": true})).await.ok(201);
    assert!(labels(&hold).contains(&"A-1-1"), "{hold}");
    let hold = best("carl", json!({"quantity": 2, "tier": "silver"})).await.ok(201);
    assert_eq!(labels(&hold).len(), 2);
    assert!(labels(&hold).iter().all(|label| label.starts_with("B-")));
    let problem = best("dora", json!({"quantity": 1, "section": "B"})).await;
    assert_eq!(problem.problem(409, "seats-unavailable")["sections"], json!(["B"]));
    let problem = best("emil", json!({"quantity": 1, "section": "NOWHERE"})).await;
    assert_eq!(problem.pointers(), ["/best_available/section"]);
}

#[tokio::test]
async fn one_seat_of_several_is_given_back_and_only_that() {
    let (office, event) = BoxOffice::open("items").await;
    let body = json!({"event_id": event, "seats": ["A-1-2", "A-1-3"],
        "general": [{"section": "FLOOR", "quantity": 2}]});
    let call = office.buyer("ana", Method::POST, "/holds").key("k").json(&body);
    let hold = call.send().await.ok(201);
    let path = format!("/holds/{}", hold["hold_id"].as_str().expect("an id"));
    let items = |who: &'static str, query: &str| {
        office.buyer(who, Method::DELETE, &format!("{path}/items{query}")).send()
    };
    let left = items("ana", "?seat=A-1-2").await.ok(200);
    assert_eq!(labels(&left), ["A-1-3"]);
    assert_eq!(left["expires_at"], hold["expires_at"]);
    assert_eq!(left["total"]["amount"], 9_000 + 450 + 100);
    office.hold("bob", "k", &event, &["A-1-2"]).send().await.ok(201);
    let left = items("ana", "?section=FLOOR&quantity=1").await.ok(200);
    assert_eq!(left["items"][1]["quantity"], 1);

    items("ana", "?seat=A-1-2").await.problem(404, "not-found");
    items("bob", "?seat=A-1-3").await.problem(404, "not-found");
    for (query, pointer) in [
        ("", "?seat"),
        ("?seat=Z", "?seat"),
        ("?section=NOWHERE&quantity=1", "?section"),
        ("?section=FLOOR", "?quantity"),
        ("?section=FLOOR&quantity=0", "?quantity"),
        ("?section=FLOOR&quantity=2", "?quantity"),
        ("?seat=A-1-3&quantity=1", "?seat"),
        ("?seats=A-1-3", "?seats"),
    ] {
        assert_eq!(items("ana", query).await.pointers(), [pointer], "{query}");
    }
    office.order("ana", "o", &hold["hold_id"]).send().await.ok(201);
    items("ana", "?seat=A-1-3").await.problem(409, "order-not-cancellable");
    office.buyer("ana", Method::DELETE, &path).send().await.ok(204);
    let problem = items("ana", "?seat=A-1-3").await;
    problem.problem(409, "order-not-cancellable");
}
