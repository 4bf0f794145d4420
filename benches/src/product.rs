//! The whole product as `taquilla dev` puts it together, on a stage: its server in this process, over HTTP,
//! with the payment workflow and the notices of its provider, which is a process of its own.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use taquilla_api::config::Config;
use taquilla_api::server::Server;
use taquilla_api::telemetry;
use tempfile::NamedTempFile;

use crate::generator::{NAME, SECRET};
use crate::http_servers::TICKET_KEY;
use crate::provider::Provider;
use crate::stage::Stage;

/// As long as a sale's: no hold ends while its money is asked for.
const HOLD_TTL: Duration = Duration::from_secs(600);

/// A running server with its surroundings.
pub struct Product {
    /// Its database.
    pub stage: Stage,
    /// Who moves its money.
    pub provider: Provider,
    server: Server,
}

impl Product {
    /// Starts provider and server.
    pub async fn start(stage: Stage) -> Self {
        stage.let_holds_live(HOLD_TTL).await;
        let provider = Provider::start().await;
        let mut key = NamedTempFile::new().expect("a temporary directory");
        key.write_all(TICKET_KEY.as_bytes()).expect("room for a key");
        let mut config = configuration(&key, &provider);
        config.set_database_url(stage.settings.url.clone());
        telemetry::log(&config.log).expect("a filter");
        let server = Server::start(&config).await.expect("all it needs is there");
        Self { stage, provider, server }
    }

    /// Where buyers come in.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Ends the server, then its surroundings; what is left of the database is its rows.
    pub async fn stop(self) -> Stage {
        self.server.stop().await;
        self.stage
    }
}

/// The shipped defaults, but for what has none.
fn configuration(ticket_key: &NamedTempFile, provider: &Provider) -> Config {
    let ticket_key = ticket_key.path().to_str().expect("a plain path");
    let says = [
        ("HTTP__LISTEN", "127.0.0.1:0"),
        ("METRICS__LISTEN", "127.0.0.1:0"),
        ("LOG__FILTER", "warn"),
        // One address makes all the load.
        ("LIMITS__PER_ADDRESS_PER_SECOND", "0"),
        ("LIMITS__PER_ACCOUNT_PER_SECOND", "0"),
        // What is asked is how much can be answered, not how much is turned away.
        ("SHEDDING__ENABLED", "false"),
        ("LIMITS__HOLD_CHURN_FREE", "0"),
        ("AUTH__JWT_KEY", SECRET),
        ("AUTH__ISSUER", NAME),
        ("AUTH__AUDIENCE", NAME),
        ("TICKETS__KEY_FILE", ticket_key),
        ("PAYMENTS__SIMULATED_URL", provider.url()),
    ];
    let says = says.map(|(key, value)| (format!("TAQUILLA__{key}"), value.to_owned()));
    Config::load(None, says.into_iter()).expect("keys that there are")
}
