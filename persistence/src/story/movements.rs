//! Money that left again after a sale: refunds paid, and what banks took back, as the ledger has them.

use taquilla_engine::money::Money;
use tokio_postgres::Row;
use uuid::Uuid;

use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::thread::Thread;
use super::{Interrupted, of_orders};
use crate::columns::{self, BrokenRow};
use crate::pool::PooledClient;

/// What an attempt itself gave back stands under no name, and its row tells it.
const OF_ORDERS: &str = "/* story_movements */ \
    SELECT posting_no, attempt_id, order_id, kind, name, -amount AS amount, currency, at FROM ledger \
     WHERE order_id = ANY ($1) AND account = 'provider' AND kind IN ('refund', 'chargeback') \
       AND name <> ''";

pub(super) async fn read(
    client: &PooledClient,
    thread: &Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    of_orders::read(client, thread, OF_ORDERS, |row| {
        collected.add(entry(row, thread)?);
        Ok(())
    })
    .await
}

fn entry(row: &Row, thread: &Thread) -> Result<Entry, BrokenRow> {
    let (attempt, order) = (columns::get(row, "attempt_id")?, columns::get(row, "order_id")?);
    let money = Money { amount: columns::get(row, "amount")?, currency: columns::currency(row)? };
    let what = match columns::get(row, "kind")? {
        "refund" => {
            let refund = columns::parse(row, "name", |name: &str| Uuid::parse_str(name).ok())?;
            What::RefundSettled { refund, attempt, order, money }
        }
        "chargeback" => {
            What::ChargedBack { notice: columns::get(row, "name")?, attempt, order, money }
        }
        other => return Err(BrokenRow::new("kind", other)),
    };
    let at = columns::moment(row, "at")?;
    let major = columns::get(row, "posting_no")?;
    Ok(Entry {
        position: Position { at, source: source::MOVEMENTS, major, minor: 0 },
        who: Who::Buyer(thread.orders[&order].to_string()),
        what,
    })
}
