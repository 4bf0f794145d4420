//! What operators do, in rows: the deed and its trail in one batch, and the next owner knows it.

use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::command::Command;
use taquilla_engine::event::{Change, Fact};
use taquilla_engine::hold::Claim;
use taquilla_engine::id::SeatIndex;
use taquilla_engine::journal::AppendError;
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::{
    Deed, EventChange, ListedArtist, Listing, Operation, SaleAction, SalePatch, TermsPatch,
};
use taquilla_engine::section::SeatState;
use taquilla_persistence::codec::{self, Record};
use uuid::Uuid;

use super::box_office::{BoxOffice, FLOOR, HOLD_TTL, hold_of, seats};
use super::owner::{Owner, place, place_seats};

const TIERS: &str = "INSERT INTO event_tiers VALUES (1, 0, 'paid', 1000), (1, 1, 'free', 0)";

fn deed(id: u128) -> Deed {
    let (who, why) = ("olga".into(), "a \"stage\"".into());
    Deed { id: Uuid::from_u128(id), who, what: "operate", why, detail: "{\"a\": [1]}".into() }
}

fn operate(id: u128, change: EventChange) -> Command {
    Command::Operate(Box::new(Operation { deed: deed(id), change }))
}

fn blocks(id: u128, block: &[u32], unblock: &[u32]) -> Command {
    operate(id, EventChange::Blocks { block: seats(block), unblock: seats(unblock) })
}

fn patch(id: u128, patch: TermsPatch) -> Command {
    operate(id, EventChange::Terms(Box::new(patch)))
}

#[tokio::test]
async fn seats_blocked_in_several_sections_are_blocked_in_rows_with_who_did_it() {
    let office = BoxOffice::open("blocks").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[3]));
    owner.commit(&office).await;
    owner.pass(HOLD_TTL);
    let asked = owner.ask(blocks(1, &[3, 12, 29], &[4]));
    owner.ask(blocks(2, &[5], &[12]));
    let batch = owner.commit(&office).await;
    assert!(matches!(owner.outcome(asked), Outcome::Operated(done) if done.blocked == 3));
    let held = SeatState::Held(hold_of("ann", "k"));
    let change = Change { was: held, becomes: SeatState::Blocked };
    assert_eq!(batch.seats[&SeatIndex(3)], change, "its overdue hold ends in the same batch");

    let blocked = "SELECT count(*) FROM seats WHERE state = 3 AND hold_id IS NULL \
                      AND seat_key % 1048576 IN (3, 5, 29)";
    assert_eq!(office.count(blocked).await, 3);
    assert_eq!(office.count("SELECT count(*) FROM seats WHERE state <> 0").await, 3);
    let trail = "SELECT count(*) FROM operator_actions WHERE event_no = 1 AND who = 'olga' \
                    AND what = 'operate' AND why = 'a \"stage\"' AND detail = '{\"a\": [1]}' \
                    AND at BETWEEN now() - interval '2 hours' AND now()";
    assert_eq!(office.count(trail).await, 2);

    let sql = "SELECT payload FROM outbox WHERE seq = 2";
    let payload = office.client.query_one(sql, &[]).await.expect("a row a batch");
    let history = codec::decode(payload.get(0)).expect("our own format");
    let found = |record: &Record| history.iter().any(|it| it == record);
    let at = owner.now.0;
    assert!(found(&Record::SeatsBlocked { seats: vec![3], at }), "{history:?}");
    assert!(found(&Record::SeatsUnblocked { seats: vec![12], at }), "{history:?}");
    let action = Uuid::from_u128(2);
    let (who, what) = ("olga".into(), "operate".into());
    assert!(found(&Record::Operated { action, who, what, at }), "{history:?}");

    let mut next = Owner::rebuild(office.take_over().await);
    let refused = next.tell(&office, place_seats("bob", "k", &[3]));
    assert!(matches!(refused, Outcome::Refused(refusal) if refusal.code() == "seats-unavailable"));
}

