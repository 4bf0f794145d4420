//! Scans, newest first, a page at a time.

use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use tokio_postgres::types::{ToSql, Type};

use super::Tickets;
use super::scan::{ScanRecord, read_scan, scan_columns};
use crate::database::DatabaseError;
use crate::page::{Page, one_more_than};
use crate::stamp::Stamp;

/// In the order of the indexes on age.
const LIST: &str = concat!(
    "/* list_scans */ SELECT ",
    scan_columns!(),
    " WHERE ($1::integer IS NULL OR s.event_no = $1) \
        AND ($2::timestamptz IS NULL OR (s.at <= $2 AND (s.at < $2 OR s.scan_id > $3::text))) \
      ORDER BY s.at DESC, s.scan_id LIMIT $4"
);

/// Where a page of scans begins: after this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanPosition {
    /// Scans are listed by this, newest first,
    pub at: Moment,
    /// and those of one instant by this.
    pub scan: String,
}

impl Tickets {
    /// The next `limit` scans after the position: of one event's tickets, or all, forged codes too.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn scans(
        &self,
        event: Option<EventNumber>,
        after: Option<ScanPosition>,
        limit: u16,
    ) -> Result<Page<ScanRecord, ScanPosition>, DatabaseError> {
        let event = event.map(|event| event.0);
        let after_time = after.as_ref().map(|position| Stamp(position.at));
        let after_scan = after.map(|position| position.scan);
        let rows = self.database.read("list_scans", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 4] = [
                (&event, Type::INT4),
                (&after_time, Type::TIMESTAMPTZ),
                (&after_scan, Type::TEXT),
                (&one_more_than(limit), Type::INT8),
            ];
            client.query_planned(LIST, &params).await
        });
        let scans: Vec<ScanRecord> = rows.await?.iter().map(read_scan).collect::<Result<_, _>>()?;
        let position = |last: &ScanRecord| ScanPosition { at: last.at, scan: last.id.clone() };
        Ok(Page::cut(scans, limit, position))
    }
}
