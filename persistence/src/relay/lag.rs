//! How far behind a consumer is, by rows: any process can tell.

use std::time::Duration;

use tokio_postgres::types::Type;

use super::RelayRows;
use crate::columns;
use crate::database::DatabaseError;

/// The oldest batch that is not read is the one behind the position, or behind what is no longer kept.
const LAG: &str = "/* outbox_lag */ \
    SELECT coalesce(sum(behind), 0)::bigint AS behind, \
           coalesce(extract(epoch FROM clock_timestamp() - min(oldest)), 0)::float8 AS seconds \
      FROM (SELECT h.seq - greatest(p.seq, f.seq, 0) AS behind, \
                   (SELECT created_at FROM outbox o \
                     WHERE o.event_no = h.event_no AND o.seq = greatest(p.seq, f.seq, 0) + 1) AS oldest \
              FROM event_heads h \
              LEFT JOIN outbox_positions p ON p.consumer = $1 AND p.event_no = h.event_no \
              LEFT JOIN outbox_floors f ON f.event_no = h.event_no \
             WHERE h.seq > greatest(p.seq, f.seq, 0)) AS waiting";

/// The position as values: compared with a joined row's, all of the outbox would be read.
const MONEY_LAG: &str = "/* order_outbox_lag */ \
    SELECT count(*) AS behind, \
           coalesce(extract(epoch FROM clock_timestamp() - min(at)), 0)::float8 AS seconds \
      FROM (SELECT at FROM order_outbox \
             WHERE (xact, order_id, version) > \
                   (coalesce((SELECT xact FROM order_outbox_positions WHERE consumer = $1), 0), \
                    coalesce((SELECT order_id FROM order_outbox_positions WHERE consumer = $1), \
                             '00000000-0000-0000-0000-000000000000'), \
                    coalesce((SELECT version FROM order_outbox_positions WHERE consumer = $1), 0)) \
             ORDER BY xact, order_id, version LIMIT 10000) AS waiting";

/// What a consumer has not read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lag {
    /// Batches of events, or rows of money; of these 10,000 at most are counted.
    pub behind: u64,
    /// The age of the oldest.
    pub age: Duration,
}

impl RelayRows {
    /// Of events' histories, and of orders' money.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn lag(&self) -> Result<[Lag; 2], DatabaseError> {
        Ok([
            self.lag_of("outbox_lag", LAG).await?,
            self.lag_of("order_outbox_lag", MONEY_LAG).await?,
        ])
    }

    async fn lag_of(&self, name: &'static str, sql: &'static str) -> Result<Lag, DatabaseError> {
        let consumer: &str = &self.consumer;
        let row = self.database.read(name, async |client| {
            client.query_typed_opt(sql, &[(&consumer, Type::TEXT)]).await
        });
        let Some(row) = row.await? else { return Ok(Lag::default()) };
        let seconds: f64 = columns::get(&row, "seconds")?;
        Ok(Lag {
            behind: columns::total(&row, "behind")?,
            age: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
        })
    }
}
