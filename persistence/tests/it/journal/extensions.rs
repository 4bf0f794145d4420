//! Holds that live longer, in rows: once, with what the same batch makes of them.

use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::command::Command;
use taquilla_engine::hold::{Extension, HoldStatus};
use taquilla_engine::id::{AttemptId, HoldId, OrderId};
use taquilla_engine::journal::AppendError;
use taquilla_persistence::codec::{self, Record};

use super::box_office::{BoxOffice, EVENT, HOLD_TTL, hold_of};
use super::owner::{Owner, buyer, order, place_seats, release};

const EXTENSION: Duration = Duration::from_secs(30);

async fn open(name: &str) -> (BoxOffice, Owner) {
    let office = BoxOffice::open(name).await;
    let given = "UPDATE events SET verifying_extension_seconds = 30";
    office.client.execute(given, &[]).await.expect("an event");
    let owner = Owner::start(&office).await;
    (office, owner)
}

fn extend(hold: HoldId) -> Command {
    let attempt = AttemptId::derive(EVENT, &buyer("ann"), "p");
    Command::ExtendHold { order: OrderId::of(hold), attempt }
}

#[tokio::test]
async fn a_hold_lives_longer_by_its_row_and_for_the_next_owner() {
    let (office, mut owner) = open("extend").await;
    let (anns, bobs) = (hold_of("ann", "k"), hold_of("bob", "k"));
    owner.ask(place_seats("ann", "k", &[1]));
    owner.ask(order("ann", "o", anns));
    owner.commit(&office).await;
    owner.ask(place_seats("bob", "k", &[2]));
    owner.ask(order("bob", "o", bobs));
    let extended = owner.ask(extend(anns));
    // Of this very batch, and over again at its end.
    owner.ask(extend(bobs));
    owner.ask(release("bob", bobs));
    let batch = owner.commit(&office).await;
    assert_eq!(batch.holds_extended.len(), 2);
    let Outcome::Extension(Extension::Until(until)) = *owner.outcome(extended) else {
        panic!("{:?}", owner.outcome(extended))
    };
    let longer = "SELECT count(*) FROM holds \
        WHERE extended AND expires_at = created_at + interval '90 seconds'";
    assert_eq!(office.count(longer).await, 2);

    owner.pass(HOLD_TTL);
    let again = owner.ask(extend(anns));
    let taken = owner.ask(place_seats("cid", "k", &[1]));
    owner.commit(&office).await;
    assert_eq!(*owner.outcome(again), Outcome::Extension(Extension::Until(until)));
    assert!(
        matches!(owner.outcome(taken), Outcome::Refused(it) if it.code() == "seats-unavailable")
    );

    let snapshot = office.take_over().await;
    let of = |id| snapshot.holds.iter().find(|hold| hold.id == id).expect("a remembered hold");
    assert_eq!((of(anns).expires_at, of(anns).extended), (until, true));
    assert_eq!((of(bobs).status, of(bobs).extended), (HoldStatus::Released, true));
    let payload = office.client.query_one("SELECT payload FROM outbox WHERE seq = 2", &[]).await;
    let history = codec::decode(payload.expect("a row a batch").get(0)).expect("our own format");
    let said = |it: &Record| {
        matches!(it, Record::HoldExtended { hold, expires_at, .. }
        if *hold == anns.uuid() && *expires_at == until.0)
    };
    assert!(history.iter().any(said), "{history:?}");

    assert_eq!(of(anns).created_at + HOLD_TTL + EXTENSION, until);
}

#[tokio::test]
async fn a_hold_whose_row_was_extended_already_is_not_as_believed() {
    let (office, mut owner) = open("extend_beliefs").await;
    let anns = hold_of("ann", "k");
    owner.ask(place_seats("ann", "k", &[1]));
    owner.ask(order("ann", "o", anns));
    owner.commit(&office).await;
    owner.ask(extend(anns));
    let batch = owner.gather(&office).expect("something has gathered");
    for wrong in ["extended = true", "extended = false, expires_at = expires_at + interval '1 s'"] {
        let sql = format!("UPDATE holds SET {wrong}");
        office.client.execute(&sql, &[]).await.expect("a hold");
        let refused = office.append(&batch).await;
        assert!(
            matches!(refused, Err(AppendError::Refused(of)) if of.starts_with("holds")),
            "{wrong}"
        );
    }
}
