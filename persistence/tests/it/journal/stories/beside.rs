//! What no batch tells: refusals, and what operators did.

use std::sync::Arc;

use serde_json::json;
use taquilla_engine::chronicle::{Chronicle, Refused};
use taquilla_engine::command::{Command, Request};
use taquilla_engine::hold::{Claim, HoldStatus};
use taquilla_engine::id::{
    AttemptId, EventId, EventNumber, HoldId, OrderId, QueueTicketId, SeatIndex,
};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::{Deed, EventChange, Operation, TermsPatch};
use taquilla_engine::refusal::Refusal;
use taquilla_persistence::chronicle::{PostgresChronicle, RefusalRecord};
use taquilla_persistence::story::{Entry, Subject, What};
use tokio_postgres::types::{Json, ToSql};
use uuid::Uuid;

use super::stage::{Stage, seat, told};
use crate::journal::box_office::{EVENT, FLOOR, hold_of, seats};
use crate::journal::owner::{buyer, order, place, place_seats, release};

fn refused(at: i64, command: Command, refusal: Refusal) -> Refused {
    let request = Arc::new(Request { command, deadline: Moment(i64::MAX) });
    Refused { at: Moment(at), request, refusal }
}

fn unavailable(seats: &[u32]) -> Refusal {
    let seats = seats.iter().copied().map(SeatIndex).collect();
    Refusal::SeatsUnavailable { seats, sections: vec![] }
}

fn refusals(story: &[Entry]) -> Vec<RefusalRecord> {
    let refusal = |entry: &Entry| match &entry.what {
        What::Refused(refusal) => Some(RefusalRecord::clone(refusal)),
        _ => None,
    };
    story.iter().filter_map(refusal).collect()
}

#[tokio::test]
async fn refusals_are_told_of_their_buyer_their_seats_and_the_holds_and_orders_they_were_about() {
    let mut stage = Stage::open("story_refusals").await;
    stage.owner.ask(place_seats("ann", "k", &[3, 4]));
    stage.owner.ask(order("ann", "o", hold_of("ann", "k")));
    stage.owner.commit(&stage.office).await;
    let chronicle = PostgresChronicle::new(stage.database.clone());
    let anns = hold_of("ann", "k");
    let cancel = Command::CancelOrder { buyer: buyer("cid"), order: OrderId::of(anns) };
    let limit = Refusal::BuyerLimitExceeded { limit: 6, held: 4 };
    let of_one_second = [
        refused(1, place_seats("bob", "k", &[4, 5]), unavailable(&[4])),
        refused(2, place_seats("bob", "l", &[6, 7, 8]), limit),
        refused(3, release("dan", anns), Refusal::NotFound),
    ];
    let of_the_next = [
        refused(4, cancel, Refusal::NotFound),
        refused(5, order("ann", "p", anns), Refusal::HoldNotActive(HoldStatus::Released)),
    ];
    for page in [of_one_second.as_slice(), &of_the_next] {
        chronicle.write(EVENT, page).await.expect("the database is there");
    }
    let other = EventNumber(2);
    let elsewhere = [refused(1, place_seats("bob", "m", &[4]), unavailable(&[4]))];
    chronicle.write(other, &elsewhere).await.expect("the database is there");

    let instants = |story: Vec<Entry>| -> Vec<i64> {
        refusals(&story).into_iter().map(|refusal| refusal.at).collect()
    };
    assert_eq!(instants(stage.story(&seat(4)).await), [1, 3, 4, 5]);
    assert_eq!(instants(stage.story(&seat(5)).await), [1], "asked for, though it was free");
    assert_eq!(instants(stage.story(&Subject::Hold(anns)).await), [3, 4, 5]);
    assert_eq!(instants(stage.story(&Subject::Buyer(buyer("dan"))).await), [3]);
    let of_bob = stage.story(&Subject::Buyer(buyer("bob"))).await;
    assert_eq!(told(&of_bob), ["bob Refused", "bob Refused"]);
    let [first, second] = refusals(&of_bob).try_into().expect("two");
    let expected = RefusalRecord {
        at: 1,
        buyer: "bob".into(),
        asked: "place_hold".into(),
        why: "seats-unavailable".into(),
        hold: Some(HoldId::derive(EVENT, &buyer("bob"), "k").uuid()),
        seats: vec![4, 5],
        no_seats: vec![4],
        ..RefusalRecord::default()
    };
    assert_eq!(first, expected);
    assert_eq!((second.limit, second.held), (Some(6), Some(4)));
}

