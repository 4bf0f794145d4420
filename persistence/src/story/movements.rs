//! Money that left again after a sale: refunds paid, and what banks took back, as the ledger has them; and
//! what of it came back.

use taquilla_engine::money::Money;
use tokio_postgres::Row;
use uuid::Uuid;

use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::thread::Thread;
use super::{Interrupted, of_orders};
use crate::columns::{self, BrokenRow};
use crate::pool::PooledClient;

/// What an attempt itself gave back stands under no name, and its row tells it; not that it came back.
const OF_ORDERS: &str = "/* story_movements */ \
    SELECT posting_no, attempt_id, order_id, kind, name, -amount AS amount, currency, at FROM ledger \
     WHERE order_id = ANY ($1) AND account = 'provider' AND kind IN ('refund', 'chargeback') \
       AND (name LIKE '/failed/%' OR split_part(name, '/', 1) <> '')";

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
    let moved: i64 = columns::get(row, "amount")?;
    let money = Money { amount: moved.saturating_abs(), currency: columns::currency(row)? };
    let what = match columns::get(row, "kind")? {
        "refund" => {
            let refund = columns::parse(row, "name", |name| refund_of(name, attempt))?;
            if moved < 0 {
                What::RefundFailed { refund, attempt, order, money }
            } else {
                What::RefundSettled { refund, attempt, order, money }
            }
        }
        "chargeback" => {
            let notice = columns::get(row, "name")?;
            if moved < 0 {
                What::ChargebackReturned { notice, attempt, order, money }
            } else {
                What::ChargedBack { notice, attempt, order, money }
            }
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

/// Which refund is booked under this name; one of the attempt itself bears the attempt's at the provider.
fn refund_of(name: &str, attempt: Uuid) -> Option<Uuid> {
    match name.split('/').next() {
        Some("") => Some(attempt),
        id => Uuid::parse_str(id?).ok(),
    }
}
