//! The tickets of an event that let nobody in, for gates that have no network.

use taquilla_engine::id::{EventNumber, TicketId};
use taquilla_engine::moment::Moment;
use tokio_postgres::types::{ToSql, Type};

use super::Tickets;
use crate::columns;
use crate::database::DatabaseError;
use crate::page::{Page, one_more_than};

/// By the index of void tickets. A ticket that was void once stays so: pages miss none that was void
/// when the first was read.
const PAGE: &str = "/* void_tickets */ SELECT ticket_id FROM tickets \
     WHERE event_no = $1 AND status = 1 AND ($2::uuid IS NULL OR ticket_id > $2) \
     ORDER BY ticket_id LIMIT $3";

const TOTAL: &str = "/* count_void_tickets */ SELECT count(*) AS total, now() AS as_of \
      FROM tickets WHERE event_no = $1 AND status = 1";

/// A page of an event's void tickets, in the order of their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revocations {
    /// The page; its position is its last ticket.
    pub page: Page<TicketId, TicketId>,
    /// How many are void in all.
    pub total: u64,
    /// The database's clock before the rows were seen: what was void by then is counted.
    pub as_of: Moment,
}

impl Tickets {
    /// The next `limit` void tickets of the event after this one, in one snapshot with their number.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn revocations(
        &self,
        event: EventNumber,
        after: Option<TicketId>,
        limit: u16,
    ) -> Result<Revocations, DatabaseError> {
        let after = after.map(TicketId::uuid);
        let read = self.database.snapshot("void_tickets", async |transaction| {
            let total = transaction.query_typed(TOTAL, &[(&event.0, Type::INT4)]).await?;
            let params: [(&(dyn ToSql + Sync), Type); 3] =
                [(&event.0, Type::INT4), (&after, Type::UUID), (&one_more_than(limit), Type::INT8)];
            Ok((total, transaction.query_planned(PAGE, &params).await?))
        });
        let (total, rows) = read.await?;
        let row = total.first().ok_or_else(|| columns::BrokenRow::new("total", "not counted"))?;
        let ids = rows.iter().map(|row| columns::id(row, "ticket_id", TicketId::parse));
        Ok(Revocations {
            page: Page::cut(ids.collect::<Result<_, _>>()?, limit, |last| *last),
            total: columns::total(row, "total")?,
            as_of: columns::moment(row, "as_of")?,
        })
    }
}
