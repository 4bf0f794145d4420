//! Configuration: the shipped file is the list of keys and the defaults; a file and the environment
//! lie over it, in this order. Read once, at the start.

mod bounds;
mod challenge;
mod environment;
mod layer;
mod limits;
mod origins;
mod outbox;
mod payments;
mod reconciliation;
mod secret;
pub mod settings;
mod shedding;
mod waiting_room;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

pub use self::challenge::Challenge;
pub use self::environment::environment;
pub use self::layer::ConfigError;
use self::layer::variable;
pub use self::limits::Limits;
pub use self::outbox::{Nats, Outbox};
pub use self::payments::{Payments, Provider, Stripe};
pub use self::reconciliation::Reconciliation;
use self::secret::{from_file, given};
pub use self::shedding::Shedding;
pub use self::waiting_room::WaitingRoom;
use crate::limits::proxy;

/// What a dev instance has in place of the shipped defaults.
const DEV_DEFAULTS: &str = "[limits]\nper_address_per_second = 0\nper_account_per_second = 0\nmap_reads_per_second = 0\n\
     hold_churn_free = 0";

/// Everything that can be set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where buyers and operators come in.
    pub http: Http,
    /// How much each caller may ask.
    pub limits: Limits,
    /// What is turned away when there is too much to do.
    pub shedding: Shedding,
    /// Where Prometheus comes in.
    pub metrics: Metrics,
    /// What is logged, and how.
    pub log: Log,
    /// The authority.
    pub database: Database,
    /// Who is who.
    pub auth: Auth,
    /// What a place in a waiting room is asked for with.
    pub challenge: Challenge,
    /// How tickets are signed.
    pub tickets: Tickets,
    /// Whether tickets are sent by mail.
    pub mail: Mail,
    /// Who moves money.
    pub payments: Payments,
    /// How money is compared with the provider's books.
    pub reconciliation: Reconciliation,
    /// Who is told what happened.
    pub outbox: Outbox,
    /// The bus.
    pub nats: Nats,
    /// How many are let in to a sale that more want than it can serve.
    pub waiting_room: WaitingRoom,
    /// Bounds of events.
    pub engine: Engine,
}

/// `[http]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    /// Address and port.
    pub listen: SocketAddr,
    /// Origins that a browser may call from.
    pub cors_origins: Vec<String>,
    trusted_proxies: Vec<String>,
    /// Connections open at once.
    pub connections_max: usize,
    decision_deadline_ms: u64,
    drain_seconds: u64,
}

impl Http {
    /// Decisions are answered within this.
    #[must_use]
    pub fn decision_deadline(&self) -> Duration {
        Duration::from_millis(self.decision_deadline_ms)
    }

    /// The networks whose `X-Forwarded-For` is believed.
    ///
    /// # Errors
    /// [`ConfigError`] if one is no network.
    pub fn trusted_proxies(&self) -> Result<Vec<IpNet>, ConfigError> {
        let network = |text: &String| {
            proxy(text).map_err(|why| {
                let rule = format!("holds {text:?}, which {why}");
                ConfigError::value("http.trusted_proxies", &rule)
            })
        };
        self.trusted_proxies.iter().map(network).collect()
    }

    /// How long a stop waits for what is being answered.
    #[must_use]
    pub fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds)
    }
}

/// `[metrics]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// Address and port.
    pub listen: SocketAddr,
}

/// `[log]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// For people or machines.
    pub format: LogFormat,
    /// As in `RUST_LOG`.
    pub filter: String,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// `[database]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    url: SecretString,
    url_file: PathBuf,
    /// Connections that lanes write on.
    pub writers: usize,
    /// Connections for everything else.
    pub readers: usize,
}

/// `[auth]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// The one algorithm taken.
    pub algorithm: TokenAlgorithm,
    jwt_key: SecretString,
    jwt_key_file: PathBuf,
    /// The `iss` of every token.
    pub issuer: String,
    /// The `aud` of every token.
    pub audience: String,
}

/// How tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum TokenAlgorithm {
    /// HMAC with SHA-256.
    HS256,
}

