//! A journal's way to its rows: one statement a batch, on a connection that is lent for it. Events and waiting
//! rooms each have their own.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::journal::AppendError;
use tokio::time::Instant;
use tokio_postgres::types::ToSql;

use super::failure;
use crate::database_clock::{DatabaseClock, Sent};
use crate::metric;
use crate::stamp::Stamp;
use crate::writer::WriterPool;

/// Values in the order of a statement's parameters.
#[derive(Default)]
pub(crate) struct Values<'a>(Vec<Box<dyn ToSql + Sync + Send + 'a>>);

impl<'a> Values<'a> {
    pub(crate) fn push(&mut self, value: impl ToSql + Sync + Send + 'a) {
        self.0.push(Box::new(value));
    }

    fn iter(&self) -> impl Iterator<Item = &(dyn ToSql + Sync)> {
        self.0.iter().map(|value| &**value as &(dyn ToSql + Sync))
    }
}

/// The connections of lanes, and the clock that each commit tells.
#[derive(Debug)]
pub(crate) struct LaneWriters {
    pub(crate) pool: WriterPool,
    pub(crate) clock: Arc<DatabaseClock>,
    pub(crate) answer_timeout: Duration,
}

impl LaneWriters {
    /// One deadline over all of it. It is the lane's own: whoever asked waits no longer. `call` names the
    /// statement, with its parameters, once it can be sent, so long after it was asked for: a connection may
    /// have had to be opened first.
    pub(crate) async fn write<'a>(
        &self,
        call: impl FnOnce(Duration) -> (&'static str, Values<'a>),
    ) -> Result<(), AppendError> {
        let asked = Instant::now();
        let deadline = asked + self.answer_timeout;
        let writer = self.pool.borrow(deadline).await;
        metric::writer_borrowed(writer.is_ok(), asked.elapsed());
        let mut writer = writer.map_err(|error| failure::unknown(&error))?;
        let (statement, values) = call(asked.elapsed());
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().collect();
        let sent = Sent::now();
        let answer = writer.query(statement, &values, deadline).await;
        drop(writer);
        let rows = answer.map_err(|error| {
            if failure::condemns_writers(&error) {
                self.pool.close_idle();
            }
            failure::append_error(&error)
        })?;
        // The yes is the commit's; without its time the clock keeps its offset.
        if let Some(Ok(Stamp(database))) = rows.first().map(|row| row.try_get(0)) {
            self.clock.answered(sent, database);
        }
        Ok(())
    }
}
