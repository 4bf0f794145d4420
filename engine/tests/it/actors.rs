//! The runtime in paused time over the journal in memory: deadlines, bounds, owners that die and
//! come back.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome, PauseReason, Unanswered};
use taquilla_engine::clock::{Clock, ManualClock};
use taquilla_engine::command::Command;
use taquilla_engine::hold::{Claim, HoldStatus};
use taquilla_engine::id::{AttemptId, HoldId, OrderId, SeatIndex};
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::journal::{AppendError, TakeOverError};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::{Deed, EventChange, Operation};
use taquilla_engine::order::Verdict;
use taquilla_engine::runtime::{EventHandle, Node, Settings};
use tokio::time::Instant;
use uuid::Uuid;

use crate::desk::{EVENT, buyer, place, place_order, terms};
use crate::moody::{Mode, Moody, PATIENCE};

struct Stage {
    journal: Arc<Moody>,
    clock: Arc<ManualClock>,
    node: Arc<Node>,
    event: EventHandle,
}

async fn stage(settings: Settings) -> Stage {
    let journal = Moody::new(MemoryJournal::default());
    let clock = Arc::new(ManualClock::new(Moment(0)));
    let node = Node::start(journal.clone(), clock.clone(), settings).await;
    let event = node.open(terms(100));
    Stage { journal, clock, node, event }
}

async fn granted(event: &EventHandle, command: Command) -> Answer {
    let answer = event.submit(command, PATIENCE).await.unwrap();
    assert!(matches!(answer.outcome, Outcome::Hold(_)), "{answer:?}");
    answer
}

/// Repeats the command under its key, as a client does who was told that the outcome is unknown.
async fn repeated(event: &EventHandle, command: Command) -> Answer {
    for _ in 0..3 {
        match event.submit(command.clone(), PATIENCE).await {
            Err(Unanswered::OutcomeUnknown) => {}
            answer => return answer.unwrap(),
        }
    }
    panic!("the outcome of {command:?} stays unknown");
}

#[tokio::test(start_paused = true)]
async fn a_hold_is_granted_and_another_owner_knows_it() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    stage.node.stop().await;
    let node = Node::start(stage.journal.clone(), stage.clock.clone(), Settings::default()).await;
    let event = node.open(terms(100));
    let again = granted(&event, place("ann", "k", &[0])).await;
    assert!(again.replayed);
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_is_never_answered_is_unknown_to_its_caller_and_true_afterwards() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    stage.journal.set(Mode::Mute);
    let asked = Instant::now();
    let lost = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(lost, Err(Unanswered::OutcomeUnknown));
    assert_eq!(asked.elapsed(), PATIENCE, "the caller's patience, not the lane's");
    stage.journal.set(Mode::Pass);
    let truth = repeated(&stage.event, place("bob", "k", &[1])).await;
    assert!(truth.replayed, "the batch had been written, and the new owner has read it");
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_never_happened_leaves_nothing_in_anybodys_memory() {
    let stage = stage(Settings::default()).await;
    stage.journal.set(Mode::Silent);
    let lost = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(lost, Err(Unanswered::OutcomeUnknown));
    stage.journal.set(Mode::Pass);
    let other = repeated(&stage.event, place("ann", "k", &[1])).await;
    assert!(matches!(other.outcome, Outcome::Hold(_)) && !other.replayed, "{other:?}");
}

#[tokio::test(start_paused = true)]
async fn an_owner_whose_batch_is_refused_dies_and_the_next_decides_again() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    stage.journal.set(Mode::FailOnce(AppendError::Refused("seats".into())));
    let seen_twice = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert!(matches!(seen_twice.unwrap().outcome, Outcome::Hold(_)));
    granted(&stage.event, place("bob", "k", &[1])).await;
    assert!(granted(&stage.event, place("ann", "k", &[0])).await.replayed);
}

