//! Keys that an owner has forgotten and the rows have not: each is a replay, and nobody pays for it with
//! more than one takeover.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome, Unanswered};
use taquilla_engine::clock::ManualClock;
use taquilla_engine::command::Command;
use taquilla_engine::event::Limits;
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::{HoldId, OrderId, SeatIndex, SectionIndex};
use taquilla_engine::journal::AppendError;
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::moment::Moment;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::{EventHandle, Node, Settings};
use taquilla_engine::waiting_room::admission::Admission;

use crate::desk::{EVENT, buyer, keyed, place, terms};
use crate::moody::{Mode, Moody, PATIENCE};

const KEPT: Duration = Duration::from_secs(300);

struct Stage {
    journal: Arc<Moody>,
    clock: Arc<ManualClock>,
    node: Arc<Node>,
    event: EventHandle,
}

impl Stage {
    async fn new() -> Self {
        let journal = Moody::new(MemoryJournal::default());
        let clock = Arc::new(ManualClock::new(Moment(0)));
        Self::over(journal, clock, Limits::default().keys_max).await
    }

    async fn over(journal: Arc<Moody>, clock: Arc<ManualClock>, keys_max: usize) -> Self {
        let limits = Limits { keys_kept: KEPT, keys_max, ..Limits::default() };
        let settings = Settings { limits, ..Settings::default() };
        let node = Node::start(journal.clone(), clock.clone(), settings).await;
        let event = node.open(terms(100));
        Self { journal, clock, node, event }
    }

    /// Ann's holds with these keys have ended, and are older than keys are remembered; then a new process
    /// takes over.
    async fn forget(self, keys: &[&str]) -> Self {
        for (seat, key) in (0..).zip(keys) {
            self.hold("ann", key, seat).await.unwrap();
        }
        self.clock.advance(KEPT + Duration::from_secs(1));
        // The sweep writes their ends, and with them the time.
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.node.stop().await;
        *self.journal.taken_over.lock() = 0;
        let stage = Self::over(self.journal, self.clock, Limits::default().keys_max).await;
        stage.hold("warm", "k", 99).await.unwrap();
        stage
    }

    async fn hold(&self, who: &str, key: &str, seat: u32) -> Result<Answer, Unanswered> {
        self.event.submit(place(who, key, &[seat]), PATIENCE).await
    }

    fn takeovers(&self) -> u32 {
        *self.journal.taken_over.lock()
    }
}

fn is_replay(answer: Result<Answer, Unanswered>) {
    let Answer { outcome, replayed, .. } = answer.unwrap();
    let Outcome::Hold(hold) = outcome else { panic!("{outcome:?}") };
    assert_eq!((hold.status, replayed), (HoldStatus::Expired, true));
}

#[tokio::test(start_paused = true)]
async fn each_forgotten_key_costs_one_takeover_however_often_it_comes() {
    let stage = Stage::new().await.forget(&["k", "l"]).await;
    assert_eq!(stage.takeovers(), 1);
    for _ in 0..4 {
        is_replay(stage.hold("ann", "k", 0).await);
        is_replay(stage.hold("ann", "l", 1).await);
    }
    assert_eq!(stage.takeovers(), 3);
    // Whatever else its owners die of.
    stage.journal.set(Mode::FailOnce(AppendError::Unknown("gone".into())));
    assert_eq!(stage.hold("bob", "k", 5).await, Err(Unanswered::OutcomeUnknown));
    is_replay(stage.hold("ann", "k", 0).await);
    assert_eq!(stage.takeovers(), 4);
    let reused = stage.hold("ann", "k", 7).await.unwrap().outcome;
    assert_eq!(reused, Outcome::Refused(Refusal::KeyReused));
}

#[tokio::test(start_paused = true)]
async fn a_forgotten_key_that_goes_alone_is_a_replay_and_not_at_fault() {
    let Stage { journal, event, node: _node, .. } = Stage::new().await.forget(&["k"]).await;
    *journal.bad.lock() = Some(SeatIndex(1));
    // All of them gather behind a batch that is on its way.
    journal.set(Mode::HoldBack);
    let mut asked = Vec::new();
    for command in [
        place("first", "k", &[9]),
        place("ann", "k", &[0]),
        place("bad", "k", &[1]),
        place("cat", "k", &[2]),
    ] {
        let event = event.clone();
        asked.push(tokio::spawn(async move { event.submit(command, PATIENCE).await }));
        tokio::time::advance(Duration::from_millis(1)).await;
    }
    journal.let_go();
    let mut answers = Vec::new();
    for asked in asked {
        answers.push(asked.await.unwrap());
    }
    assert!(answers[0].is_ok());
    is_replay(answers.remove(1));
    assert_eq!(answers[1], Err(Unanswered::Broken), "the one at fault");
    assert_eq!(*journal.refused.lock(), 2, "once among others, then alone for good");
    let shut = Err(Unanswered::Quarantined(vec![SectionIndex(0)]));
    assert_eq!(answers[2], shut, "decided after the section was shut");
}

