//! The engine: a node that owns the events, its journal in Postgres, commands by its handle. What the
//! server adds in front of it, HTTP and tokens, is not here.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::event::Limits;
use taquilla_engine::runtime::{EventHandle, Node, Settings};
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::journal::PostgresJournal;
use taquilla_persistence::pool::Pool;

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
    /// Takes the events over.
    pub async fn start(stage: &Stage) -> Self {
        let pool = Pool::new(&stage.settings).expect("a URL of our own");
        let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("a near database"));
        let journal = PostgresJournal::new(stage.settings.clone(), Arc::clone(&clock));
        // A sweep would fall into the other way's turn: whoever takes overdue seats ends their hold.
        let limits = Limits { keys_max: KEYS_MAX, sweep_max: 0, ..Limits::default() };
        let settings = Settings { limits, ..Settings::default() };
        let node = Node::start(Arc::new(journal), clock, settings).await;
        let events = stage.events.iter().map(|terms| node.open(terms.clone())).collect();
        Self { node, events }
    }

    /// Gives the events up.
    pub async fn stop(&self) {
        self.node.stop().await;
    }
}

impl Way for EngineWay {
    async fn place(&self, wanted: Wanted) -> Placed {
        let answer = self.events[wanted.event].submit(wanted.command(), PATIENCE).await;
        match answer.expect("the owner decides").outcome {
            Outcome::Hold(_) => Placed::Granted,
            Outcome::Refused(_) => Placed::Refused,
            other => panic!("a hold is placed or refused, not {other:?}"),
        }
    }
}