#[tokio::test(start_paused = true)]
async fn a_section_that_panics_takes_its_owner_with_it_and_both_come_back() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    // The edge never lets the same seat in twice; here it is how a section is made to panic.
    let lost = stage.event.submit(place("bob", "k", &[5, 5]), PATIENCE).await;
    assert_eq!(lost, Err(Unanswered::OutcomeUnknown));
    granted(&stage.event, place("cat", "k", &[5])).await;
    let held = stage.event.submit(place("bob", "l", &[0]), PATIENCE).await.unwrap();
    assert!(matches!(held.outcome, Outcome::Refused(_)), "{held:?}");
}

#[tokio::test(start_paused = true)]
async fn a_fenced_owner_does_not_take_back() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    let other = Moody::new(stage.journal.rows.of_another_process());
    let node = Node::start(other, stage.clock.clone(), Settings::default()).await;
    let theirs = node.open(terms(100));
    granted(&theirs, place("bob", "k", &[1])).await;
    let lost = stage.event.submit(place("cat", "k", &[2]), PATIENCE).await;
    assert_eq!(lost, Err(Unanswered::OutcomeUnknown));
    let paused = stage.event.submit(place("cat", "k", &[2]), PATIENCE).await;
    assert_eq!(paused, Err(Unanswered::PurchasesPaused(PauseReason::Fenced)));
    granted(&theirs, place("cat", "k", &[2])).await;
}

#[tokio::test(start_paused = true)]
async fn who_was_overtaken_asks_again_and_serves_once_the_event_is_its_own() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    // As a primary would that is none any more: it knows another owner.
    *stage.journal.takeovers.lock() = Some(TakeOverError::Overtaken);
    stage.journal.set(Mode::FailOnce(AppendError::Fenced));
    let lost = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(lost, Err(Unanswered::OutcomeUnknown));
    let paused = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(paused, Err(Unanswered::PurchasesPaused(PauseReason::Fenced)));
    *stage.journal.takeovers.lock() = None;
    tokio::time::sleep(Duration::from_secs(4)).await;
    granted(&stage.event, place("bob", "k", &[1])).await;
}

#[tokio::test(start_paused = true)]
async fn commands_beyond_the_bound_are_turned_away_at_once() {
    let settings =
        Settings { event_commands_max: 8, section_commands_max: 4, ..Settings::default() };
    let stage = stage(settings).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    stage.journal.set(Mode::Silent);
    let mut waiting = tokio::task::JoinSet::new();
    for n in 0..4 {
        let event = stage.event.clone();
        let command = place(&format!("buyer {n}"), "k", &[10 + n]);
        waiting.spawn(async move { event.submit(command, PATIENCE).await });
    }
    stage.journal.asked.notified().await;
    tokio::task::yield_now().await;
    let asked = Instant::now();
    let away = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(away, Err(Unanswered::Overloaded));
    assert_eq!(asked.elapsed(), Duration::ZERO);
    let read = Command::ReadHolds { buyer: buyer("ann") };
    let read = stage.event.submit(read, PATIENCE).await;
    assert_eq!(read, Err(Unanswered::OutcomeUnknown), "the event has room, the section has none");
    while let Some(answer) = waiting.join_next().await {
        assert_eq!(answer.unwrap(), Err(Unanswered::OutcomeUnknown));
    }
}

#[tokio::test(start_paused = true)]
async fn a_database_that_is_away_pauses_purchases_and_its_return_resumes_them() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    *stage.journal.takeovers.lock() = Some(TakeOverError::Unavailable("gone".into()));
    stage.journal.set(Mode::FailOnce(AppendError::Unknown("gone".into())));
    let lost = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(lost, Err(Unanswered::OutcomeUnknown));
    let asked = Instant::now();
    let paused = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(paused, Err(Unanswered::PurchasesPaused(PauseReason::DatabaseUnavailable)));
    assert_eq!(asked.elapsed(), PATIENCE / 2, "an owner may come back meanwhile");
    assert_eq!(stage.event.paused(), Some(PauseReason::DatabaseUnavailable));
    *stage.journal.takeovers.lock() = None;
    // The longest pause between two tries.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(stage.event.paused(), None);
    granted(&stage.event, place("bob", "k", &[1])).await;
}

