//! What was refused, in rows: the engine's [`Chronicle`] on Postgres. One row an event and second, on the
//! pool's connections, never on a lane's.
//!
//! A row is a JSON list, so that people can read it in SQL too. A write is tried once: refusals that
//! may stand twice would tell a story that did not happen.

mod record;

use taquilla_engine::chronicle::{Chronicle, ChronicleUnavailable, Refused};
use taquilla_engine::id::EventNumber;
use taquilla_engine::later::Later;
use tokio_postgres::types::{Json, Type};

pub use self::record::{BestWanted, RefusalRecord};
use crate::database::Database;
use crate::outcome;

/// Pages that are kept of an event, the latest: one a second is the most there are, so at least two
/// hours of refusals without a pause.
pub const PAGES_KEPT: i64 = 7_200;

/// The next page, and the end of those that are too many. Two owners at once may draw one number: then
/// the later one's page is lost, as with a crash.
const WRITE: &str = "/* write_refusals */ WITH written AS ( \
        INSERT INTO refusals (event_no, page, refusals) \
        SELECT $1, coalesce(max(page), 0) + 1, $2 FROM refusals WHERE event_no = $1 \
        RETURNING page) \
    DELETE FROM refusals r USING written w WHERE r.event_no = $1 AND r.page <= w.page - $3";

/// The store. Clones share the connections.
#[derive(Clone, Debug)]
pub struct PostgresChronicle {
    database: Database,
}

impl PostgresChronicle {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> PostgresChronicle {
        PostgresChronicle { database }
    }
}

impl Chronicle for PostgresChronicle {
    fn write<'a>(
        &'a self,
        event: EventNumber,
        refused: &'a [Refused],
    ) -> Later<'a, Result<(), ChronicleUnavailable>> {
        Box::pin(async move {
            let page: Vec<_> = refused.iter().map(|it| RefusalRecord::of(event, it)).collect();
            let page = Json(page);
            let written = self.database.write("write_refusals", async |transaction| {
                let params = [
                    (&event.0 as _, Type::INT4),
                    (&page as _, Type::JSONB),
                    (&PAGES_KEPT as _, Type::INT8),
                ];
                transaction.execute_typed(WRITE, &params).await.map(drop)
            });
            written.await.map_err(|error| ChronicleUnavailable(outcome::in_full(&error)))
        })
    }
}
