//! One bad row or decision stops its section, and nothing else.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome, Unanswered};
use taquilla_engine::clock::ManualClock;
use taquilla_engine::command::{BestWish, Command, Wish};
use taquilla_engine::event::Snapshot;
use taquilla_engine::hold::{Claim, HoldStatus};
use taquilla_engine::id::{HoldId, OrderId, SeatIndex, SectionIndex};
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::moment::Moment;
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::{EventHandle, Node, Settings};
use taquilla_engine::section::SeatState;
use taquilla_engine::waiting_room::admission::Admission;

use crate::desk::{EVENT, buyer, keyed, terms_of};
use crate::moody::{Mode, Moody, PATIENCE};

struct Stage {
    journal: Arc<Moody>,
    clock: Arc<ManualClock>,
    event: EventHandle,
    node: Arc<Node>,
}

/// Sections A and B of four seats, and F of four places.
async fn stage(bad: Option<u32>, spoil: Option<fn(&mut Snapshot)>) -> Stage {
    let journal = Moody::new(MemoryJournal::default());
    *journal.bad.lock() = bad.map(SeatIndex);
    *journal.spoil.lock() = spoil;
    let clock = Arc::new(ManualClock::new(Moment(0)));
    let (event, node) = owner(&journal, &clock).await;
    Stage { journal, clock, event, node }
}

async fn owner(journal: &Arc<Moody>, clock: &Arc<ManualClock>) -> (EventHandle, Arc<Node>) {
    let node = Node::start(journal.clone(), clock.clone(), Settings::default()).await;
    let seated = |name: &str, first| SectionPlan {
        name: name.into(),
        kind: SectionKind::Seated { first: SeatIndex(first), seats: 4 },
        tier: 0,
    };
    let general =
        SectionPlan { name: "F".into(), kind: SectionKind::General { capacity: 4 }, tier: 0 };
    let seats = (0..8_u16).map(|n| SeatPlan {
        label: format!("{n}").into(),
        section: SectionIndex(n / 4),
        x: f32::from(n % 4),
        y: f32::from(n / 4),
        ..SeatPlan::default()
    });
    let tier = Tier { name: "T".into(), price: 100 };
    let plan =
        Plan::new(vec![tier], vec![seated("A", 0), seated("B", 4), general], seats.collect());
    (node.open(terms_of(plan)), node)
}

fn wide(who: &str, seats: &[u32], places: u32) -> Command {
    let mut claim = Claim::of_seats(seats.iter().copied().map(SeatIndex).collect());
    if places > 0 {
        claim.places.push((SectionIndex(2), places));
    }
    let keyed = keyed("k", &format!("{claim:?}"));
    let wish = Wish::Claim { claim, accept_fewer: false };
    Command::PlaceHold { buyer: buyer(who), keyed, wish, admission: Some(Admission::ALWAYS) }
}

fn hold(who: &str) -> HoldId {
    HoldId::derive(EVENT, &buyer(who), "k")
}

fn is_granted(answer: &Result<Answer, Unanswered>) -> bool {
    answer.as_ref().is_ok_and(|answer| matches!(answer.outcome, Outcome::Hold(_)))
}

