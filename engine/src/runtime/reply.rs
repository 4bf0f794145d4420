//! How a caller of an event is answered, with what was asked and the permits that the question holds.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::slot::Permits;
use crate::answer::{Answer, Unanswered};
use crate::command::Request;
use crate::telemetry;

/// How a caller is answered. Dropped unanswered, it tells him that the outcome is unknown.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) command: &'static str,
    /// What was asked, to be decided again if the database refuses what it was decided with.
    pub(super) request: Arc<Request>,
    pub(super) sent: Instant,
    pub(super) answer: oneshot::Sender<Result<Answer, Unanswered>>,
    /// Given back with the answer.
    pub(super) _permits: Permits,
}

impl Reply {
    pub(super) fn send(self, answer: Result<Answer, Unanswered>) {
        match &answer {
            Ok(answer) => telemetry::decided(self.command, answer.outcome.code()),
            Err(Unanswered::Overloaded) => telemetry::unanswered(self.command, "overloaded"),
            Err(Unanswered::LineFull) => telemetry::unanswered(self.command, "line-full"),
            Err(Unanswered::HoldsFull) => telemetry::unanswered(self.command, "holds-full"),
            Err(Unanswered::KeyInUse) => telemetry::unanswered(self.command, "key-in-use"),
            Err(Unanswered::Quarantined(_)) => telemetry::unanswered(self.command, "quarantined"),
            Err(Unanswered::Broken) => telemetry::unanswered(self.command, "broken"),
            // The door itself says nothing else.
            Err(Unanswered::OutcomeUnknown | Unanswered::PurchasesPaused(_)) => {}
        }
        // A caller who has gone learns the truth by his key.
        let _ = self.answer.send(answer);
    }
}
