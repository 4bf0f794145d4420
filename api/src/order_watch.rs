//! Reading an order when it changes. A bell says that something may have happened; only rows say what.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::OrderId;
use taquilla_engine::runtime::OrderBells;
use taquilla_persistence::orders::{OrderRecord, Orders, PublicStatus};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::problem::{Problem, store_unavailable};

/// A change that rang no bell here (another process made it) is seen after so long.
const RECHECK: Duration = Duration::from_secs(5);

/// The order as it is after its next change, or after `wait_seconds`, or now if it can change no more
/// or the process is stopping: a long poll must not hold up a stop.
///
/// # Errors
/// `not-found`; `purchases-paused` if rows cannot be read.
pub async fn read(
    orders: &Orders,
    bells: &Arc<OrderBells>,
    order: OrderId,
    buyer: &BuyerId,
    wait_seconds: u64,
    stopping: &CancellationToken,
) -> Result<OrderRecord, Problem> {
    let until = Instant::now() + Duration::from_secs(wait_seconds);
    let bell = bells.listen(order);
    let look = async || {
        let record = orders.order(order, buyer).await;
        record.map_err(|error| store_unavailable(&error))?.ok_or_else(Problem::not_found)
    };
    let mut rung = bell.rung();
    let first = look().await?;
    let mut latest = first.clone();
    loop {
        let now = Instant::now();
        if now >= until || is_settled(&latest) || has_changed(&first, &latest) {
            return Ok(latest);
        }
        // A hold that ends changes its order without anybody's doing.
        let hold_over = latest.pay_before.since(latest.as_of);
        let pause = if hold_over.is_zero() { RECHECK } else { hold_over.min(RECHECK) };
        tokio::select! {
            _ = timeout_at((now + pause).min(until), rung) => {}
            () = stopping.cancelled() => return Ok(latest),
        }
        rung = bell.rung();
        latest = look().await?;
    }
}

fn has_changed(first: &OrderRecord, latest: &OrderRecord) -> bool {
    let seen = |order: &OrderRecord| (order.status, order.refunded);
    seen(first) != seen(latest) || first.attempts != latest.attempts
}

/// Whether nothing more can become of it without an operator.
fn is_settled(order: &OrderRecord) -> bool {
    let over = match order.status {
        PublicStatus::Captured
        | PublicStatus::Expired
        | PublicStatus::Cancelled
        | PublicStatus::Voided
        | PublicStatus::Refunded => true,
        PublicStatus::PendingPayment
        | PublicStatus::Authorizing
        | PublicStatus::Verifying
        | PublicStatus::Confirmed
        | PublicStatus::CaptureFailed
        | PublicStatus::Declined => false,
    };
    over && order.attempts.iter().all(|attempt| attempt.status.is_final())
}