#[tokio::test(start_paused = true)]
async fn of_a_refused_batch_only_the_one_at_fault_fails_and_only_its_section_stops() {
    let Stage { journal, event, node: _node, .. } = stage(Some(1), None).await;
    assert!(is_granted(&event.submit(wide("warm", &[3], 0), PATIENCE).await));
    // All of them gather behind a batch that is on its way.
    journal.set(Mode::HoldBack);
    let first = tokio::spawn({
        let event = event.clone();
        async move { event.submit(wide("first", &[7], 0), PATIENCE).await }
    });
    tokio::time::advance(Duration::from_millis(1)).await;
    let mut asked = Vec::new();
    for command in [
        wide("ann", &[0], 0),
        wide("bad", &[1], 0),
        wide("bob", &[4], 1),
        wide("cat", &[2, 5], 0),
        wide("dan", &[4], 0),
    ] {
        let event = event.clone();
        asked.push(tokio::spawn(async move { event.submit(command, PATIENCE).await }));
        // Each comes in before the next.
        tokio::time::advance(Duration::from_millis(1)).await;
    }
    journal.let_go();
    let first = first.await.unwrap();
    assert!(is_granted(&first), "{first:?}");
    let mut answers = Vec::new();
    for asked in asked {
        answers.push(asked.await.unwrap());
    }
    assert!(is_granted(&answers[0]), "an innocent one of the same section: {:?}", answers[0]);
    assert_eq!(answers[1], Err(Unanswered::Broken));
    assert!(is_granted(&answers[2]), "{:?}", answers[2]);
    // Decided after the section was shut.
    assert_eq!(answers[3], Err(Unanswered::Quarantined(vec![SectionIndex(0)])));
    assert!(matches!(&answers[4], Ok(answer) if matches!(answer.outcome, Outcome::Refused(_))));
    assert_eq!(*journal.refused.lock(), 2, "once among others, once alone");

    let shut = Err(Unanswered::Quarantined(vec![SectionIndex(0)]));
    assert_eq!(event.submit(wide("eve", &[2, 6], 1), PATIENCE).await, shut);
    assert!(is_granted(&event.submit(wide("fay", &[6], 1), PATIENCE).await));
    let release = Command::ReleaseHold { buyer: buyer("ann"), hold: hold("ann") };
    assert_eq!(event.submit(release, PATIENCE).await, shut);
    let read = Command::ReadHold { buyer: buyer("ann"), hold: hold("ann") };
    assert!(is_granted(&event.submit(read, PATIENCE).await), "one's own things can be read");
    let best =
        BestWish { quantity: 1, section: None, tier: None, adjacent: true, accessible: false };
    let wish = Wish::Best { wish: best, accept_fewer: false };
    let (buyer, keyed) = (buyer("gus"), keyed("k", "best"));
    let best = Command::PlaceHold { buyer, keyed, wish, admission: Some(Admission::ALWAYS) };
    match event.submit(best, PATIENCE).await.unwrap().outcome {
        Outcome::Hold(hold) => assert!(hold.claim.seats[0] >= SeatIndex(4), "of a shut section"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn what_time_does_is_found_out_alone_as_well() {
    let Stage { journal, clock, event, node: _node } = stage(None, None).await;
    assert!(is_granted(&event.submit(wide("ann", &[0], 0), PATIENCE).await));
    assert!(is_granted(&event.submit(wide("bob", &[4], 0), PATIENCE).await));
    // From now on nothing may end ann's hold; the sweep tries to.
    *journal.bad.lock() = Some(SeatIndex(0));
    clock.advance(Duration::from_secs(121));
    tokio::time::sleep(Duration::from_secs(5)).await;
    let shut = Err(Unanswered::Quarantined(vec![SectionIndex(0)]));
    assert_eq!(event.submit(wide("cat", &[1], 0), PATIENCE).await, shut);
    assert!(is_granted(&event.submit(wide("dan", &[4], 0), PATIENCE).await), "bob's is over");
    let refused = *journal.refused.lock();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(*journal.refused.lock(), refused, "nobody tries for ever");
}

#[tokio::test(start_paused = true)]
async fn a_section_whose_rows_contradict_each_other_is_kept_apart_from_the_start() {
    let spoil: fn(&mut Snapshot) = |snapshot| {
        let nobody = HoldId::derive(EVENT, &buyer("nobody"), "k");
        snapshot.seats.push((SeatIndex(3), SeatState::Held(nobody)));
    };
    let Stage { event, node: _node, .. } = stage(None, Some(spoil)).await;
    let shut = Err(Unanswered::Quarantined(vec![SectionIndex(0)]));
    assert_eq!(event.submit(wide("ann", &[0], 0), PATIENCE).await, shut);
    assert!(is_granted(&event.submit(wide("bob", &[4], 2), PATIENCE).await));
}

#[tokio::test(start_paused = true)]
async fn a_hold_that_reaches_into_a_shut_section_stays_whole_and_counts() {
    let Stage { journal, clock, event, node } = stage(None, None).await;
    assert!(is_granted(&event.submit(wide("ann", &[0, 4], 1), PATIENCE).await));
    let order = Command::PlaceOrder {
        buyer: buyer("ann"),
        keyed: keyed("o", "o"),
        hold: hold("ann"),
        admission: Some(Admission::ALWAYS),
    };
    event.submit(order, PATIENCE).await.unwrap();
    *journal.spoil.lock() = Some(|snapshot| {
        snapshot.seats.retain(|(seat, _)| *seat != SeatIndex(0));
    });
    node.stop().await;
    let (event, _node) = owner(&journal, &clock).await;
    clock.advance(Duration::from_secs(200));
    tokio::time::sleep(Duration::from_secs(2)).await;
    let shut = Err(Unanswered::Quarantined(vec![SectionIndex(0)]));
    let attempt = taquilla_engine::id::AttemptId::derive(EVENT, &buyer("ann"), "p");
    let confirm = Command::ConfirmOrder { order: OrderId::of(hold("ann")), attempt };
    assert_eq!(event.submit(confirm, PATIENCE).await, shut, "no word on money while it is unclear");
    // Its other seat is not given to somebody else, although its time is over.
    match event.submit(wide("bob", &[4], 0), PATIENCE).await.unwrap().outcome {
        Outcome::Refused(_) => {}
        other => panic!("{other:?}"),
    }
    assert!(is_granted(&event.submit(wide("cat", &[5], 3), PATIENCE).await));
    let (order, id) = (OrderId::of(hold("ann")), hold("ann"));
    let anns = Command::ReleaseHold { buyer: buyer("ann"), hold: id };
    assert_eq!(event.submit(anns, PATIENCE).await, shut);
    let part = Ok(Claim::of_seats(vec![SeatIndex(0)]));
    for strangers in [
        Command::ReleaseHold { buyer: buyer("eve"), hold: id },
        Command::GiveBack { buyer: buyer("eve"), hold: id, part },
        Command::CancelOrder { buyer: buyer("eve"), order },
        Command::PlaceOrder {
            buyer: buyer("eve"),
            keyed: keyed("o", "o"),
            hold: id,
            admission: Some(Admission::ALWAYS),
        },
    ] {
        let answer = event.submit(strangers, PATIENCE).await.unwrap();
        assert_eq!(answer.outcome, Outcome::Refused(Refusal::NotFound));
    }
    let rows = journal.rows.peek(EVENT);
    let kept = rows.holds.iter().find(|it| it.id == hold("ann")).unwrap();
    assert_eq!(kept.status, HoldStatus::Active);
}
