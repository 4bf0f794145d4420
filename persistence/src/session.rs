//! What a session must be before anything is written on it: set, then read back.
//!
//! A database or a role may carry settings of its own (`ALTER DATABASE … SET`), a pooler may drop
//! ours, a failover may lead to a standby. So every connection is checked, not trusted.

use std::time::Duration;

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config};

use crate::settings::DatabaseSettings;

/// The first version whose behaviour was measured.
const SERVER_VERSION_MIN: u32 = 150_000;

const PIN: &str = "/* pin_session */ SELECT set_config(name, value, false) \
    FROM unnest($1::text[], $2::text[]) AS pinned (name, value)";

const READ_BACK: &str = "/* verify_session */ SELECT name, setting FROM pg_settings \
    WHERE name = ANY ($1::text[]) \
    UNION ALL SELECT 'pg_is_in_recovery()', pg_is_in_recovery()::text";

/// Writes a commit record and waits for it as any commit of the session does: all that was visible
/// before it comes before it in the log.
pub(crate) const ACKNOWLEDGED_COMMIT: &str =
    "/* acknowledged_commit */ SELECT pg_logical_emit_message(true, 'taquilla', '')";

/// How the pool's statements are planned, unless one asks otherwise.
const KEPT_PLANS: [(&str, &str); 4] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
];

/// A session that may not be used.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The server is, or says, something else than is required.
    #[error("database session refused: {setting} is {found:?}, expected {expected:?}")]
    Unexpected {
        /// The parameter's name.
        setting: &'static str,
        /// What is required.
        expected: String,
        /// What the server says; `absent` when it knows no such parameter.
        found: String,
    },
    /// It could not be set or read.
    #[error("cannot set up the database session")]
    Driver(#[source] tokio_postgres::Error),
}

/// The settings of one kind of session.
#[derive(Debug, Clone)]
pub struct Session {
    application_name: &'static str,
    pinned: Vec<(&'static str, String)>,
    crash_safe_storage_required: bool,
    /// Rows are visible before they are durable: whoever reads them makes a commit of his own first.
    commits_first: bool,
}

impl Session {
    /// A lane's connection.
    pub fn writer(settings: &DatabaseSettings) -> Session {
        Session::new("taquilla writer", settings)
    }

    /// Everything that is not the lane: reads, money, refusals. It begins with one acknowledged commit.
    /// Its statements' plans are kept, and made while tables may still be small: they go by index.
    pub fn pooled(settings: &DatabaseSettings) -> Session {
        let mut session = Session::new("taquilla pool", settings);
        session.commits_first = true;
        session.pinned.retain(|(name, _)| *name != "plan_cache_mode");
        session.pinned.extend(KEPT_PLANS.map(|(name, kept)| (name, kept.to_owned())));
        session
    }

    /// Listens to the outbox's bell, and does nothing else.
    pub(crate) fn listener(settings: &DatabaseSettings) -> Session {
        Session::new("taquilla listener", settings)
    }

    /// Migrations: no limit on a statement, which may build an index; a limit on waiting for locks.
    pub fn migration(settings: &DatabaseSettings) -> Session {
        let unlimited = DatabaseSettings {
            statement_timeout: Duration::ZERO,
            lock_timeout: settings.migration_lock_timeout,
            ..settings.clone()
        };
        Session::new("taquilla migrate", &unlimited)
    }

    fn new(application_name: &'static str, settings: &DatabaseSettings) -> Session {
        let idle = settings.idle_in_transaction_session_timeout;
        Session {
            application_name,
            crash_safe_storage_required: settings.crash_safe_storage_required,
            commits_first: false,
            pinned: vec![
                ("synchronous_commit", settings.synchronous_commit.as_str().to_owned()),
                ("default_transaction_isolation", "read committed".to_owned()),
                ("statement_timeout", millis(settings.statement_timeout)),
                ("lock_timeout", millis(settings.lock_timeout)),
                ("idle_in_transaction_session_timeout", millis(idle)),
                // A lane may be idle all night.
                ("idle_session_timeout", "0".to_owned()),
                ("TimeZone", "UTC".to_owned()),
                ("search_path", "public, pg_temp".to_owned()),
                // Compiling a statement costs more than any of ours runs.
                ("jit", "off".to_owned()),
                ("plan_cache_mode", "auto".to_owned()),
            ],
        }
    }

    pub(crate) fn name_in(&self, config: &mut Config) {
        config.application_name(self.application_name);
    }

    /// Sets what can be set and checks the rest. Two round trips, three for one that commits first.
    ///
    /// # Errors
    /// [`SessionError`]; the connection must not be used then.
    pub async fn establish(&self, client: &Client) -> Result<(), SessionError> {
        self.pin(client).await?;
        self.verify(client).await?;
        if self.commits_first {
            client.batch_execute(ACKNOWLEDGED_COMMIT).await.map_err(SessionError::Driver)?;
        }
        Ok(())
    }

    async fn pin(&self, client: &Client) -> Result<(), SessionError> {
        let (names, values): (Vec<&str>, Vec<&str>) =
            self.pinned.iter().map(|(name, value)| (*name, value.as_str())).unzip();
        let parameters = [(&names as _, Type::TEXT_ARRAY), (&values as _, Type::TEXT_ARRAY)];
        client.query_typed(PIN, &parameters).await.map(drop).map_err(SessionError::Driver)
    }

    async fn verify(&self, client: &Client) -> Result<(), SessionError> {
        let expected = self.expected();
        let mut names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
        names.push("server_version_num");
        let rows = client
            .query_typed(READ_BACK, &[(&names, Type::TEXT_ARRAY)])
            .await
            .map_err(SessionError::Driver)?;
        let found = |wanted: &str| {
            let row = rows.iter().find(|row| row.get::<_, &str>(0) == wanted);
            row.map_or_else(|| "absent".to_owned(), |row| row.get(1))
        };

        let version = found("server_version_num");
        if !version.parse::<u32>().is_ok_and(|version| version >= SERVER_VERSION_MIN) {
            return Err(SessionError::Unexpected {
                setting: "server_version_num",
                expected: format!("{SERVER_VERSION_MIN} or later"),
                found: version,
            });
        }
        for (setting, expected) in expected {
            let found = found(setting);
            if found != expected {
                let expected = expected.to_owned();
                return Err(SessionError::Unexpected { setting, expected, found });
            }
        }
        Ok(())
    }

    fn expected(&self) -> Vec<(&'static str, &str)> {
        // Recovery first: a standby is read-only too, and the reason is the better message.
        let mut expected = vec![
            ("pg_is_in_recovery()", "false"),
            ("default_transaction_read_only", "off"),
            ("transaction_read_only", "off"),
        ];
        if self.crash_safe_storage_required {
            expected.extend([("fsync", "on"), ("full_page_writes", "on")]);
        }
        expected.extend(self.pinned.iter().map(|(name, value)| (*name, value.as_str())));
        expected
    }
}

fn millis(duration: Duration) -> String {
    duration.as_millis().to_string()
}
