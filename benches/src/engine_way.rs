//! The engine: a node that owns the events, its journal in Postgres, commands by its handle. What the
//! server adds in front of it, HTTP and tokens, is not here.

use std::sync::Arc;
use std::time::{Duration, Instant};

use taquilla_engine::answer::Outcome;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::{Command, Keyed};
use taquilla_engine::event::Limits;
use taquilla_engine::id::{AttemptId, EventNumber, HoldId, OrderId};
use taquilla_engine::order::Verdict;
use taquilla_engine::runtime::{EventHandle, Node, Settings};
use taquilla_engine::waiting_room::admission::Admission;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::journal::PostgresJournal;
use taquilla_persistence::pool::Pool;

use crate::hold_life::HoldLife;
use crate::load::{Placed, Way};
use crate::stage::Stage;
use crate::workload::Wanted;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// As many keys as a long run brings: a key is kept for a day.
const KEYS_MAX: usize = 50_000_000;

/// The events' owner in this process.
pub struct EngineWay {
    node: Arc<Node>,
    events: Vec<EventHandle>,
}

impl EngineWay {
    /// Takes the events over; each is served as soon as its rows are read.
    pub async fn start(stage: &Stage) -> Self {
        let node = node(stage).await;
        let events = stage.events.iter().map(|terms| node.open(terms.clone())).collect();
        Self { node, events }
    }

    /// Has a hold placed that stays.
    pub async fn place_living(&self, wanted: Wanted) -> HoldId {
        let event = &self.events[wanted.event];
        let answer = event.submit(wanted.command(), PATIENCE).await;
        match answer.expect("the owner decides").outcome {
            Outcome::Hold(hold) => hold.id,
            other @ (Outcome::Refused(_)
            | Outcome::Holds(_)
            | Outcome::Released
            | Outcome::Order { .. }
            | Outcome::Verdict(_)
            | Outcome::Refunded(_)
            | Outcome::Extension(_)
            | Outcome::Operated(_)) => panic!("the seats are free, but {other:?}"),
        }
    }

    /// Has a hold placed and released, of which its key is remembered.
    pub async fn place_and_release(&self, wanted: Wanted) {
        let (event, buyer) = (&self.events[wanted.event], wanted.buyer.clone());
        let hold = self.place_living(wanted.clone()).await;
        let released = event.submit(Command::ReleaseHold { buyer, hold }, PATIENCE).await;
        assert_eq!(released.expect("the owner decides").outcome, Outcome::Released);
    }

    /// Orders the hold of this wish.
    pub async fn order(&self, wanted: &Wanted) {
        let hold = HoldId::derive(self.event(), &wanted.buyer, &wanted.key);
        let keyed = Keyed { key: "order".into(), fingerprint: wanted.fingerprint };
        let command = Command::PlaceOrder {
            buyer: wanted.buyer.clone(),
            keyed,
            hold,
            admission: Some(Admission::ALWAYS),
        };
        let answer = self.events[wanted.event].submit(command, PATIENCE).await;
        assert!(matches!(answer.expect("the owner decides").outcome, Outcome::Order { .. }));
    }

    /// The order of this wish's hold.
    #[must_use]
    pub fn order_of(&self, wanted: &Wanted) -> OrderId {
        OrderId::of(HoldId::derive(self.event(), &wanted.buyer, &wanted.key))
    }

    /// Has an authorised attempt's seats sold.
    pub async fn confirm(&self, order: OrderId, attempt: AttemptId) {
        let command = Command::ConfirmOrder { order, attempt };
        let answer = self.events[0].submit(command, PATIENCE).await;
        let outcome = answer.expect("the owner decides").outcome;
        assert_eq!(outcome, Outcome::Verdict(Verdict::Confirmed));
    }

    /// The number of the first event.
    #[must_use]
    pub fn event(&self) -> EventNumber {
        self.events[0].terms().event
    }

    /// What owns them.
    #[must_use]
    pub fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// Gives the events up.
    pub async fn stop(&self) {
        self.node.stop().await;
    }
}

/// A node that owns nothing yet.
async fn node(stage: &Stage) -> Arc<Node> {
    let pool = Pool::new(&stage.settings).expect("a URL of our own");
    let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("a near database"));
    let journal = PostgresJournal::new(stage.settings.clone(), Arc::clone(&clock));
    // A sweep would fall into the other way's turn: whoever takes overdue seats ends their hold.
    let limits = Limits { keys_max: KEYS_MAX, sweep_max: 0, ..Limits::default() };
    let settings = Settings { limits, ..Settings::default() };
    let journal = HoldLife { journal, hold_ttl: stage.events[0].sale.hold_ttl };
    Node::start(Arc::new(journal), clock, settings).await
}

/// A new process, as far as the database can tell, takes the first event over. How long until its first
/// answer, and the owner.
pub async fn take_over(stage: &Stage) -> (Duration, EngineWay) {
    let node = node(stage).await;
    let started = Instant::now();
    let event = node.open(stage.events[0].clone());
    let buyer = BuyerId::parse("buyer-000000").expect("a short name");
    let answer = event.submit(Command::ReadHolds { buyer }, PATIENCE).await;
    assert!(matches!(answer.expect("the owner decides").outcome, Outcome::Holds(_)));
    (started.elapsed(), EngineWay { node, events: vec![event] })
}

impl Way for EngineWay {
    async fn place(&self, wanted: Wanted) -> Placed {
        let answer = self.events[wanted.event].submit(wanted.command(), PATIENCE).await;
        match answer.expect("the owner decides").outcome {
            Outcome::Hold(_) => Placed::Granted,
            Outcome::Refused(_) => Placed::Refused,
            other @ (Outcome::Holds(_)
            | Outcome::Released
            | Outcome::Order { .. }
            | Outcome::Verdict(_)
            | Outcome::Refunded(_)
            | Outcome::Extension(_)
            | Outcome::Operated(_)) => panic!("a hold is placed or refused, not {other:?}"),
        }
    }
}