#[tokio::test(start_paused = true)]
async fn a_batch_whose_time_is_off_is_unknown_to_its_caller_and_decided_anew_by_the_next_owner() {
    let stage = stage(Settings::default()).await;
    stage.journal.set(Mode::FailOnce(AppendError::ClockUncertain));
    let lost = stage.event.submit(place("ann", "k", &[0]), PATIENCE).await;
    assert_eq!(lost, Err(Unanswered::OutcomeUnknown));
    let answer = granted(&stage.event, place("ann", "k", &[0])).await;
    assert!(!answer.replayed, "nothing had been written");
    assert_eq!(*stage.journal.taken_over.lock(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_takeover_that_would_set_the_clock_forward_waits_until_it_need_not() {
    let first = stage(Settings::default()).await;
    first.clock.advance(Duration::from_secs(100));
    granted(&first.event, place("ann", "k", &[0])).await;
    first.node.stop().await;
    // The next process is behind by more than a takeover may jump.
    let clock = Arc::new(ManualClock::new(Moment(94_000_000)));
    let node = Node::start(first.journal.clone(), clock.clone(), Settings::default()).await;
    let event = node.open(terms(100));
    let paused = event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(paused, Err(Unanswered::PurchasesPaused(PauseReason::ClockUncertain)));
    clock.advance(Duration::from_secs(4));
    tokio::time::sleep(Duration::from_secs(4)).await;
    let answer = granted(&event, place("bob", "k", &[1])).await;
    assert_eq!(answer.as_of, Moment(100_000_000), "time starts where the last decision was");
}

#[tokio::test(start_paused = true)]
async fn a_command_that_no_owner_took_in_is_no_outcome_unknown() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    // The owner has ended, and nobody is there to say so.
    stage.node.stop().await;
    let asked = Instant::now();
    let paused = stage.event.submit(place("bob", "k", &[1]), PATIENCE).await;
    assert_eq!(paused, Err(Unanswered::PurchasesPaused(PauseReason::Starting)));
    assert_eq!(asked.elapsed(), PATIENCE / 2);
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_neither_for_a_takeover_nor_for_a_journal_that_is_silent() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("ann", "k", &[0])).await;
    stage.journal.set(Mode::Silent);
    let lost = stage.event.submit(place("bob", "k", &[1]), Duration::from_millis(10)).await;
    assert_eq!(lost, Err(Unanswered::OutcomeUnknown));
    let stopping = Instant::now();
    stage.node.stop().await;
    assert!(stopping.elapsed() <= Duration::from_secs(5), "the lane's patience is the longest");

    *stage.journal.takeovers_hang.lock() = true;
    let node = Node::start(stage.journal.clone(), stage.clock.clone(), Settings::default()).await;
    node.open(terms(100));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let stopping = Instant::now();
    node.stop().await;
    assert_eq!(stopping.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_back_pays_or_operates_is_let_in_when_buyers_are_turned_away() {
    let settings =
        Settings { event_commands_max: 2, section_commands_max: 8, ..Settings::default() };
    let stage = stage(settings).await;
    granted(&stage.event, place("ann", "k", &[0, 1])).await;
    granted(&stage.event, place("bob", "k", &[2])).await;
    let hold = HoldId::derive(EVENT, &buyer("bob"), "k");
    let ordered = place_order("bob", hold);
    stage.event.submit(ordered, PATIENCE).await.unwrap();
    stage.journal.set(Mode::HoldBack);
    let mut asked = tokio::task::JoinSet::new();
    let mut ask = async |command: Command| {
        let event = stage.event.clone();
        asked.spawn(async move { event.submit(command, PATIENCE).await });
        tokio::time::advance(Duration::from_millis(1)).await;
    };
    ask(place("cat", "k", &[10])).await;
    ask(place("dan", "k", &[11])).await;
    let away = stage.event.submit(place("eve", "k", &[12]), PATIENCE).await;
    assert_eq!(away, Err(Unanswered::Overloaded));

    let anns = HoldId::derive(EVENT, &buyer("ann"), "k");
    let part = Ok(Claim::of_seats(vec![SeatIndex(0)]));
    let order = OrderId::of(hold);
    let attempt = AttemptId::derive(EVENT, &buyer("bob"), "p");
    ask(Command::GiveBack { buyer: buyer("ann"), hold: anns, part }).await;
    ask(Command::ConfirmOrder { order, attempt }).await;
    ask(Command::ConfirmOrder { order, attempt }).await;
    ask(blocked(20)).await;
    let bounded = stage.event.submit(blocked(21), PATIENCE).await;
    assert_eq!(bounded, Err(Unanswered::Overloaded), "these have a bound as well");
    stage.journal.let_go();
    while let Some(answer) = asked.join_next().await {
        let outcome = answer.unwrap().unwrap().outcome;
        assert!(!matches!(outcome, Outcome::Refused(_)), "{outcome:?}");
    }
    let release = Command::ReleaseHold { buyer: buyer("ann"), hold: anns };
    let released = stage.event.submit(release, PATIENCE).await.unwrap().outcome;
    assert_eq!(released, Outcome::Released);
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_has_gone_holds_no_seat_but_a_paid_order_gets_its_seats() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("bob", "k", &[2])).await;
    let hold = HoldId::derive(EVENT, &buyer("bob"), "k");
    let ordered = place_order("bob", hold);
    stage.event.submit(ordered, PATIENCE).await.unwrap();
    let (order, attempt) = (OrderId::of(hold), AttemptId::derive(EVENT, &buyer("bob"), "p"));
    for command in [place("ann", "k", &[0]), Command::ConfirmOrder { order, attempt }] {
        // Handed over, and given up before the owner looks at it.
        tokio::select! {
            biased;
            answer = stage.event.submit(command, PATIENCE) => panic!("{answer:?} at once"),
            () = std::future::ready(()) => {}
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let rows = stage.journal.rows.peek(EVENT);
    assert_eq!(rows.holds.len(), 1);
    assert_eq!(rows.orders[0].verdict(attempt), Some(Verdict::Confirmed));
}

fn blocked(seat: u32) -> Command {
    let (who, why, detail) = ("olga".into(), "".into(), "{}".into());
    let deed = Deed { id: Uuid::from_u128(seat.into()), who, what: "block", why, detail };
    let change = EventChange::Blocks { block: vec![SeatIndex(seat)], unblock: Vec::new() };
    Command::Operate(Box::new(Operation { deed, change }))
}

#[tokio::test(start_paused = true)]
async fn the_map_shows_what_is_durable_and_forgets_what_has_ended() {
    let stage = stage(Settings::default()).await;
    let mut map = stage.event.availability_changes();
    granted(&stage.event, place("ann", "k", &[0])).await;
    let held = map.wait_for(|map| map.sections.first().is_some_and(|s| s.held == 1)).await;
    assert_eq!(held.unwrap().packed[0], 0b01);
    stage.clock.advance(Duration::from_secs(120));
    let started = Instant::now();
    let free = map.wait_for(|map| map.sections[0].held == 0).await;
    assert_eq!(free.unwrap().packed[0], 0);
    assert!(started.elapsed() <= Duration::from_millis(1_500), "{:?}", started.elapsed());
    let hold = HoldId::derive(EVENT, &buyer("ann"), "k");
    let read = Command::ReadHold { buyer: buyer("ann"), hold };
    let Outcome::Hold(hold) = stage.event.submit(read, PATIENCE).await.unwrap().outcome else {
        panic!("the hold is there")
    };
    assert_eq!(hold.status, HoldStatus::Expired);
    assert!(stage.clock.now() >= hold.expires_at);
}

#[tokio::test(start_paused = true)]
async fn two_requests_of_one_key_at_once_get_one_result() {
    let stage = stage(Settings::default()).await;
    granted(&stage.event, place("bob", "k", &[9])).await;
    let first = stage.event.submit(place("ann", "k", &[0]), PATIENCE);
    let second = stage.event.submit(place("ann", "k", &[0]), PATIENCE);
    let other = stage.event.submit(place("ann", "k", &[1]), PATIENCE);
    let (first, second, other) = tokio::join!(first, second, other);
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!(first.outcome, second.outcome);
    assert!(!first.replayed && second.replayed);
    assert_eq!(other.unwrap().outcome.code(), "idempotency-key-reused");
}
