//! A server put together from its configuration, run, and drained: `serve` and `dev` are this with
//! different surroundings.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use jsonwebtoken::Algorithm;
use metrics_exporter_prometheus::BuildError;
use reqwest::Url;
use taquilla_engine::clock::Clock;
use taquilla_engine::event::Limits;
use taquilla_engine::runtime::{Node, PaymentSettings, Payments, Settings};
use taquilla_persistence::attempts::PostgresAttempts;
use taquilla_persistence::audit::Audit;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::chronicle::PostgresChronicle;
use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::database_clock::{ClockError, DatabaseClock};
use taquilla_persistence::journal::PostgresJournal;
use taquilla_persistence::migrations::{MigrationError, schema_is_current};
use taquilla_persistence::operator_action::Trail;
use taquilla_persistence::orders::Orders;
use taquilla_persistence::pool::{Pool, PoolError};
use taquilla_persistence::settings::DatabaseSettings;
use taquilla_persistence::site::Site;
use taquilla_persistence::story::Stories;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::app::{App, EdgeSettings};
use crate::auth::{KeyError, TokenSettings, TokenVerifier, VerificationKey};
use crate::config::{Config, ConfigError, Provider, TokenAlgorithm};
use crate::connections::{self, Bounds};
use crate::listings::Listings;
use crate::payment_provider::SimulatedProvider;
use crate::provider_client::SimulatedProviderClient;
use crate::tickets::{TicketKeyError, TicketSigner};
use crate::{routes, telemetry};

/// How long a stop waits for the last batches, after the requests. A lane gives a batch up at 5 s.
const LAST_BATCHES: Duration = Duration::from_secs(6);

