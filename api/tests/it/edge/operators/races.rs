//! Operators against buyers: whoever is first has it, and the rows agree.

use serde_json::json;
use tokio::task::JoinSet;

use crate::edge::box_office::BoxOffice;

#[tokio::test]
async fn of_a_block_and_a_hold_of_one_seat_one_is_granted() {
    let (office, event) = BoxOffice::open("op_race_block").await;
    for round in 0..10 {
        let seats = ["A-1-1", "B-1-1"];
        let key = format!("k{round}");
        let hold = office.hold("ana", &key, &event, &seats).send();
        let block = office.blocks(&event, &seats, &[]).send();
        let (hold, block) = tokio::join!(hold, block);
        match (hold.status.as_u16(), block.status.as_u16()) {
            (201, 409) => {
                let id = hold.json()["hold_id"].as_str().expect("an id").to_owned();
                let path = format!("/holds/{id}");
                office.buyer("ana", axum::http::Method::DELETE, &path).send().await.ok(204);
            }
            (409, 200) => drop(office.blocks(&event, &[], &seats).send().await.ok(200)),
            other => panic!("both or neither: {other:?}"),
        }
        office.audit_is_green(&event).await;
    }
}

#[tokio::test]
async fn a_capacity_that_is_lowered_under_holds_is_never_oversold() {
    let (office, event) = BoxOffice::open("op_race_capacity").await;
    let buyers: Vec<String> = (0..8).map(|buyer| format!("buyer-{buyer}")).collect();
    for (round, capacity) in [9, 6, 4, 8, 2].into_iter().enumerate() {
        let key = format!("k{round}");
        let mut holds = JoinSet::new();
        for buyer in &buyers {
            let (call, buyer) = (office.places(buyer, &key, &event, 1), buyer.clone());
            holds.spawn(async move { (buyer, call.send().await) });
        }
        let limit = json!({"general": [{"section": "FLOOR", "capacity": capacity}],
                           "sale": {"max_seats_per_buyer": 1 + round % 2}});
        let change = office.change(&event, &limit).send();
        let (holds, change) = tokio::join!(holds.join_all(), change);
        assert!([200, 409].contains(&change.status.as_u16()), "{change:?}");
        for (buyer, hold) in holds {
            match hold.status.as_u16() {
                201 => {
                    let id = hold.json()["hold_id"].as_str().expect("an id").to_owned();
                    let path = format!("/holds/{id}");
                    office.buyer(&buyer, axum::http::Method::DELETE, &path).send().await.ok(204);
                }
                409 => {}
                other => panic!("{other}: {hold:?}"),
            }
        }
        office.audit_is_green(&event).await;
    }
}
