//! The rows and all that works on them: what requests are answered by.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::clock::Clock;
use taquilla_engine::event::Terms;
use taquilla_engine::payment::PaymentProvider;
use taquilla_engine::runtime::{Cancellations, Node, PaymentWorld, Payments, Rooms};
use taquilla_persistence::attempts::PostgresAttempts;
use taquilla_persistence::audit::Audit;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::chronicle::PostgresChronicle;
use taquilla_persistence::database::Database;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::inbox::Inbox;
use taquilla_persistence::journal::PostgresJournal;
use taquilla_persistence::mail::Contacts;
use taquilla_persistence::migrations::schema_is_current;
use taquilla_persistence::operator_action::Trail;
use taquilla_persistence::orders::Orders;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::reconciliation::Reconciliations;
use taquilla_persistence::refunds::PostgresRefunds;
use taquilla_persistence::relay::{Listener, Ringer};
use taquilla_persistence::settings::DatabaseSettings;
use taquilla_persistence::site::Site;
use taquilla_persistence::story::Stories;
use taquilla_persistence::tickets::Tickets;
use taquilla_persistence::waiting_room::{Draws, PostgresQueueJournal, QueueHeads};
use tokio::time::timeout;

use super::StartError;
use super::ready::Means;
use crate::app::App;
use crate::config::{Config, settings};
use crate::listings::Listings;
use crate::proofs::Proofs;
use crate::reconciliation::Reconciler;
use crate::relay::{RelaySettings, Sinks};
use crate::waiting_rooms::WaitingRooms;
use crate::webhooks::Webhooks;

/// How long an order waits for its buyer's address to be kept.
const CONTACT_MAX: Duration = Duration::from_secs(1);

/// The longest that a start waits for each first answer of the database.
const FIRST_LOOK: Duration = Duration::from_secs(15);

/// How long a start waits for the owners of all events before it takes requests all the same.
const START_MAX: Duration = Duration::from_secs(5);

/// What a server is without its doors and the work beside them.
pub(super) struct World {
    pub(super) app: App,
    pub(super) rows: Database,
    pub(super) cancellations: Arc<Cancellations>,
    pub(super) ringer: Ringer,
    pub(super) listener: Listener,
    pub(super) reconciler: Reconciler,
}

impl World {
    /// Returns once every event has its owner, or after [`START_MAX`].
    pub(super) async fn open(
        config: &Config,
        means: Means,
        relay: &RelaySettings,
    ) -> Result<Self, StartError> {
        let database = settings::database(config)?;
        let (rows, clock) = look(&database).await?;
        let catalogue = Catalogue::new(rows.clone());
        let site = Site::new(rows.clone());
        let events = all_terms(&catalogue).await?;
        let listings = Arc::new(Listings::load(&catalogue).await?);
        let paused = site.purchases_paused().await?;
        let journal = Arc::new(PostgresJournal::new(database.clone(), Arc::clone(&clock)));
        let ringer = Ringer::new(rows.clone(), journal.news());
        let listener = Listener::new(database.clone());
        let queues = Arc::new(PostgresQueueJournal::new(database, Arc::clone(&clock)));
        let clock: Arc<dyn Clock> = clock;
        let chronicle = Arc::new(PostgresChronicle::new(rows.clone()));
        let bounds = settings::node(config);
        let node = Node::start_with(journal, Arc::clone(&clock), Some(chronicle), bounds).await;
        node.pause_purchases(paused.map(Into::into));
        let provider = means.provider.at(Arc::clone(&clock));
        let payments = payments(config, &rows, &node, Arc::clone(&provider), Arc::clone(&clock));
        let webhooks = Webhooks::new(Inbox::new(rows.clone()), means.readers, Arc::clone(&clock));
        // Whoever asks for his order has an answer as soon as whoever makes one.
        let orders = Orders::new(rows.within(config.http.decision_deadline()));
        let all_orders = Arc::new(Orders::new(rows.clone()));
        let cancellations = Cancellations::new(Arc::clone(&node), all_orders);
        for terms in events {
            node.open(terms);
        }
        node.started(START_MAX).await;
        let rooms = WaitingRooms::new(
            Rooms::new(queues, Arc::clone(&clock), settings::rooms(config)),
            config.waiting_room.members_max,
            Arc::clone(&node),
            Arc::clone(&payments),
            Arc::clone(&listings),
            QueueHeads::new(rows.clone()),
        );
        rooms.open_all();
        let reconciliations = Reconciliations::new(rows.clone());
        let reconciler = Reconciler::new(
            provider,
            reconciliations.clone(),
            Arc::clone(&clock),
            config.reconciliation.run(),
        );
        let contacts = means.keeps_contacts.then(|| Contacts::new(rows.within(CONTACT_MAX)));
        let app = App {
            node,
            payments,
            listings,
            catalogue,
            orders,
            audit: Audit::new(rows.clone()),
            stories: Stories::new(rows.clone()),
            site,
            reconciliations,
            trail: Trail::new(rows.clone()),
            gates: Tickets::new(rows.clone()),
            contacts,
            sinks: Arc::new(Sinks::of(relay, &rows, &clock)),
            clock,
            live_maps: Arc::default(),
            seat_maps: Arc::default(),
            verifier: Arc::new(means.verifier),
            tickets: Arc::new(means.tickets),
            rooms: Arc::new(rooms),
            proofs: Arc::new(Proofs::new(Draws::new(rows.clone()))),
            challenges: means.challenges.map(Arc::new),
            webhooks,
            limits: Arc::new(means.limits),
            shedding: means.shedding.map(Arc::new),
            settings: Arc::new(means.edge),
        };
        Ok(Self { app, rows, cancellations, ringer, listener, reconciler })
    }
}

/// A first look at the database: whether it is one of ours, and what time it has.
async fn look(database: &DatabaseSettings) -> Result<(Database, Arc<DatabaseClock>), StartError> {
    in_time(schema_is_current(database)).await??;
    let pool = Pool::new(database)?;
    let clock = Arc::new(in_time(DatabaseClock::connect(&pool)).await??);
    Ok((Database::new(pool, database), clock))
}

fn payments(
    config: &Config,
    rows: &Database,
    node: &Arc<Node>,
    provider: Arc<dyn PaymentProvider>,
    clock: Arc<dyn Clock>,
) -> Arc<Payments> {
    let attempts = PostgresAttempts::new(rows.clone(), config.payments.attempts_max);
    let world = PaymentWorld {
        attempts: Arc::new(attempts),
        refunds: Arc::new(PostgresRefunds::new(rows.clone())),
        provider,
        seats: Arc::clone(node) as Arc<_>,
        bells: Arc::clone(node.bells()),
        clock,
    };
    Payments::new(settings::payments(config), world)
}

/// The terms of every event.
async fn all_terms(catalogue: &Catalogue) -> Result<Vec<Terms>, StartError> {
    let mut all = Vec::new();
    for event in catalogue.all_event_numbers().await? {
        all.extend(catalogue.event_terms(event).await?);
    }
    Ok(all)
}

/// An answer of the database, with a bound.
async fn in_time<T>(look: impl Future<Output = T>) -> Result<T, StartError> {
    timeout(FIRST_LOOK, look).await.map_err(|_| StartError::Silent)
}