/// `[tickets]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tickets {
    key_file: PathBuf,
    verifying_key_files: Vec<PathBuf>,
}

/// `[mail]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// Whether any is sent, and addresses are kept.
    pub enabled: bool,
    /// Who writes.
    pub from: String,
    smtp_url: SecretString,
    smtp_url_file: PathBuf,
}

/// `[engine]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Commands of an event that may wait for their answers.
    pub event_commands_max: usize,
    /// Of these, commands that go straight to one section.
    pub section_commands_max: usize,
    /// Decisions a batch.
    pub batch_max: usize,
    /// Keys remembered an event.
    pub keys_max: usize,
    /// Holds alive at once, of an event.
    pub open_holds_max: u32,
}

impl Config {
    /// The defaults, with the file and then the environment laid over them.
    ///
    /// # Errors
    /// [`ConfigError`], which names the key and the reason.
    pub fn load(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        Self::over("", file, environment)
    }

    /// The same over the defaults of a dev instance, where everybody is at one address and nobody is
    /// kept from trying things.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn load_for_dev(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        Self::over(DEV_DEFAULTS, file, environment)
    }

    fn over(
        other_defaults: &str,
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let config: Self = layer::load(other_defaults, file, environment)?;
        config.check()?;
        Ok(config)
    }

    /// Whether a database is configured.
    #[must_use]
    pub fn has_database(&self) -> bool {
        !self.database.url.expose_secret().is_empty()
            || !self.database.url_file.as_os_str().is_empty()
    }

    /// Sets the address of a database that was started for this process.
    pub fn set_database_url(&mut self, url: SecretString) {
        self.database.url = url;
    }

    /// The database's address.
    ///
    /// # Errors
    /// [`ConfigError`] if it is not set, or its file cannot be read.
    pub fn database_url(&self) -> Result<SecretString, ConfigError> {
        given("database.url", &self.database.url, &self.database.url_file)
    }

    /// The key of tokens.
    ///
    /// # Errors
    /// [`ConfigError`] if it is not set, cannot be read, or is shorter than 32 bytes: RFC 7518 asks
    /// for a key as long as the hash.
    pub fn jwt_key(&self) -> Result<SecretString, ConfigError> {
        let key = given("auth.jwt_key", &self.auth.jwt_key, &self.auth.jwt_key_file)?;
        if key.expose_secret().len() < 32 {
            return Err(ConfigError::value("auth.jwt_key", "has at least 32 bytes"));
        }
        Ok(key)
    }

    /// The PEM text of the key that tickets are signed with.
    ///
    /// # Errors
    /// [`ConfigError`] if it is not set or cannot be read.
    pub fn ticket_key(&self) -> Result<SecretString, ConfigError> {
        const KEY: &str = "tickets.key_file";
        let file = &self.tickets.key_file;
        if file.as_os_str().is_empty() {
            let give = format!(
                "{}, which names a file of `openssl genpkey -algorithm ed25519`",
                variable(KEY)
            );
            return Err(ConfigError::NotSet { key: KEY, give });
        }
        from_file(file)
    }

    /// The address of the mail server.
    ///
    /// # Errors
    /// [`ConfigError`] if it is not set, or its file cannot be read.
    pub fn smtp_url(&self) -> Result<SecretString, ConfigError> {
        given("mail.smtp_url", &self.mail.smtp_url, &self.mail.smtp_url_file)
    }

    /// The files of other keys that verify tickets, and what is in each: public keys as
    /// [`crate::tickets::public_keys`] reads them.
    ///
    /// # Errors
    /// [`ConfigError`] if one cannot be read.
    pub fn verifying_keys(&self) -> Result<Vec<(&Path, Vec<u8>)>, ConfigError> {
        let read = |path: &'_ PathBuf| {
            std::fs::read(path)
                .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })
        };
        let files = self.tickets.verifying_key_files.iter();
        files.map(|path| Ok((path.as_path(), read(path)?))).collect()
    }

    fn check(&self) -> Result<(), ConfigError> {
        bounds::check(self)?;
        self.http.trusted_proxies()?;
        origins::check(&self.http.cors_origins)
    }
}
