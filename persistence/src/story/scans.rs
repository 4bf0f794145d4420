//! What gates said of a story's tickets.

use taquilla_engine::id::TicketId;
use tokio_postgres::Row;

use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::thread::Thread;
use super::{Interrupted, of_orders};
use crate::columns::{self, BrokenRow};
use crate::pool::PooledClient;
use crate::tickets::ScanResult;

const OF_ORDERS: &str = "/* story_scans */ \
    SELECT s.scan_id, s.ticket_id, t.order_id, s.at, s.who, s.result \
      FROM tickets t JOIN ticket_scans s USING (ticket_id) WHERE t.order_id = ANY ($1)";

pub(super) async fn read(
    client: &PooledClient,
    thread: &Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    of_orders::read(client, thread, OF_ORDERS, |row| {
        collected.add(entry(row)?);
        Ok(())
    })
    .await
}

fn entry(row: &Row) -> Result<Entry, BrokenRow> {
    let ticket = columns::id(row, "ticket_id", TicketId::parse)?.uuid();
    let at = columns::moment(row, "at")?;
    let result = columns::parse(row, "result", ScanResult::from_column)?;
    // Of two gates at one microsecond one redeems.
    let minor = u32::from(result != ScanResult::Accepted);
    Ok(Entry {
        position: Position::of_id(at, source::SCANS, ticket, minor),
        who: Who::Operator(columns::get(row, "who")?),
        what: What::TicketScanned {
            ticket,
            order: columns::get(row, "order_id")?,
            scan: columns::get(row, "scan_id")?,
            result,
        },
    })
}
