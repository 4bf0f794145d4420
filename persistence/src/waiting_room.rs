//! Waiting rooms in rows: the engine's [`QueueJournal`] on Postgres, one statement a batch on connections
//! of its own, and the rebuild of a room.
//!
//! Nothing is retried here. Whatever is not a definite yes ends the owner.

mod heads;
mod parameters;
mod published;
mod take_over;

pub use self::heads::{AdmissionHead, QueueHeads};
pub use self::published::{Draws, PublishedDraw, PublishedTickets};

use std::sync::Arc;

use taquilla_engine::id::EventNumber;
use taquilla_engine::journal::{AppendError, TakeFrom, TakeOverError};
use taquilla_engine::later::Later;
use taquilla_engine::waiting_room::batch::QueueBatch;
use taquilla_engine::waiting_room::journal::QueueJournal;
use taquilla_engine::waiting_room::snapshot::QueueSnapshot;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::database_clock::DatabaseClock;
use crate::journal::lane::LaneWriters;
use crate::session::Session;
use crate::settings::DatabaseSettings;
use crate::writer::{NamedStatement, WriterPool};

const APPEND: &str = "append_queue_batch";
const STATEMENTS: &[NamedStatement] = &[NamedStatement {
    name: APPEND,
    // Head; new places; turns; opening, call, round; control; deeds.
    sql: "/* append_queue_batch */ SELECT append_queue_batch($1, $2, $3, $4, \
          $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
          $21, $22, $23, $24, $25, $26)",
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
    writers: LaneWriters,
    take_overs: Semaphore,
    /// Stands in the heads of the rooms that this process owns.
    process: Uuid,
}

impl PostgresQueueJournal {
    /// Opens nothing yet.
    #[must_use]
    pub fn new(settings: DatabaseSettings, clock: Arc<DatabaseClock>) -> Self {
        let session = Session::writer(&settings);
        let of_rooms = DatabaseSettings { writers_max: WRITERS_MAX, ..settings.clone() };
        Self {
            writers: LaneWriters {
                pool: WriterPool::new(of_rooms, session.clone(), STATEMENTS),
                clock,
                answer_timeout: settings.answer_timeout,
            },
            settings,
            session,
            take_overs: Semaphore::new(TAKE_OVERS_MAX),
            process: Uuid::new_v4(),
        }
    }
}

impl QueueJournal for PostgresQueueJournal {
    fn append<'a>(&'a self, batch: &'a QueueBatch) -> Later<'a, Result<(), AppendError>> {
        let call = |waited| (APPEND, parameters::of(batch, batch.now + waited));
        Box::pin(self.writers.write(call))
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