/// The longest that a start waits for each first answer of the database.
const FIRST_LOOK: Duration = Duration::from_secs(15);

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
    #[error(
        "payments.simulated_url is the URL where the simulated provider listens, and is not set right: \
         give TAQUILLA__PAYMENTS__SIMULATED_URL"
    )]
    ProviderUrl,
    #[error("the payment provider's client cannot start")]
    ProviderClient(#[from] reqwest::Error),
    #[error("metrics cannot be recorded")]
    Metrics(#[from] BuildError),
    #[error("cannot listen on {address} ({key})")]
    Listen { key: &'static str, address: SocketAddr, source: std::io::Error },
}

/// A running server.
pub struct Server {
    address: SocketAddr,
    catalogue: Catalogue,
    node: Arc<Node>,
    payments: Arc<Payments>,
    drain: Duration,
    http: JoinHandle<()>,
    stopping: CancellationToken,
    background: CancellationToken,
}

impl Server {
    /// Starts everything; returns once requests are taken. Events are taken over meanwhile, and
    /// `/readyz` tells when they all are.
    ///
    /// # Errors
    /// [`StartError`], which names what is wrong.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        // First, so that nothing is counted for nobody.
        let recorder = telemetry::recorder()?;
        let settings = database(config)?;
        in_time(schema_is_current(&settings)).await??;
        let pool = Pool::new(&settings)?;
        let clock = Arc::new(in_time(DatabaseClock::connect(&pool)).await??);
        let journal = Arc::new(PostgresJournal::new(settings.clone(), Arc::clone(&clock)));
        let rows = Database::new(pool, &settings);
        let chronicle = Arc::new(PostgresChronicle::new(rows.clone()));
        let node =
            Node::start_with(journal, clock.clone(), Some(chronicle), node_settings(config)).await;
        let catalogue = Catalogue::new(rows.clone());
        for event in catalogue.all_event_numbers().await? {
            if let Some(terms) = catalogue.event_terms(event).await? {
                node.open(terms);
            }
        }
        let site = Site::new(rows.clone());
        node.pause_purchases(site.purchases_paused().await?.map(Into::into));
        let attempts = PostgresAttempts::new(rows.clone(), config.payments.attempts_max);
        let payments = Payments::new(
            payment_settings(config),
            Arc::new(attempts),
            Arc::new(provider(config)?),
            node.clone(),
            Arc::clone(node.bells()),
        );
        let tokens: TokenSettings = tokens(config)?;
        let background = CancellationToken::new();
        let app = App {
            node: Arc::clone(&node),
            payments: Arc::clone(&payments),
            listings: Arc::new(Listings::load(&catalogue).await?),
            catalogue: catalogue.clone(),
            orders: Orders::new(rows.clone()),
            audit: Audit::new(rows.clone()),
            stories: Stories::new(rows.clone()),
            site,
            trail: Trail::new(rows),
            clock: clock as Arc<dyn Clock>,
            seat_maps: Arc::default(),
            verifier: Arc::new(TokenVerifier::new(&tokens)?),
            tickets: Arc::new(TicketSigner::new(&config.ticket_key()?)?),
            settings: Arc::new(edge(config)?),
        };
        let (listener, address) = listen("http.listen", config.http.listen).await?;
        let metrics = config.metrics.listen;
        telemetry::serve(recorder, metrics, background.clone()).await.map_err(|source| {
            StartError::Listen { key: "metrics.listen", address: metrics, source }
        })?;
        payments.keep_up();
        let stopping = CancellationToken::new();
        let bounds = Bounds { open_max: config.http.connections_max, ..Bounds::default() };
        let serve = connections::serve(listener, routes::router(app), bounds, stopping.clone());
        let http = tokio::spawn(serve);
        let drain = config.http.drain();
        Ok(Self { address, catalogue, node, payments, drain, http, stopping, background })
    }

    /// Where buyers and operators come in.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Venues and events in rows.
    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns if what supervises the events has ended by itself: nothing here can bring it back.
    pub async fn died(&self) {
        self.node.died().await;
    }

    /// Takes no more requests, answers those that are there, then ends payments and owners. Each wait
    /// is bounded; whatever is cut off is carried on by the next start.
    pub async fn stop(self) {
        self.stopping.cancel();
        if timeout(self.drain, self.http).await.is_err() {
            tracing::warn!("some requests were still unanswered at the end of the drain");
        }
        let ended = timeout(LAST_BATCHES, async {
            self.payments.stop().await;
            self.node.stop().await;
        });
        if ended.await.is_err() {
            tracing::warn!("some batches were still unanswered at the end of the drain");
        }
        self.background.cancel();
    }
}

/// A first look at the database, with a bound.
async fn in_time<T>(look: impl Future<Output = T>) -> Result<T, StartError> {
    timeout(FIRST_LOOK, look).await.map_err(|_| StartError::Silent)
}

/// The configured database.
///
/// # Errors
/// [`ConfigError`] if it is not set.
pub fn database(config: &Config) -> Result<DatabaseSettings, ConfigError> {
    let mut settings = DatabaseSettings::new(config.database_url()?);
    settings.writers_max = config.database.writers;
    settings.pool_max = config.database.readers;
    Ok(settings)
}

/// The configured tokens.
///
/// # Errors
/// [`ConfigError`] if their key is not set or too short.
pub fn tokens(config: &Config) -> Result<TokenSettings, ConfigError> {
    Ok(TokenSettings {
        algorithm: match config.auth.algorithm {
            TokenAlgorithm::HS256 => Algorithm::HS256,
        },
        keys: vec![VerificationKey::Secret(config.jwt_key()?)],
        issuer: config.auth.issuer.clone(),
        audience: config.auth.audience.clone(),
    })
}

fn node_settings(config: &Config) -> Settings {
    let engine = &config.engine;
    Settings {
        event_commands_max: engine.event_commands_max,
        section_commands_max: engine.section_commands_max,
        confirm_patience: config.http.decision_deadline(),
        limits: Limits {
            batch_max: engine.batch_max,
            keys_max: engine.keys_max,
            ..Limits::default()
        },
    }
}

fn payment_settings(config: &Config) -> PaymentSettings {
    PaymentSettings {
        attempts_in_work_max: config.payments.in_work_max,
        provider_patience: config.payments.patience(),
        ..PaymentSettings::default()
    }
}

fn provider(config: &Config) -> Result<SimulatedProvider, StartError> {
    match config.payments.provider {
        Provider::Simulated => {
            let url = Url::parse(&config.payments.simulated_url);
            let url = url.map_err(|_| StartError::ProviderUrl)?;
            let client = SimulatedProviderClient::new(url, config.payments.patience())?;
            Ok(SimulatedProvider::new(client))
        }
    }
}

fn edge(config: &Config) -> Result<EdgeSettings, ConfigError> {
    let origins = config.http.cors_origins.iter().map(|origin| {
        HeaderValue::from_str(origin)
            .map_err(|_| ConfigError::value("http.cors_origins", "holds origins, or \"*\""))
    });
    Ok(EdgeSettings {
        decision_deadline: config.http.decision_deadline(),
        cors_origins: origins.collect::<Result<_, _>>()?,
    })
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