#[tokio::test]
async fn new_terms_stand_in_rows_and_the_next_owner_sells_by_them() {
    let office = BoxOffice::open("terms").await;
    office.client.batch_execute(TIERS).await.expect("two tiers");
    let mut owner = Owner::start(&office).await;
    // Far away, and exact to the microsecond.
    let (starts_at, closes_at) = (Moment(253_370_764_800_000_001), Moment(253_370_764_700_000_003));
    owner.ask(patch(
        1,
        TermsPatch {
            listing: Listing {
                name: Some("Otra".into()),
                starts_at: Some(starts_at),
                artists: Some(vec![artist("ana"), artist("eva")]),
                ..Listing::default()
            },
            sale: SalePatch {
                closes_at: Some(closes_at),
                hold_ttl: Some(Duration::from_secs(7)),
                buyer_seats_max: Some(2),
                verifying_extension: Some(Duration::from_secs(30)),
                ..SalePatch::default()
            },
            prices: vec![("free".into(), 0), ("paid".into(), 1_200)],
            capacities: vec![(FLOOR, 5)],
        },
    ));
    owner.commit(&office).await;
    let row = "SELECT count(*) FROM events WHERE name = 'Otra' AND description = '' \
                  AND hold_ttl_seconds = 7 AND buyer_seats_max = 2 AND NOT paused \
                  AND verifying_extension_seconds = 30 AND opens_at = '2000-01-01' \
                  AND starts_at = '9999-01-01 00:00:00.000001+00'";
    assert_eq!(office.count(row).await, 1);
    let plays = "SELECT count(*) FROM event_artists JOIN artists USING (artist_id) \
                  WHERE (place, slug) IN ((0, 'ana'), (1, 'eva'))";
    assert_eq!(office.count(plays).await, 2);

    let snapshot = office.take_over().await;
    let sale = snapshot.amendment.sale.clone().expect("the row's");
    assert_eq!((sale.closes_at, sale.hold_ttl), (closes_at, Duration::from_secs(7)));
    assert_eq!(snapshot.amendment.capacities, [(FLOOR, 5)]);
    let mut next = Owner::rebuild(snapshot);
    let refused = next.tell(&office, place_seats("ann", "k", &[1, 2, 3]));
    let Outcome::Refused(refusal) = refused else { panic!("{refused:?}") };
    assert_eq!(refusal.code(), "buyer-limit-exceeded");
    let asked = next.ask(place_seats("ann", "j", &[1]));
    next.commit(&office).await;
    let Outcome::Hold(hold) = next.outcome(asked) else { panic!("a free seat") };
    assert_eq!((hold.unit_prices[0], hold.expires_at), (1_200, hold.created_at + sale.hold_ttl));
}

#[tokio::test]
async fn a_limit_or_a_capacity_that_moves_between_holds_breaks_no_rule_of_the_rows() {
    let office = BoxOffice::open("moving_terms").await;
    let mut owner = Owner::start(&office).await;
    let limit = |limit| TermsPatch {
        sale: SalePatch { buyer_seats_max: Some(limit), ..SalePatch::default() },
        ..TermsPatch::default()
    };
    let room = |places| TermsPatch { capacities: vec![(FLOOR, places)], ..TermsPatch::default() };
    owner.ask(place_seats("ann", "k", &[0, 1, 2, 3, 4, 5]));
    owner.ask(patch(1, limit(8)));
    owner.ask(place("bob", "k", Claim::of_places(FLOOR, 8)));
    owner.ask(patch(2, limit(3)));
    owner.ask(patch(3, room(20)));
    owner.ask(place("cid", "k", Claim::of_places(FLOOR, 3)));
    owner.ask(patch(4, room(11)));
    let mut batches = 0;
    while let Some(batch) = owner.gather(&office) {
        office.append(&batch).await.expect("each batch keeps the rules by itself");
        assert!(owner.committed(&batch));
        batches += 1;
    }
    assert_eq!(batches, 7, "new terms share a batch with nothing");
    assert_eq!(office.count("SELECT count(*) FROM buyers WHERE seats > 3").await, 2);
    assert_eq!(office.count("SELECT count(*) FROM general_areas WHERE capacity = 11").await, 1);
    Owner::rebuild(office.take_over().await);
}

#[tokio::test]
async fn a_pause_outlives_its_owner() {
    let office = BoxOffice::open("pause").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(operate(1, EventChange::Sale(SaleAction::Pause)));
    owner.commit(&office).await;
    let mut next = Owner::rebuild(office.take_over().await);
    let refused = next.tell(&office, place_seats("ann", "k", &[1]));
    assert!(matches!(refused, Outcome::Refused(refusal) if refusal.code() == "sale-not-open"));
}

#[tokio::test]
async fn a_capacity_that_is_not_what_memory_believed_is_a_breach() {
    let office = BoxOffice::open("capacity_belief").await;
    let owner = office.take_over().await;
    let capacity = Fact::CapacitySet { section: FLOOR, was: 9, becomes: 4, at: Moment(0) };
    let acted = Fact::Operated { deed: deed(1), at: Moment(0) };
    let batch = office.batch(&owner, vec![capacity, acted]);
    let refused = office.append(&batch).await.expect_err("the row says 8");
    assert!(matches!(&refused, AppendError::Refused(what) if what.contains("general_areas")));
    assert_eq!(office.count("SELECT count(*) FROM operator_actions").await, 0);
}

fn artist(name: &str) -> ListedArtist {
    ListedArtist { id: Uuid::new_v4(), slug: name.into(), name: name.into() }
}
