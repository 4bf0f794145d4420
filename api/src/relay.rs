//! What happened, told to others: the outboxes of events and of orders' money, relayed to named sinks.
//!
//! - `message`, `section_events`, `money_news`: what is told, as CloudEvents; pure.
//! - [`Sink`]: who takes it; `nats` a bus, `webhook` somebody's endpoint, `memory` neither.
//! - `follower`: reads on for one sink, beside the sale and never in its way.
//! - `replay`: history once more, to one sink; `retention`: what all have and is old.
//!
//! At least once, and of an event in its order. Each sink has its own place in the outboxes, its own task and
//! its own pauses: one that is away waits alone, and catches up a page at a time.

mod follower;
mod memory;
mod message;
mod metric;
mod money_news;
mod nats;
mod pacing;
mod replay;
mod retention;
mod section_events;
mod settings;
mod signature;
mod sink;
mod webhook;

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::clock::Clock;
use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::deliveries::Deliveries;
use taquilla_persistence::relay::{Begins, Lag, Listener, RelayRows, Ringer};
use tokio::time::timeout;

use self::follower::Follower;
pub use self::memory::MemorySink;
pub use self::message::{KINDS, Message};
pub use self::metric::describe_metrics;
pub use self::nats::{BUS, Identity, NatsSettings, NatsSink};
pub use self::pacing::Pacing;
pub use self::replay::{Replay, ReplayError, Replayed};
pub use self::retention::start as start_retention;
pub use self::settings::RelaySettings;
pub use self::signature::SigningSecrets;
pub use self::sink::{Repeat, Sink, SinkError};
pub use self::webhook::{Refusals, WebhookSettings, WebhookSink};
use crate::background::{Background, REST};

/// Longer than a page takes on a busy bus. After it another process reads on.
const LEASE: Duration = Duration::from_secs(20);

/// A stop waits no longer for its leases to be given back.
const RELEASE: Duration = Duration::from_millis(500);

/// Who is told, and where he begins.
#[derive(Clone)]
pub struct NamedSink {
    /// As configuration, metrics and commands name it.
    pub name: Arc<str>,
    begins: Begins,
    sink: Arc<dyn Sink>,
}

impl NamedSink {
    /// A sink of this name.
    #[must_use]
    pub fn new(name: &str, begins: Begins, sink: Arc<dyn Sink>) -> Self {
        Self { name: name.into(), begins, sink }
    }

    fn rows(&self, database: &Database) -> RelayRows {
        RelayRows::new(database.clone(), &consumer(&self.name), self.begins, LEASE)
    }
}

/// Apart from consumers that are no sinks, whatever a sink is called.
fn consumer(sink: &str) -> String {
    format!("sink:{sink}")
}

/// All who are told, over one database.
pub struct Sinks {
    named: Vec<NamedSink>,
    database: Database,
}

impl Sinks {
    /// Those of the configuration. The bus begins with what is kept, being where history is looked for; an
    /// endpoint with what comes.
    #[must_use]
    pub fn of(settings: &RelaySettings, database: &Database, clock: &Arc<dyn Clock>) -> Self {
        let bus = settings.nats.clone().map(|settings| {
            NamedSink::new(BUS, Begins::WithTheFirst, Arc::new(NatsSink::new(settings)))
        });
        let endpoint = |settings: &WebhookSettings| {
            let (deliveries, clock) = (Deliveries::new(database.clone()), Arc::clone(clock));
            let sink = WebhookSink::new(settings.clone(), deliveries, clock);
            NamedSink::new(&settings.name, Begins::Now, Arc::new(sink))
        };
        let named = bus.into_iter().chain(settings.webhooks.iter().map(endpoint)).collect();
        Self::new(named, database.clone())
    }

    /// These.
    #[must_use]
    pub fn new(named: Vec<NamedSink>, database: Database) -> Self {
        Self { named, database }
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|sink| &*sink.name)
    }

    /// The one of this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&NamedSink> {
        self.named.iter().find(|sink| &*sink.name == name)
    }

    /// The log of what was posted.
    #[must_use]
    pub fn deliveries(&self) -> Deliveries {
        Deliveries::new(self.database.clone())
    }

    /// How far each is behind: with events, and with money.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn lags(&self) -> Result<Vec<(&str, [Lag; 2])>, DatabaseError> {
        let mut lags = Vec::with_capacity(self.named.len());
        for sink in &self.named {
            lags.push((&*sink.name, sink.rows(&self.database).lag().await?));
        }
        Ok(lags)
    }

    /// Starts telling all of them, until the owner of the background ends it. They look whenever the
    /// listener hears something.
    pub fn start(&self, background: &Background, listener: &Listener, pacing: Pacing) {
        for sink in &self.named {
            let (rows, heard) = (sink.rows(&self.database), listener.heard());
            let (name, measured) = (Arc::clone(&sink.name), rows.clone());
            let measure = move || metric::keep_measuring(Arc::clone(&name), measured.clone());
            background.keep("what measures how far a sink is behind", REST, measure);
            let stopped = rows.clone();
            background.spawn_told(|stopping| async move {
                stopping.cancelled().await;
                // What is on its way then is told again, by whoever is faster than a lease.
                let _ = timeout(RELEASE, stopped.release()).await;
            });
            let sink = sink.clone();
            let follow =
                move || Follower::new(&sink, rows.clone(), heard.clone(), pacing).keep_relaying();
            background.keep("what tells a sink", REST, follow);
        }
    }
}

/// Starts ringing for this process's lanes, and hearing the bells of all, until the owner of the background
/// ends it.
pub fn start_bell(background: &Background, ringer: Ringer, listener: &Listener) {
    background.keep("what rings for news", REST, move || ringer.clone().keep_ringing());
    let listener = listener.clone();
    background.keep("what hears of news", REST, move || listener.clone().keep_listening());
}
