//! News, rung over the database: a relay, in whichever process, looks at once instead of at its next turn.
//!
//! A bell may be lost, and costs one turn then. It rings behind a commit of a lane, on another connection, ten times a
//! second at the most: commits that notify wait for each other. Orders' money has no bell.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_postgres::types::Type;

use crate::connect::{self, ConnectError};
use crate::database::Database;
use crate::outcome::in_full;
use crate::session::Session;
use crate::settings::DatabaseSettings;

const RING: &str = "/* ring_outbox */ SELECT pg_notify('taquilla_outbox', '')";
const LISTEN: &str = "/* listen_outbox */ LISTEN taquilla_outbox";

/// From one ring to the next.
const RING_PAUSE: Duration = Duration::from_millis(100);

/// Between two tries to listen.
const LISTEN_PAUSE: Duration = Duration::from_secs(1);

/// Told by this process's lanes: there is a new batch. Clones are the same; it never waits.
#[derive(Clone, Debug, Default)]
pub struct News(Arc<Notify>);

impl News {
    pub(crate) fn tell(&self) {
        self.0.notify_one();
    }
}

/// Rings when there is news.
#[derive(Clone, Debug)]
pub struct Ringer {
    database: Database,
    news: News,
}

impl Ringer {
    /// For what these lanes write.
    #[must_use]
    pub fn new(database: Database, news: News) -> Self {
        Self { database, news }
    }

    /// For ever. A ring that fails is left out: relays look by themselves as well.
    pub async fn keep_ringing(self) {
        loop {
            self.news.0.notified().await;
            let next = Instant::now() + RING_PAUSE;
            let rung = self.database.write_at_once("ring_outbox", async |client| {
                let none: &[(&(dyn tokio_postgres::types::ToSql + Sync), Type)] = &[];
                client.query_typed(RING, none).await.map(drop)
            });
            if let Err(error) = rung.await {
                tracing::debug!(error = in_full(&error), "the outbox's bell did not ring");
            }
            sleep_until(next).await;
        }
    }
}

/// Hears the bells of all processes.
#[derive(Clone, Debug)]
pub struct Listener {
    settings: DatabaseSettings,
    heard: watch::Sender<()>,
}

impl Listener {
    /// Opens nothing yet.
    #[must_use]
    pub fn new(settings: DatabaseSettings) -> Self {
        Self { settings, heard: watch::Sender::new(()) }
    }

    /// Changes with each bell, and whenever listening has begun anew: what was rung before is not heard, so it
    /// is to be looked for.
    #[must_use]
    pub fn heard(&self) -> watch::Receiver<()> {
        self.heard.subscribe()
    }

    /// For ever, on a connection of its own.
    pub async fn keep_listening(self) {
        loop {
            if let Err(error) = self.listen().await {
                let error = in_full(&error);
                tracing::warn!(
                    error,
                    "the outbox's bell cannot be heard; relays look by themselves"
                );
            }
            sleep(LISTEN_PAUSE).await;
        }
    }

    /// Until the connection ends.
    async fn listen(&self) -> Result<(), ConnectError> {
        let session = Session::listener(&self.settings);
        let mut driven = connect::connect(&self.settings, &session).await?;
        driven.client.batch_execute(LISTEN).await.map_err(ConnectError::Driver)?;
        self.heard.send_replace(());
        while driven.notified.changed().await.is_ok() {
            self.heard.send_replace(());
        }
        Ok(())
    }
}
