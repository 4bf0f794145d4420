//! The payment attempts of a story's orders. A row has two instants: when it was opened and, once there
//! is one, its end; the event's word between them is in the history.

use taquilla_engine::payment::Attempt;

use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::thread::Thread;
use super::{Interrupted, of_orders};
use crate::attempts::row::{attempt_columns, read_attempt};
use crate::pool::PooledClient;

const OF_ORDERS: &str = concat!(
    "/* story_attempts */ SELECT ",
    attempt_columns!(),
    " FROM payment_attempts WHERE order_id = ANY ($1)"
);

pub(super) async fn read(
    client: &PooledClient,
    thread: &Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    of_orders::read(client, thread, OF_ORDERS, |row| {
        tell(read_attempt(row)?, collected);
        Ok(())
    })
    .await
}

fn tell(attempt: Attempt, collected: &mut Collected) {
    let (id, order) = (attempt.id.uuid(), attempt.order.uuid());
    let who = || Who::Buyer(attempt.buyer.as_str().to_owned());
    collected.add(Entry {
        position: Position::of_id(attempt.created_at, source::ATTEMPTS, id, 0),
        who: who(),
        what: What::AttemptOpened {
            attempt: id,
            order,
            provider: attempt.provider,
            money: attempt.money,
            status: attempt.status,
        },
    });
    let Some(at) = attempt.resolved_at.filter(|_| attempt.status.is_final()) else { return };
    collected.add(Entry {
        position: Position::of_id(at, source::ATTEMPTS, id, 1),
        who: who(),
        what: What::AttemptResolved {
            attempt: id,
            order,
            status: attempt.status,
            reference: attempt.reference,
            failure: attempt.failure,
        },
    });
}
