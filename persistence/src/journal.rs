//! The engine's [`Journal`] on Postgres: one statement a batch, and the rebuild of an event.
//!
//! - `statements`: the lane's SQL; the functions behind it are in `migrations/`.
//! - `parameters`: a batch as the function's parameters; `lane`: how it is sent.
//! - `failure`: what an answer that is not a yes means.
//! - `take_over`: the epoch's bump, then the rows under it; `snapshot_rows`: what they say;
//!   `sold_order`: those of one order that is sold.
//!
//! Nothing is retried here. Whatever is not a definite yes ends the owner.

pub(crate) mod failure;
pub(crate) mod lane;
mod parameters;
mod snapshot_rows;
mod sold_order;
mod statements;
mod take_over;

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::event::{Batch, Snapshot, Terms};
use taquilla_engine::id::{EventNumber, HoldId};
use taquilla_engine::journal::{AppendError, Journal, TakeFrom, TakeOverError};
use taquilla_engine::later::Later;
use tokio::sync::Semaphore;
use uuid::Uuid;

use self::lane::LaneWriters;
use self::parameters::Parameters;
pub(crate) use self::sold_order::SoldOrderRows;
use self::statements::{APPEND_BATCH, CHECK_HEAD, STATEMENTS};
use crate::database_clock::DatabaseClock;
use crate::relay::News;
use crate::session::Session;
use crate::settings::DatabaseSettings;
use crate::writer::WriterPool;

/// A snapshot may take a gigabyte in a large event; a site that restarts has many to read.
const TAKE_OVERS_MAX: usize = 2;

/// The lanes' journal in one database. It owns the lanes' connections, and shares the clock.
#[derive(Debug)]
pub struct PostgresJournal {
    settings: DatabaseSettings,
    session: Session,
    writers: LaneWriters,
    take_overs: Semaphore,
    news: News,
    /// Stands in the heads of the events that this process owns.
    process: Uuid,
}

impl PostgresJournal {
    /// Opens nothing yet: writers connect when a batch needs one.
    #[must_use]
    pub fn new(settings: DatabaseSettings, clock: Arc<DatabaseClock>) -> Self {
        let session = Session::writer(&settings);
        Self {
            writers: LaneWriters {
                pool: WriterPool::new(settings.clone(), session.clone(), STATEMENTS),
                clock,
                answer_timeout: settings.answer_timeout,
            },
            settings,
            session,
            take_overs: Semaphore::new(TAKE_OVERS_MAX),
            news: News::default(),
            process: Uuid::new_v4(),
        }
    }

    /// Closes idle writers, for instance when the primary has changed.
    pub fn close_idle(&self) {
        self.writers.pool.close_idle();
    }

    /// Told after each batch that is durable.
    #[must_use]
    pub fn news(&self) -> News {
        self.news.clone()
    }

    async fn write(&self, batch: &Batch) -> Result<(), AppendError> {
        let call = |waited| {
            let sent_at = batch.now + waited;
            if batch.is_check() {
                (CHECK_HEAD, Parameters::of_check(batch, sent_at))
            } else {
                (APPEND_BATCH, Parameters::of(batch, sent_at))
            }
        };
        self.writers.write(call).await?;
        if !batch.is_check() {
            self.news.tell();
        }
        Ok(())
    }
}

impl Journal for PostgresJournal {
    fn append<'a>(&'a self, batch: &'a Batch) -> Later<'a, Result<(), AppendError>> {
        Box::pin(self.write(batch))
    }

    fn take_over<'a>(
        &'a self,
        event: EventNumber,
        from: TakeFrom,
        keys_kept: Duration,
        also: &'a [HoldId],
    ) -> Later<'a, Result<Snapshot, TakeOverError>> {
        Box::pin(async move {
            let turn = self.take_overs.acquire().await;
            let _turn = turn.expect("the semaphore is never closed");
            self.read_under_new_epoch(event, from, keys_kept, also).await
        })
    }

    fn terms(&self, event: EventNumber) -> Later<'_, Result<Terms, TakeOverError>> {
        Box::pin(self.read_terms(event))
    }
}
