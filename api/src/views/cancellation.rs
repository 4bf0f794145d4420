//! How far a cancellation has come, as operators see it.

use serde::Serialize;
use taquilla_engine::id::EventId;
use taquilla_persistence::orders::CancellationProgress;
use utoipa::ToSchema;
use uuid::Uuid;

use super::MoneyView;
use crate::instant::Instant;

/// An event that does not take place, and what of it is given back.
#[derive(Serialize, ToSchema)]
#[schema(as = Cancellation)]
pub struct CancellationView {
    event_id: Uuid,
    /// `running` until every hold has ended and every order is given back, then `done`. Money may be
    /// owed for longer.
    #[schema(example = "running")]
    status: &'static str,
    /// Why, as was said first.
    reason: String,
    /// Who said so.
    who: String,
    cancelled_at: Instant,
    /// Holds that have not ended yet.
    holds: u64,
    /// Orders that were sold, those refunded before among them.
    orders: u64,
    /// Those of which no ticket is valid any more.
    done: u64,
    /// What is owed because of the cancellation, or has been paid back since.
    amount: MoneyView,
    /// What of that has been paid back: all of it, once it equals `amount`.
    paid_back: MoneyView,
    /// The server's time.
    as_of: Instant,
}

impl CancellationView {
    /// Of this event.
    #[must_use]
    pub fn of(event: EventId, progress: CancellationProgress) -> Self {
        let status = if progress.is_done() { "done" } else { "running" };
        let CancellationProgress { who, reason, cancelled_at, holds, orders, done, .. } = progress;
        let CancellationProgress { owed, paid_back, as_of, .. } = progress;
        Self {
            event_id: event.uuid(),
            status,
            reason,
            who,
            cancelled_at: Instant(cancelled_at),
            holds,
            orders,
            done,
            amount: owed.into(),
            paid_back: paid_back.into(),
            as_of: Instant(as_of),
        }
    }
}
