//! An event that has another plan by now, in paused time over the journal in memory.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::clock::ManualClock;
use taquilla_engine::command::Command;
use taquilla_engine::event::Terms;
use taquilla_engine::id::{PlanId, SeatIndex};
use taquilla_engine::journal::TakeOverError;
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::{Deed, EventChange, Operation};
use taquilla_engine::plan::{Plan, SeatPlan, Seats, SectionKind, SectionPlan, Tier};
use taquilla_engine::refusal::{Refusal, TermsDefect};
use taquilla_engine::runtime::{EventHandle, Node, Settings};
use uuid::Uuid;

use crate::desk::{EVENT, place, terms, terms_of};
use crate::moody::{Moody, PATIENCE};

/// Two seats of `A`, the second dropped, and two of `B`.
fn moved() -> Terms {
    let section = |name: &str, first| SectionPlan {
        name: name.into(),
        kind: SectionKind::Seated { first: SeatIndex(first), seats: 2 },
        tier: 0,
    };
    let seat = |label: &str, section| SeatPlan {
        label: label.into(),
        section: taquilla_engine::id::SectionIndex(section),
        ..SeatPlan::default()
    };
    let mut seats = Seats::default();
    seats.push(seat("A1", 0));
    seats.push_dropped(seat("A2", 0));
    seats.push(seat("B1", 1));
    seats.push(seat("B2", 1));
    let tier = Tier { name: "T".into(), price: 1_000 };
    let plan = Plan::new(vec![tier], vec![section("A", 0), section("B", 2)], seats);
    Terms { plan_id: PlanId(Uuid::from_u128(2)), ..terms_of(plan) }
}

async fn stage() -> (Arc<Moody>, Arc<Node>, EventHandle) {
    let journal = Moody::new(MemoryJournal::default());
    let clock = Arc::new(ManualClock::new(Moment(0)));
    let node = Node::start(journal.clone(), clock, Settings::default()).await;
    let event = node.open(terms(2));
    (journal, node, event)
}

async fn is_held(event: &EventHandle, command: Command) -> bool {
    let answer = event.submit(command, PATIENCE).await.expect("an answer");
    matches!(answer.outcome, Outcome::Hold(_))
}

#[tokio::test(start_paused = true)]
async fn an_owner_of_another_plan_knows_what_was_and_sells_what_is_new() {
    let (journal, node, event) = stage().await;
    assert!(is_held(&event, place("ann", "k", &[0])).await);
    let PlanId(plan) = moved().plan_id;
    assert!(!event.has_plan(PlanId(plan), Duration::from_secs(1)).await);
    *journal.moved.lock() = Some(moved());
    node.reopen(EVENT);
    assert!(event.has_plan(PlanId(plan), PATIENCE).await);

    assert_eq!(event.terms().plan.sections().len(), 2);
    let again = event.submit(place("ann", "k", &[0]), PATIENCE).await.expect("an answer");
    assert!(again.replayed);
    assert!(is_held(&event, place("bob", "k", &[2, 3])).await);
    let map = event.availability();
    assert_eq!((map.packed.len(), map.sections.len()), (1, 2));
    let unblock = EventChange::Blocks { block: vec![], unblock: vec![SeatIndex(1)] };
    let deed = Deed {
        id: Uuid::nil(),
        who: "olga".into(),
        what: "block_seats",
        why: "".into(),
        detail: "{}".into(),
    };
    let operate = Command::Operate(Box::new(Operation { deed, change: unblock }));
    let refused = event.submit(operate, PATIENCE).await.expect("an answer").outcome;
    let dropped = vec![TermsDefect::SeatDropped(SeatIndex(1))];
    assert_eq!(refused, Outcome::Refused(Refusal::TermsInvalid(dropped)));
}

/// The takeover that is under way may have read the rows before they were changed.
#[tokio::test(start_paused = true)]
async fn an_event_that_is_to_be_read_again_while_it_is_taken_over_is_read_once_more() {
    let (journal, node, event) = stage().await;
    *journal.takeovers.lock() = Some(TakeOverError::Unavailable("gone".into()));
    node.reopen(EVENT);
    tokio::time::sleep(Duration::from_secs(1)).await;
    *journal.moved.lock() = Some(moved());
    node.reopen(EVENT);
    *journal.takeovers.lock() = None;
    assert!(event.has_plan(moved().plan_id, Duration::from_secs(10)).await);
    assert!(is_held(&event, place("ann", "k", &[3])).await);
}
