//! The way to an event for everybody outside: permit, deadline, command, answer.

use std::sync::Arc;
use std::time::Duration;

use ractor::{ActorId, MessagingErr};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout, timeout_at};

use super::event_actor::EventMessage;
use super::reply::Reply;
use super::slot::{Ownership, Slot};
use crate::answer::{Answer, PauseReason, Unanswered};
use crate::buyer::BuyerId;
use crate::clock::Clock;
use crate::command::{Command, Request};
use crate::event::{Availability, Terms};
use crate::id::PlanId;
use crate::telemetry;
use crate::waiting_room::rate::SaleSignals;

/// One event. Cheap to clone; stays good while owners come and go.
#[derive(Clone)]
pub struct EventHandle {
    pub(super) slot: Arc<Slot>,
    pub(super) clock: Arc<dyn Clock>,
}

impl EventHandle {
    /// What the event is, and how it sold when this process opened it or it had its present plan. Of what
    /// operators have changed since, its owner knows, and the rows.
    #[must_use]
    pub fn terms(&self) -> Arc<Terms> {
        self.slot.terms()
    }

    /// Waits, so long at the most, until the event has an owner here that knows this plan; whether it has.
    pub async fn has_plan(&self, plan: PlanId, at_most: Duration) -> bool {
        let deadline = Instant::now() + at_most;
        let mut opened = self.slot.opened.subscribe();
        let knows = opened.wait_for(|opened| opened.terms.plan_id == plan);
        if timeout_at(deadline, knows).await.is_err() {
            return false;
        }
        self.started(deadline.saturating_duration_since(Instant::now())).await;
        self.paused().is_none()
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

    /// What the event's sale measures of itself, since this was asked last, `elapsed` ago. For whoever decides
    /// how many are let in; of payments, and of what operators stopped, he knows himself.
    #[must_use]
    pub fn measure(&self, elapsed: Duration) -> SaleSignals {
        let measured = self.slot.gauge.take();
        let seconds = elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        SaleSignals {
            may_go_on: self.paused().is_none(),
            holds: f64::from(measured.holds) / seconds,
            lane_busy: (measured.busy.as_secs_f64() / seconds).min(1.0),
            commit: measured.commit,
            wait: measured.wait,
            turned_away: measured.turned_away,
            answered: measured.answered,
            open_holds: measured.open_holds,
            payments: 0,
            payment: Duration::ZERO,
            provider_asked: 0,
            provider_failed: 0,
            stock: self.availability().likely_stock(),
        }
    }

    /// Who has bought since this was asked last, for whoever counts those inside. Nobody is kept before the
    /// first time.
    #[must_use]
    pub fn bought(&self) -> Vec<BuyerId> {
        self.slot.gauge.take_bought()
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

    /// Waits, so long at the most, while the event's owner is being made.
    pub async fn started(&self, at_most: Duration) {
        let mut ownership = self.slot.ownership.subscribe();
        let is_starting = |it: &Ownership| matches!(it, Ownership::Paused(PauseReason::Starting));
        // Whoever asks looks himself at what has become of it.
        let _ = timeout(at_most, ownership.wait_for(|it| !is_starting(it))).await;
    }

    /// Has the command decided. The answer is durable.
    ///
    /// # Errors
    /// [`Unanswered::Overloaded`] if nothing was decided for want of room or time; `LineFull` if too many of
    /// this buyer's wait, `HoldsFull` if too many holds are alive; `KeyInUse` if too many
    /// wait for the first request of this key already; `Quarantined` if it touches sections that are kept
    /// apart; `Broken` if the database refuses this very decision; `PurchasesPaused` if there was no owner
    /// for half of `patience`; `OutcomeUnknown` if a decision could not be learnt within `patience`: the
    /// same command brings the truth.
    pub async fn submit(&self, command: Command, patience: Duration) -> Result<Answer, Unanswered> {
        let code = command.code();
        let result = self.try_submit(command, patience).await;
        match &result {
            // Decided ones, and those that the door turned away, are counted where they leave.
            Ok(_)
            | Err(
                Unanswered::Overloaded
                | Unanswered::LineFull
                | Unanswered::HoldsFull
                | Unanswered::KeyInUse
                | Unanswered::Quarantined(_)
                | Unanswered::Broken,
            ) => {}
            Err(Unanswered::OutcomeUnknown) => {
                self.slot.gauge.answered();
                self.slot.gauge.turned_away();
                telemetry::unanswered(code, "outcome-unknown");
            }
            Err(Unanswered::PurchasesPaused(_)) => telemetry::unanswered(code, "purchases-paused"),
        }
        result
    }

    async fn try_submit(&self, command: Command, patience: Duration) -> Result<Answer, Unanswered> {
        let start = Instant::now();
        let code = command.code();
        let Some(permits) = self.slot.admit(&command) else {
            telemetry::unanswered(code, "overloaded");
            self.slot.gauge.answered();
            self.slot.gauge.turned_away();
            return Err(Unanswered::Overloaded);
        };
        let deadline = self.clock.now() + patience;
        let (answer, answered) = oneshot::channel();
        let request = Arc::new(Request { command, deadline });
        let reply = Reply { command: code, request, sent: start, answer, _permits: permits };
        self.hand_over(reply, start + patience / 2).await?;
        match timeout_at(start + patience, answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => Err(Unanswered::OutcomeUnknown),
        }
    }

    /// Gives the command to the event's owner, or to the next one: a rebuilt owner is usually there
    /// within milliseconds, and one that has died takes nothing in.
    async fn hand_over(&self, mut reply: Reply, until: Instant) -> Result<(), Unanswered> {
        let mut ownership = self.slot.ownership.subscribe();
        let mut dead: Option<ActorId> = None;
        loop {
            let serves = |ownership: &Ownership| match ownership {
                Ownership::Serving(owner) => dead != Some(owner.get_id()),
                Ownership::Paused(_) => false,
            };
            let serving = timeout_at(until, ownership.wait_for(serves)).await;
            let serving = serving.ok().and_then(Result::ok).map(|it| Ownership::clone(&it));
            let Some(Ownership::Serving(owner)) = serving else { break };
            reply.sent = Instant::now();
            match owner.cast(EventMessage::Submit(reply)) {
                Ok(()) => return Ok(()),
                Err(MessagingErr::SendErr(EventMessage::Submit(unsent))) => reply = unsent,
                Err(_) => unreachable!("what could not be sent comes back"),
            }
            dead = Some(owner.get_id());
        }
        Err(Unanswered::PurchasesPaused(match &*self.slot.ownership.borrow() {
            Ownership::Paused(reason) => *reason,
            // It has died, and nobody knows yet.
            Ownership::Serving(_) => PauseReason::Starting,
        }))
    }
}
