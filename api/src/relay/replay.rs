//! An event's history once more, to one sink: for a consumer that has lost what it made of it.
//!
//! Beside what is told at the moment, and without moving the sink's place. The CloudEvents are the same ones, so
//! whoever knows their ids has nothing twice.

use std::time::Duration;

use taquilla_engine::id::{EventId, Sequence};
use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::relay::EventHistory;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{NamedSink, Pacing, Repeat, SinkError, section_events};

/// A message that is not taken for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// For each part; a part that does not come to its end is told again from its beginning.
const PART_MAX: Duration = Duration::from_secs(60);

/// A run.
pub struct Replay<'a> {
    sink: &'a NamedSink,
    database: Database,
    pacing: Pacing,
    patience: Duration,
}

/// What was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// From this batch.
    pub from: Sequence,
    /// To this one.
    pub to: Sequence,
    /// In so many messages.
    pub messages: u64,
}

/// Why it did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// There is no such event.
    #[error("there is no such event")]
    NoSuchEvent,
    /// Nothing has happened in it, or nothing of that is kept.
    #[error("this event has no history")]
    NoHistory,
    /// History does not reach so far.
    #[error("batch {from} is not there: this event's history is batches {first} to {last}")]
    NotKept {
        /// Where it was to begin.
        from: i64,
        /// The first batch that is kept.
        first: i64,
        /// The last one.
        last: i64,
    },
    /// The sink takes nothing.
    #[error("the sink does not take batch {next}, time and again; go on with --from {next}")]
    Away {
        /// The batch that it did not take.
        next: i64,
        /// Why.
        source: SinkError,
    },
    /// The rows cannot be read.
    #[error("the outbox cannot be read; go on with --from {next}")]
    Database {
        /// The batch that could not be read.
        next: i64,
        /// Why.
        source: DatabaseError,
    },
}

impl<'a> Replay<'a> {
    /// To this sink.
    #[must_use]
    pub fn new(sink: &'a NamedSink, database: Database) -> Self {
        Self { sink, database, pacing: Pacing::default(), patience: PATIENCE }
    }

    /// The same, for a sink that is given up sooner.
    #[must_use]
    pub fn within(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Tells all batches from `from` to the last that there is when it begins. `progress` hears of each part.
    ///
    /// # Errors
    /// [`ReplayError`]; what was told before stays told.
    pub async fn run(
        &self,
        event: EventId,
        from: Sequence,
        progress: &(dyn Fn(Replayed) + Sync),
    ) -> Result<Replayed, ReplayError> {
        let rows = self.sink.rows(&self.database);
        let unread = |next: Sequence| move |source| ReplayError::Database { next: next.0, source };
        let found = rows.history(event).await.map_err(unread(from))?;
        let EventHistory { event, floor, head } = found.ok_or(ReplayError::NoSuchEvent)?;
        if floor == head {
            return Err(ReplayError::NoHistory);
        }
        if from <= floor || from > head {
            let (first, last) = (floor.0 + 1, head.0);
            return Err(ReplayError::NotKept { from: from.0, first, last });
        }
        let run = Uuid::new_v4().simple().to_string();
        let wants = |kind: &str| self.sink.sink.wants(kind);
        let mut done = Replayed { from, to: Sequence(from.0 - 1), messages: 0 };
        while done.to < head {
            let next = Sequence(done.to.0 + 1);
            let batches = rows.batches(event.number, done.to, head).await.map_err(unread(next))?;
            let seats = section_events::seats_of(&batches);
            let names = rows.names(event.number, &seats).await.map_err(unread(next))?;
            let first = batches.first().map_or(head.0 + 1, |batch| batch.sequence.0);
            if first > next.0 {
                // Somebody has tidied them away meanwhile.
                return Err(ReplayError::NotKept { from: next.0, first, last: head.0 });
            }
            for batch in &batches {
                let messages = section_events::of_batch(&event, &names, batch, wants);
                for some in messages.chunks(self.sink.sink.at_once()) {
                    self.tell(some, &run, batch.sequence).await?;
                    done.messages += some.len() as u64;
                }
                done.to = batch.sequence;
            }
            progress(done);
        }
        Ok(done)
    }

    /// Until the sink has them all, or has been away for too long.
    async fn tell(
        &self,
        messages: &[super::Message],
        run: &str,
        batch: Sequence,
    ) -> Result<(), ReplayError> {
        let (begun, mut failures) = (Instant::now(), 0_u32);
        loop {
            let until = Instant::now() + PART_MAX;
            let told = self.sink.sink.publish(messages, Repeat::Run(run), until).await;
            let Err(error) = told else { return Ok(()) };
            failures += 1;
            let pause = match &error {
                SinkError::Refused { pause, .. } => *pause,
                SinkError::Away(_) | SinkError::Log(_) | SinkError::OutOfTime => {
                    self.pacing.pause_after(failures)
                }
            };
            if begun.elapsed() + pause > self.patience {
                return Err(ReplayError::Away { next: batch.0, source: error });
            }
            sleep(pause).await;
        }
    }
}
