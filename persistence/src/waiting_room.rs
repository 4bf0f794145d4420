//! Waiting rooms in rows: the engine's [`QueueJournal`] on Postgres, one statement a batch on connections
//! of its own, and the rebuild of a room.
//!
//! Nothing is retried here. Whatever is not a definite yes ends the owner.

mod parameters;
mod published;
mod take_over;

pub use self::published::{Draws, PublishedDraw, PublishedTickets};

use std::sync::Arc;

use taquilla_engine::id::EventNumber;
use taquilla_engine::journal::{AppendError, TakeFrom, TakeOverError};
use taquilla_engine::later::Later;
use taquilla_engine::waiting_room::batch::QueueBatch;
use taquilla_engine::waiting_room::journal::QueueJournal;
use taquilla_engine::waiting_room::snapshot::QueueSnapshot;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use self::parameters::Parameters;
use crate::database_clock::{DatabaseClock, Sent};
use crate::journal::failure;
use crate::session::Session;
use crate::settings::DatabaseSettings;
use crate::stamp::Stamp;
use crate::writer::{NamedStatement, WriterPool};

const APPEND: &str = "append_queue_batch";
const STATEMENTS: &[NamedStatement] = &[NamedStatement {
    name: APPEND,
    // Head; new places; turns; opening, call, round.
    sql: "/* append_queue_batch */ SELECT append_queue_batch($1, $2, $3, $4, \
          $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
}];

/// Connections of all rooms together: a batch of joins takes a few milliseconds.
const WRITERS_MAX: usize = 2;
/// Half a million places are some 60 MB.
const TAKE_OVERS_MAX: usize = 1;

/// The rooms' journal in one database. It shares the clock with the events'.
#[derive(Debug)]
pub struct PostgresQueueJournal {
    settings: DatabaseSettings,
    session: Session,
    writers: WriterPool,
    take_overs: Semaphore,
    /// Stands in the heads of the rooms that this process owns.
    process: Uuid,
    clock: Arc<DatabaseClock>,
}

impl PostgresQueueJournal {
    /// Opens nothing yet.
    #[must_use]
    pub fn new(settings: DatabaseSettings, clock: Arc<DatabaseClock>) -> Self {
        let session = Session::writer(&settings);
        let of_rooms = DatabaseSettings { writers_max: WRITERS_MAX, ..settings.clone() };
        Self {
            writers: WriterPool::new(of_rooms, session.clone(), STATEMENTS),
            settings,
            session,
            take_overs: Semaphore::new(TAKE_OVERS_MAX),
            process: Uuid::new_v4(),
            clock,
        }
    }

    async fn write(&self, batch: &QueueBatch) -> Result<(), AppendError> {
        let asked = Instant::now();
        let deadline = asked + self.settings.answer_timeout;
        let writer = self.writers.borrow(deadline).await;
        let mut writer = writer.map_err(|error| failure::unknown(&error))?;
        let parameters = Parameters::of(batch, batch.now + asked.elapsed());
        let parameters: Vec<&(dyn ToSql + Sync)> = parameters.iter().collect();
        let sent = Sent::now();
        let answer = writer.query(APPEND, &parameters, deadline).await;
        drop(writer);
        let rows = answer.map_err(|error| {
            if failure::condemns_writers(&error) {
                self.writers.close_idle();
            }
            failure::append_error(&error)
        })?;
        if let Some(Ok(Stamp(database))) = rows.first().map(|row| row.try_get(0)) {
            self.clock.answered(sent, database);
        }
        Ok(())
    }
}

impl QueueJournal for PostgresQueueJournal {
    fn append<'a>(&'a self, batch: &'a QueueBatch) -> Later<'a, Result<(), AppendError>> {
        Box::pin(self.write(batch))
    }

    fn take_over(
        &self,
        event: EventNumber,
        from: TakeFrom,
    ) -> Later<'_, Result<QueueSnapshot, TakeOverError>> {
        Box::pin(async move {
            let turn = self.take_overs.acquire().await;
            let _turn = turn.expect("the semaphore is never closed");
            self.read_under_new_epoch(event, from).await
        })
    }
}
