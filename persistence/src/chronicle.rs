//! What was refused, in rows: the engine's [`Chronicle`] on Postgres. One row an event and second, on the
//! pool's connections, never on a lane's.
//!
//! A row is a JSON list, so that people can read it in SQL too. A write is tried once: refusals that
//! may stand twice would tell a story that did not happen.

mod record;

use std::error::Error as _;

use taquilla_engine::chronicle::{Chronicle, ChronicleUnavailable, Refused};
use taquilla_engine::id::EventNumber;
use taquilla_engine::later::Later;
use tokio_postgres::types::{Json, Type};

pub use self::record::{BestWanted, RefusalRecord};
use crate::database::{Database, DatabaseError};

const WRITE: &str = "/* write_refusals */ \
    INSERT INTO refusals (event_no, refusals) VALUES ($1, $2)";

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
                let params = [(&event.0 as _, Type::INT4), (&page as _, Type::JSONB)];
                transaction.execute_typed(WRITE, &params).await.map(drop)
            });
            written.await.map_err(|error| unavailable(&error))
        })
    }
}

/// The engine's error is a text, so the source goes into it.
fn unavailable(error: &DatabaseError) -> ChronicleUnavailable {
    let source = error.source().map(|source| format!(": {source}"));
    ChronicleUnavailable(format!("{error}{}", source.unwrap_or_default()))
}
