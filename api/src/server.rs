//! A server put together from its configuration, run, and drained: `serve` and `dev` are this with
//! different surroundings.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::BuildError;
use taquilla_engine::clock::Clock;
use taquilla_engine::event::Terms;
use taquilla_engine::runtime::{Cancellations, Node, PaymentWorld, Payments};
use taquilla_persistence::attempts::PostgresAttempts;
use taquilla_persistence::audit::Audit;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::chronicle::PostgresChronicle;
use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::database_clock::{ClockError, DatabaseClock};
use taquilla_persistence::inbox::Inbox;
use taquilla_persistence::journal::PostgresJournal;
use taquilla_persistence::mail::{Contacts, OrderMail};
use taquilla_persistence::migrations::{MigrationError, schema_is_current};
use taquilla_persistence::operator_action::Trail;
use taquilla_persistence::orders::Orders;
use taquilla_persistence::pool::{Pool, PoolError};
use taquilla_persistence::reconciliation::Reconciliations;
use taquilla_persistence::refunds::PostgresRefunds;
use taquilla_persistence::site::Site;
use taquilla_persistence::story::Stories;
use taquilla_persistence::tickets::Tickets;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::app::{App, EdgeSettings};
use crate::auth::{KeyError, TokenVerifier};
use crate::background::{Background, REST};
use crate::config::{Config, ConfigError, settings};
use crate::connections::{self, Bounds};
use crate::listings::Listings;
use crate::mail::{Mail, MailSettings, Post, SmtpUrlError};
use crate::payment_provider::{Announcement, Configured, NotConfigured};
use crate::reconciliation::Reconciler;
use crate::routes;
use crate::telemetry;
use crate::tickets::{TicketKeyError, TicketSigner};
use crate::webhooks::{Readers, Webhooks};

/// How long a stop waits for the last batches, after the requests. A lane gives a batch up at 5 s.
const LAST_BATCHES: Duration = Duration::from_secs(6);

/// How long a stop waits for what else goes on in the background, such as a read of the metrics.
const BACKGROUND: Duration = Duration::from_secs(1);

/// How long an order waits for its buyer's address to be kept.
const CONTACT_MAX: Duration = Duration::from_secs(1);

/// The longest that a start waits for each first answer of the database.
const FIRST_LOOK: Duration = Duration::from_secs(15);

