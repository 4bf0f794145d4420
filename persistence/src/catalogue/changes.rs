//! What has changed of the catalogue: for whoever keeps it in memory and follows it.
//!
//! Triggers note each transaction that changes what an event's record shows. A look finds what is noted of those
//! transactions that had not ended at the look before, and of later ones: whoever commits late is not passed over, and
//! nobody waits for him.

use std::collections::BTreeSet;

use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::Catalogue;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;

/// `now()` is before what is seen, and the horizon is that of the snapshot which sees it.
const CHANGES: &str = "/* catalogue_changes */ \
    SELECT now() AS as_of, pg_postmaster_start_time() AS server_started_at, \
           pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon, \
           coalesce(array_agg(xact), '{}') AS xacts, coalesce(array_agg(event_no), '{}') AS events \
      FROM catalogue_changes WHERE xact >= $1";

/// Beyond all transactions.
const NOTHING_SINCE: i64 = i64::MAX;

/// How far somebody has followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CataloguePlace {
    server_started_at: Moment,
    /// All transactions below had ended.
    horizon: i64,
    /// What was seen of the others, by transaction. A row cannot become another one, and a transaction's rows are
    /// seen together.
    seen: BTreeSet<(i64, EventNumber)>,
}

/// What a look has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueNews {
    /// Events that have changed, were made or are gone since the place.
    pub changed: Changed,
    /// The database's time: everything that had committed by then has been seen.
    pub as_of: Moment,
    /// Where the next look begins, once these have been read.
    pub place: CataloguePlace,
}

/// Which events may be others now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// These, ascending.
    These(Vec<EventNumber>),
    /// Any: it is another server, or one that counts its transactions anew.
    Any,
}

impl Catalogue {
    /// Where to begin to follow. Whatever is read after that, the next look finds what it lacks.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn place(&self) -> Result<(CataloguePlace, Moment), DatabaseError> {
        let look = self.look(NOTHING_SINCE).await?;
        let (server_started_at, horizon) = (look.server_started_at, look.horizon);
        Ok((CataloguePlace { server_started_at, horizon, seen: BTreeSet::new() }, look.as_of))
    }

    /// What has changed since.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn news(&self, since: &CataloguePlace) -> Result<CatalogueNews, DatabaseError> {
        let Look { as_of, server_started_at, horizon, noted } = self.look(since.horizon).await?;
        let counts_on = server_started_at == since.server_started_at && horizon >= since.horizon;
        let changed = if counts_on {
            let new = noted.difference(&since.seen).map(|(_, event)| *event);
            Changed::These(new.collect::<BTreeSet<_>>().into_iter().collect())
        } else {
            Changed::Any
        };
        let mut seen = noted;
        seen.retain(|(xact, _)| *xact >= horizon);
        Ok(CatalogueNews {
            changed,
            as_of,
            place: CataloguePlace { server_started_at, horizon, seen },
        })
    }

    async fn look(&self, since: i64) -> Result<Look, DatabaseError> {
        let row = self.database.read("catalogue_changes", async |client| {
            client.query_typed_one(CHANGES, &[(&since, Type::INT8)]).await
        });
        Ok(read_look(&row.await?)?)
    }
}

struct Look {
    as_of: Moment,
    server_started_at: Moment,
    horizon: i64,
    noted: BTreeSet<(i64, EventNumber)>,
}

fn read_look(row: &Row) -> Result<Look, BrokenRow> {
    let xacts: Vec<i64> = columns::get(row, "xacts")?;
    let events: Vec<i32> = columns::get(row, "events")?;
    columns::same_length("events", [xacts.len(), events.len()])?;
    Ok(Look {
        as_of: columns::moment(row, "as_of")?,
        server_started_at: columns::moment(row, "server_started_at")?,
        horizon: columns::get(row, "horizon")?,
        noted: xacts.into_iter().zip(events.into_iter().map(EventNumber)).collect(),
    })
}