#[tokio::test]
async fn a_long_row_of_refusals_is_told_in_parts_without_a_gap() {
    let stage = Stage::open("story_hot_seat").await;
    let chronicle = PostgresChronicle::new(stage.database.clone());
    for page in 0..5_i64 {
        let at = |n: i64| page * 1_000 + n;
        let name = |n: i64| format!("b{n}");
        let one = |n| refused(at(n), place_seats(&name(n), "k", &[4]), unavailable(&[4]));
        let page: Vec<_> = (0..1_000).map(one).collect();
        chronicle.write(EVENT, &page).await.expect("the database is there");
    }
    let (mut instants, mut after) = (Vec::new(), None);
    loop {
        let page = stage.tell(&seat(4), after, 700).await.expect("a story");
        instants.extend(page.items.iter().map(|entry| entry.position.at.0));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(instants, (0..5_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn money_that_went_back_and_scans_are_told_of_the_orders_they_were_about() {
    let mut stage = Stage::open("story_movements").await;
    let order_of = OrderId::of(hold_of("ann", "k"));
    let attempt = AttemptId::derive(EVENT, &buyer("ann"), "p");
    stage.owner.ask(place_seats("ann", "k", &[3, 4]));
    stage.owner.ask(order("ann", "o", hold_of("ann", "k")));
    stage.owner.commit(&stage.office).await;
    stage.office.authorize(attempt.uuid(), order_of.uuid()).await;
    stage.owner.ask(Command::ConfirmOrder { order: order_of, attempt });
    stage.owner.commit(&stage.office).await;
    let sql = format!(
        "INSERT INTO ledger (attempt_id, order_id, event_no, kind, name, account, amount, currency) \
         VALUES ('{0}', '{1}', {2}, 'refund', '{0}', 'provider', -100, 'EUR'), \
                ('{0}', '{1}', {2}, 'refund', '', 'provider', -7, 'EUR'), \
                ('{0}', '{1}', {2}, 'refund', '{0}/failed/1', 'provider', 100, 'EUR'), \
                ('{0}', '{1}', {2}, 'refund', '{0}/1', 'provider', -100, 'EUR'), \
                ('{0}', '{1}', {2}, 'refund', '/failed/2', 'provider', 7, 'EUR'), \
                ('{0}', '{1}', {2}, 'refund', '/2', 'provider', -7, 'EUR'), \
                ('{0}', '{1}', {2}, 'chargeback', 'n1', 'provider', -50, 'EUR'), \
                ('{0}', '{1}', {2}, 'chargeback', 'n2', 'provider', 50, 'EUR'); \
         SELECT scan_ticket(id, sha256('code'), (SELECT min(ticket_id::text)::uuid FROM tickets), 'gus') \
           FROM unnest(ARRAY['s1', 's2']) AS id",
        attempt.uuid(),
        order_of.uuid(),
        EVENT.0
    );
    stage.office.client.batch_execute(&sql).await.expect("rows");
    for subject in [Subject::Order(order_of), seat(3), Subject::Buyer(buyer("ann"))] {
        let story = stage.story(&subject).await;
        let after = told(&story).into_iter().filter(|it| !it.contains("Hold"));
        let after: Vec<String> = after.skip_while(|it| it != "ann RefundSettled").collect();
        let expected = [
            "ann RefundSettled",
            "ann RefundFailed",
            "ann RefundSettled",
            "ann RefundFailed",
            "ann ChargedBack",
            "ann ChargebackReturned",
            "gus TicketScanned",
            "gus TicketScanned",
        ];
        assert_eq!(after, expected, "{subject:?}");
        let results: Vec<&str> = story.iter().filter_map(result).collect();
        assert_eq!(results, ["accepted", "already_used"]);
    }
    let bobs = stage.tell(&Subject::Buyer(buyer("bob")), None, 100).await;
    assert_eq!(bobs, None, "nobody else's");
}

fn result(entry: &Entry) -> Option<&'static str> {
    match &entry.what {
        What::TicketScanned { result, .. } => Some(result.code()),
        _ => None,
    }
}

#[tokio::test]
async fn places_in_the_waiting_room_are_told_in_their_buyers_stories() {
    let stage = Stage::open("story_queue").await;
    let sql = "INSERT INTO queue_heads (event_no, salt, secret, joined, present, value, opened_at, served) \
               SELECT event_no, sha256('s'), sha256('s'), 3, 2, sha256('v'), now(), 2 FROM events; \
               INSERT INTO queue_calls SELECT event_no, 2, now() + interval '1 minute' FROM events; \
               INSERT INTO queue_tickets (event_no, number, ticket_id, buyer, joined_at, turn, turned_at, until) \
               SELECT event_no, number, taquilla_id, buyer, now(), turn, \
                      CASE WHEN turn IS NOT NULL THEN now() + interval '2 minutes' END, \
                      CASE WHEN turn = 2 THEN now() + interval '20 minutes' END \
                 FROM events, (VALUES (0, 'ann', 2), (1, 'bob', 1), (2, 'cat', NULL)) \
                   AS place (number, buyer, turn), \
                      LATERAL (SELECT $1::uuid AS taquilla_id) id";
    let ticket = QueueTicketId::derive(EVENT, &[1; 32], &buyer("ann")).uuid().to_string();
    let event = EventId::new(EVENT, [1; 11]).uuid();
    let sql = sql.replace("$1", &format!("'{ticket}'"));
    let sql = format!("UPDATE events SET event_id = '{event}'; {sql}");
    stage.office.client.batch_execute(&sql).await.expect("rows");
    let expected = [
        ("ann", vec!["ann QueueJoined", "clock QueueCalled", "ann QueueAdmitted"]),
        ("bob", vec!["bob QueueJoined", "clock QueueCalled", "bob QueueLeft"]),
        ("cat", vec!["cat QueueJoined"]),
    ];
    let mut positions = Vec::new();
    for (name, expected) in expected {
        let story = stage.story(&Subject::Buyer(buyer(name))).await;
        assert_eq!(told(&story), expected);
        positions.extend(story.iter().filter_map(|entry| match &entry.what {
            What::QueueCalled { position, .. } => Some(*position),
            _ => None,
        }));
        let bought = story.iter().any(|entry| {
            matches!(entry.what, What::QueueAdmitted { has_bought: true, until: Some(_), .. })
        });
        assert_eq!(bought, name == "ann");
    }
    positions.sort_unstable();
    assert_eq!(positions, [0, 1], "as they were drawn");
}

#[tokio::test]
async fn operators_actions_are_told_of_what_they_touch() {
    let mut stage = Stage::open("story_actions").await;
    stage.owner.ask(place_seats("ann", "k", &[4]));
    stage.owner.ask(order("ann", "o", hold_of("ann", "k")));
    stage.owner.commit(&stage.office).await;
    let order = OrderId::of(hold_of("ann", "k")).uuid();
    for (event, what, detail) in [
        (Some(EVENT.0), "create_event", json!({"slug": "e"})),
        (Some(EVENT.0), "block_seats", json!({"block": ["S-4"], "unblock": ["S-5"]})),
        (Some(EVENT.0), "refund", json!({"order_id": order})),
        (Some(2), "create_event", json!({"slug": "f"})),
        (None, "create_venue", json!({"slug": "v"})),
    ] {
        let sql = "INSERT INTO operator_actions (action_id, event_no, who, what, why, detail) \
                   VALUES (gen_random_uuid(), $1, 'olga', $2, 'because', $3)";
        let params: [&(dyn ToSql + Sync); 3] = [&event, &what, &Json(detail)];
        stage.office.client.execute(sql, &params).await.expect("a row");
    }
    let deeds = async |subject: &Subject| -> Vec<String> {
        let deed = |entry: Entry| match entry.what {
            What::Operated { deed, .. } => Some(deed),
            _ => None,
        };
        stage.story(subject).await.into_iter().filter_map(deed).collect()
    };
    assert_eq!(deeds(&seat(4)).await, ["create_event", "block_seats", "refund"]);
    assert_eq!(deeds(&seat(5)).await, ["create_event", "block_seats"]);
    assert_eq!(deeds(&seat(6)).await, ["create_event"]);
    assert_eq!(deeds(&Subject::Buyer(buyer("ann"))).await, ["create_event", "refund"]);
}

#[tokio::test]
async fn blocks_and_capacities_are_told_with_the_operator_who_set_them() {
    let mut stage = Stage::open("story_blocks").await;
    let places = place("ann", "k", Claim::of_places(FLOOR, 2));
    stage.owner.ask(places);
    stage.owner.ask(operate(1, "olga", blocks(&[4, 12], &[])));
    stage.owner.commit(&stage.office).await;
    stage.owner.ask(operate(2, "otto", blocks(&[5], &[4])));
    stage.owner.commit(&stage.office).await;
    // New terms have a batch of their own.
    let capacities = vec![(FLOOR, 5)];
    let patch = TermsPatch { capacities, ..TermsPatch::default() };
    stage.owner.ask(operate(3, "otto", EventChange::Terms(Box::new(patch))));
    stage.owner.commit(&stage.office).await;
    let history = |story: Vec<Entry>| -> Vec<String> {
        told(&story).into_iter().filter(|line| !line.ends_with("Operated")).collect()
    };
    let of_seat = stage.story(&seat(4)).await;
    assert_eq!(history(of_seat), ["olga SeatBlocked", "otto SeatUnblocked"]);
    assert_eq!(history(stage.story(&seat(12)).await), ["olga SeatBlocked"]);
    assert_eq!(history(stage.story(&seat(6)).await), [""; 0]);
    let of_ann = history(stage.story(&Subject::Buyer(buyer("ann"))).await);
    assert_eq!(of_ann, ["ann HoldPlaced", "otto CapacitySet"]);
}

fn blocks(block: &[u32], unblock: &[u32]) -> EventChange {
    EventChange::Blocks { block: seats(block), unblock: seats(unblock) }
}

fn operate(id: u128, who: &str, change: EventChange) -> Command {
    let (why, detail) = ("".into(), "{}".into());
    let deed = Deed { id: Uuid::from_u128(id), who: who.into(), what: "operate", why, detail };
    Command::Operate(Box::new(Operation { deed, change }))
}
