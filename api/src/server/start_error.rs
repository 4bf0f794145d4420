//! Why a server did not start, by what stood in its way.

use std::net::SocketAddr;

use metrics_exporter_prometheus::BuildError;
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::database_clock::ClockError;
use taquilla_persistence::migrations::MigrationError;
use taquilla_persistence::pool::PoolError;

use crate::auth::KeyError;
use crate::config::ConfigError;
use crate::mail::SmtpUrlError;
use crate::payment_provider::NotConfigured;
use crate::tickets::TicketKeyError;

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
