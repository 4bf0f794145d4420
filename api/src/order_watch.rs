//! Reading an order when it changes. A bell says that something may have happened; only rows say what.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::OrderId;
use taquilla_engine::runtime::OrderBells;
use taquilla_persistence::orders::{OrderRecord, Orders, PublicStatus};
use tokio::time::{Instant, timeout_at};

use crate::problem::{Problem, store_unavailable};
use crate::shedding::Place;
use crate::stopping::Stopping;

/// A change that rang no bell here (another process made it) is seen after so long.
const RECHECK: Duration = Duration::from_secs(5);

/// How a long poll waits: it must not hold up a stop, and has no place among the requests at work.
#[derive(Clone, Default)]
pub struct Wait {
    stopping: Stopping,
    place: Place,
}

impl<S: Send + Sync> FromRequestParts<S> for Wait {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let stopping = Stopping::from_request_parts(parts, state).await?;
        let place = Place::from_request_parts(parts, state).await?;
        Ok(Self { stopping, place })
    }
}

/// The order as it is after its next change, or after `wait_seconds`, or now if it can change no more
/// or the process is stopping.
///
/// # Errors
/// `not-found`; `purchases-paused` if rows cannot be read.
pub async fn read(
    orders: &Orders,
    bells: &Arc<OrderBells>,
    order: OrderId,
    buyer: &BuyerId,
    wait_seconds: u64,
    wait: &Wait,
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
        let waited = timeout_at((now + pause).min(until), rung);
        if wait.place.aside(wait.stopping.0.run_until_cancelled(waited)).await.is_none() {
            return Ok(latest);
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