/// How long a start waits for the owners of all events before it takes requests all the same.
const START_MAX: Duration = Duration::from_secs(5);

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each variant is its source")]
pub enum StartError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("the database cannot be used")]
    Pool(#[from] PoolError),
    #[error("the database's schema cannot be used")]
    Schema(#[from] MigrationError),
    #[error("the database's time cannot be read")]
    Clock(#[from] ClockError),
    #[error("the database does not answer")]
    Silent,
    #[error("the database cannot be read")]
    Database(#[from] DatabaseError),
    #[error("the token key cannot be used")]
    TokenKey(#[from] KeyError),
    #[error("the ticket key cannot be used")]
    TicketKey(#[from] TicketKeyError),
    #[error(transparent)]
    Provider(#[from] NotConfigured),
    #[error("metrics cannot be recorded")]
    Metrics(#[from] BuildError),
    #[error("the mail server's address cannot be used")]
    Mail(#[from] SmtpUrlError),
    #[error("cannot listen on {address} ({key})")]
    Listen { key: &'static str, address: SocketAddr, source: std::io::Error },
}

/// A running server.
pub struct Server {
    address: SocketAddr,
    metrics_address: SocketAddr,
    catalogue: Catalogue,
    node: Arc<Node>,
    payments: Arc<Payments>,
    webhooks: Arc<Webhooks>,
    cancellations: Arc<Cancellations>,
    drain: Duration,
    http: JoinHandle<()>,
    http_ended: CancellationToken,
    stopping: CancellationToken,
    background: Background,
    mail: Option<Mail>,
}

/// What a start needs beside the database, and all of it can fail: keys that cannot be used, an
/// address that is taken.
struct Ready {
    provider: Configured,
    announcement: Option<Announcement>,
    readers: Readers,
    verifier: TokenVerifier,
    tickets: TicketSigner,
    mail: Option<MailSettings>,
    edge: EdgeSettings,
    http: TcpListener,
    address: SocketAddr,
    metrics: TcpListener,
    metrics_address: SocketAddr,
}

impl Ready {
    async fn make(config: &Config) -> Result<Self, StartError> {
        let provider = Configured::of(config)?;
        let readers: Readers = vec![provider.reader()];
        let announcement = provider.announcement();
        let verifier = TokenVerifier::new(&settings::tokens(config)?)?;
        let tickets = TicketSigner::of(settings::ticket_keys(config)?)?;
        let mail = settings::mail(config)?;
        let edge = settings::edge(config);
        let (http, address) = listen("http.listen", config.http.listen).await?;
        let (metrics, metrics_address) = listen("metrics.listen", config.metrics.listen).await?;
        Ok(Self {
            provider,
            announcement,
            readers,
            mail,
            verifier,
            tickets,
            edge,
            http,
            address,
            metrics,
            metrics_address,
        })
    }
}

impl Server {
    /// Starts everything; returns once requests are taken, which is when every event has its owner, or
    /// after [`START_MAX`]; then `/readyz` tells why one has not.
    ///
    /// Events are opened last: that fences whoever owns them, and a start that fails must not have
    /// stopped another server's sale.
    ///
    /// # Errors
    /// [`StartError`], which names what is wrong.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        let ready = Ready::make(config).await?;
        // First, so that nothing is counted for nobody.
        let recorder = telemetry::recorder()?;
        let database = settings::database(config)?;
        in_time(schema_is_current(&database)).await??;
        let pool = Pool::new(&database)?;
        let clock = Arc::new(in_time(DatabaseClock::connect(&pool)).await??);
        let journal = Arc::new(PostgresJournal::new(database.clone(), Arc::clone(&clock)));
        let rows = Database::new(pool, &database);
        let catalogue = Catalogue::new(rows.clone());
        let site = Site::new(rows.clone());
        let events = all_terms(&catalogue).await?;
        let listings = Arc::new(Listings::load(&catalogue).await?);
        let paused = site.purchases_paused().await?;
        let chronicle = Arc::new(PostgresChronicle::new(rows.clone()));
        let node =
            Node::start_with(journal, clock.clone(), Some(chronicle), settings::node(config)).await;
        node.pause_purchases(paused.map(Into::into));
        let attempts = PostgresAttempts::new(rows.clone(), config.payments.attempts_max);
        let provider = ready.provider.at(clock.clone());
        let world = PaymentWorld {
            attempts: Arc::new(attempts),
            refunds: Arc::new(PostgresRefunds::new(rows.clone())),
            provider: Arc::clone(&provider),
            seats: node.clone(),
            bells: Arc::clone(node.bells()),
            clock: clock.clone(),
        };
        let payments = Payments::new(settings::payments(config), world);
        let webhooks = Webhooks::new(Inbox::new(rows.clone()), ready.readers, clock.clone());
        let orders = Orders::new(rows.clone());
        let cancellations = Cancellations::new(Arc::clone(&node), Arc::new(orders.clone()));
        for terms in events {
            node.open(terms);
        }
        node.started(START_MAX).await;
        let reconciliations = Reconciliations::new(rows.clone());
        let reconciler = Reconciler::new(
            provider,
            reconciliations.clone(),
            clock.clone(),
            config.reconciliation.run(),
        );
        let app = App {
            node: Arc::clone(&node),
            payments: Arc::clone(&payments),
            listings,
            catalogue: catalogue.clone(),
            orders,
            audit: Audit::new(rows.clone()),
            stories: Stories::new(rows.clone()),
            site,
            reconciliations: reconciliations.clone(),
            trail: Trail::new(rows.clone()),
            gates: Tickets::new(rows.clone()),
            contacts: ready.mail.as_ref().map(|_| Contacts::new(rows.within(CONTACT_MAX))),
            clock: clock as Arc<dyn Clock>,
            seat_maps: Arc::default(),
            verifier: Arc::new(ready.verifier),
            tickets: Arc::new(ready.tickets),
            webhooks: Arc::clone(&webhooks),
            settings: Arc::new(ready.edge),
        };
        payments.keep_up();
        webhooks.keep_up(&payments);
        let start_mail = |settings| Mail::start(Post::new(&app, OrderMail::new(rows), settings));
        let mail = ready.mail.map(start_mail).transpose()?;
        cancellations.keep_up();
        let background = Background::default();
        telemetry::serve(recorder, ready.metrics, &background);
        if let Some(every) = config.reconciliation.every() {
            let keep_up = move || reconciler.clone().keep_up(every);
            background.keep("what makes reconciliations", REST, keep_up);
        }
        if let Some(announcement) = ready.announcement {
            background.spawn(announcement.until_heard(ready.address));
        }
        let stopping = CancellationToken::new();
        let bounds = Bounds { open_max: config.http.connections_max, ..Bounds::default() };
        let serve = connections::serve(ready.http, routes::router(app), bounds, stopping.clone());
        let http_ended = CancellationToken::new();
        let ends = http_ended.clone().drop_guard();
        let http = tokio::spawn(async move {
            // However it ends, the guard tells.
            let _ends = ends;
            serve.await;
        });
        Ok(Self {
            address: ready.address,
            metrics_address: ready.metrics_address,
            catalogue,
            node,
            payments,
            webhooks,
            cancellations,
            drain: config.http.drain(),
            http,
            http_ended,
            stopping,
            background,
            mail,
        })
    }

    /// Where buyers and operators come in.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where Prometheus comes in.
    #[must_use]
    pub fn metrics_address(&self) -> SocketAddr {
        self.metrics_address
    }

    /// Venues and events in rows.
    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns if a part that cannot be brought back here has ended by itself, and says which.
    pub async fn died(&self) -> &'static str {
        tokio::select! {
            () = self.node.died() => "the supervisor of events",
            () = self.http_ended.cancelled() => "what takes connections",
        }
    }

    /// Takes no more requests, answers those that are there, then ends payments and owners. Each wait
    /// is bounded; whatever is cut off is carried on by the next start.
    pub async fn stop(self) {
        self.stopping.cancel();
        if timeout(self.drain, self.http).await.is_err() {
            tracing::warn!("some requests were still unanswered at the end of the drain");
        }
        let ended = timeout(LAST_BATCHES, async {
            if let Some(mail) = &self.mail {
                mail.stop().await;
            }
            self.webhooks.stop().await;
            self.payments.stop().await;
            self.cancellations.stop().await;
            self.node.stop().await;
        });
        if ended.await.is_err() {
            tracing::warn!("mail, notices, payments or batches were cut off");
        }
        if timeout(BACKGROUND, self.background.stop()).await.is_err() {
            tracing::warn!("something in the background was cut off");
        }
    }
}

/// The terms of every event.
async fn all_terms(catalogue: &Catalogue) -> Result<Vec<Terms>, StartError> {
    let mut all = Vec::new();
    for event in catalogue.all_event_numbers().await? {
        all.extend(catalogue.event_terms(event).await?);
    }
    Ok(all)
}

/// A first look at the database, with a bound.
async fn in_time<T>(look: impl Future<Output = T>) -> Result<T, StartError> {
    timeout(FIRST_LOOK, look).await.map_err(|_| StartError::Silent)
}

async fn listen(
    key: &'static str,
    address: SocketAddr,
) -> Result<(TcpListener, SocketAddr), StartError> {
    let bound = async {
        let listener = TcpListener::bind(address).await?;
        let local = listener.local_addr()?;
        Ok((listener, local))
    };
    bound.await.map_err(|source| StartError::Listen { key, address, source })
}