#[tokio::test(start_paused = true)]
async fn a_hold_that_its_owner_knows_and_the_database_calls_known_is_a_bug_and_ends() {
    let stage = Stage::new().await.forget(&["k"]).await;
    is_replay(stage.hold("ann", "k", 0).await);
    let anns = HoldId::derive(EVENT, &buyer("ann"), "k");
    stage.journal.set(Mode::Fail(AppendError::KnownHolds(vec![anns])));
    let bug = tokio::spawn({
        let event = stage.event.clone();
        async move { event.submit(place("bob", "k", &[5]), PATIENCE).await }
    });
    assert_eq!(bug.await.unwrap(), Err(Unanswered::Broken));
}

#[tokio::test(start_paused = true)]
async fn an_order_younger_than_its_hold_keeps_it_for_as_long_as_its_key() {
    let journal = Moody::new(MemoryJournal::default());
    let clock = Arc::new(ManualClock::new(Moment(0)));
    let mut stage = Stage::over(journal, clock, 3).await;
    stage.hold("ann", "k", 0).await.unwrap();
    let hold = HoldId::derive(EVENT, &buyer("ann"), "k");
    let order = |key: &str| Command::PlaceOrder {
        buyer: buyer("ann"),
        keyed: keyed(key, key),
        hold,
        admission: Some(Admission::ALWAYS),
    };
    stage.event.submit(order("o"), PATIENCE).await.unwrap();
    let cancel = Command::CancelOrder { buyer: buyer("ann"), order: OrderId::of(hold) };
    stage.event.submit(cancel, PATIENCE).await.unwrap();
    stage.clock.advance(KEPT - Duration::from_secs(10));
    // The same order by a later key, which is remembered when the hold's own time is over.
    stage.event.submit(order("p"), PATIENCE).await.unwrap();
    stage.clock.advance(Duration::from_secs(20));
    let again = async |stage: &Stage| {
        let answer = stage.event.submit(order("p"), PATIENCE).await.unwrap();
        assert!(matches!(answer.outcome, Outcome::Order { .. }) && answer.replayed, "{answer:?}");
    };
    // At the bound of keys: room is made, by forgetting the first key alone.
    stage.hold("bob", "k", 5).await.unwrap();
    again(&stage).await;
    stage.node.stop().await;
    stage = Stage::over(stage.journal, stage.clock, 3).await;
    again(&stage).await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_order_is_repeated_even_when_its_hold_is_forgotten() {
    let stage = Stage::new().await;
    stage.hold("ann", "k", 0).await.unwrap();
    let hold = HoldId::derive(EVENT, &buyer("ann"), "k");
    let order = |key: &str| Command::PlaceOrder {
        buyer: buyer("ann"),
        keyed: keyed(key, key),
        hold,
        admission: Some(Admission::ALWAYS),
    };
    stage.clock.advance(KEPT - Duration::from_secs(10));
    let first = stage.event.submit(order("o"), PATIENCE).await.unwrap().outcome;
    assert_eq!(first, Outcome::Refused(Refusal::HoldNotActive(HoldStatus::Expired)));
    stage.clock.advance(Duration::from_secs(20));
    stage.hold("bob", "k", 5).await.unwrap();
    // The hold's end is written.
    tokio::time::sleep(Duration::from_secs(1)).await;
    stage.node.stop().await;
    let stage = Stage::over(stage.journal, stage.clock, 1_000).await;
    let again = stage.event.submit(order("o"), PATIENCE).await.unwrap();
    assert_eq!((again.outcome, again.replayed), (first, true));
    let other = stage.event.submit(order("p"), PATIENCE).await.unwrap().outcome;
    assert_eq!(other, Outcome::Refused(Refusal::NotFound));
}
