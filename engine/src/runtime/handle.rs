//! The way to an event for everybody outside: permit, deadline, command, answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout_at};

use super::event_actor::{EventMessage, Reply};
use super::slot::{Ownership, Slot};
use crate::answer::{Answer, PauseReason, Unanswered};
use crate::clock::Clock;
use crate::command::{Command, Request};
use crate::event::{Availability, Terms};
use crate::telemetry;

/// One event. Cheap to clone; stays good while owners come and go.
#[derive(Clone)]
pub struct EventHandle {
    pub(super) slot: Arc<Slot>,
    pub(super) clock: Arc<dyn Clock>,
}

impl EventHandle {
    /// What the event is and how it sells.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.slot.terms
    }

    /// The database's time, as well as this node knows it.
    #[must_use]
    pub fn now(&self) -> crate::moment::Moment {
        self.clock.now()
    }

    /// The latest published map. Before the event's first owner it is empty, at version 0.
    #[must_use]
    pub fn availability(&self) -> Arc<Availability> {
        Arc::clone(&self.slot.published.borrow())
    }

    /// Follows the published map.
    #[must_use]
    pub fn availability_changes(&self) -> watch::Receiver<Arc<Availability>> {
        self.slot.published.subscribe()
    }

    /// Why the event takes no commands at present, if it takes none.
    #[must_use]
    pub fn paused(&self) -> Option<PauseReason> {
        match &*self.slot.ownership.borrow() {
            Ownership::Serving(_) => None,
            Ownership::Paused(reason) => Some(*reason),
        }
    }

    /// Has the command decided. The answer is durable.
    ///
    /// # Errors
    /// [`Unanswered::Overloaded`] if nothing was decided for want of room, `KeyInUse` if too many wait
    /// for the first request of this key already; `PurchasesPaused` if there
    /// was no owner for half of `patience`; `OutcomeUnknown` if a decision could not be learnt within
    /// `patience`: the same command brings the truth.
    pub async fn submit(&self, command: Command, patience: Duration) -> Result<Answer, Unanswered> {
        let code = command.code();
        let result = self.try_submit(command, patience).await;
        match &result {
            // Decided ones, and those that the door turned away, are counted where they leave.
            Ok(_)
            | Err(
                Unanswered::Overloaded
                | Unanswered::KeyInUse
                | Unanswered::Quarantined(_)
                | Unanswered::Broken,
            ) => {}
            Err(Unanswered::OutcomeUnknown) => telemetry::unanswered(code, "outcome-unknown"),
            Err(Unanswered::PurchasesPaused(_)) => telemetry::unanswered(code, "purchases-paused"),
        }
        result
    }

    async fn try_submit(&self, command: Command, patience: Duration) -> Result<Answer, Unanswered> {
        let start = Instant::now();
        let code = command.code();
        let Some(permits) = self.slot.admit(&command) else {
            telemetry::unanswered(code, "overloaded");
            return Err(Unanswered::Overloaded);
        };
        let deadline = self.clock.now() + patience;
        let mut ownership = self.slot.ownership.subscribe();
        let serving = ownership.wait_for(|o| matches!(o, Ownership::Serving(_)));
        // An owner that is being rebuilt is usually back within milliseconds.
        let owner = match timeout_at(start + patience / 2, serving).await {
            Ok(Ok(owner)) => owner.clone(),
            Ok(Err(_)) | Err(_) => self.slot.ownership.borrow().clone(),
        };
        let owner = match owner {
            Ownership::Serving(owner) => owner,
            Ownership::Paused(reason) => return Err(Unanswered::PurchasesPaused(reason)),
        };
        let (answer, answered) = oneshot::channel();
        let request = Arc::new(Request { command, deadline });
        let sent = Instant::now();
        let reply = Reply { command: code, request, sent, answer, _permits: permits };
        if owner.cast(EventMessage::Submit(reply)).is_err() {
            return Err(Unanswered::OutcomeUnknown);
        }
        match timeout_at(start + patience, answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => Err(Unanswered::OutcomeUnknown),
        }
    }
}
