//! The node's supervisor: which events this process owns, and what happens when an owner dies. There
//! is one way back, whatever the cause: a new epoch, then the rows.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::bells::OrderBells;
use super::event_actor::{EventActor, EventStart};
use super::owned::{Owned, pause_before};
use super::reply::Reply;
use super::slot::{Ownership, Slot};
use crate::answer::PauseReason;
use crate::clock::Clock;
use crate::event::door::Quarantine;
use crate::event::{Door, Limits, Snapshot, Terms};
use crate::id::EventNumber;
use crate::journal::{Journal, TakeFrom, TakeOverError};
use crate::moment::Moment;
use crate::section::Window;
use crate::telemetry;

/// The longest that a takeover may take, the wait for its turn included; a million holds load in some
/// ten seconds.
const TAKEOVER_PATIENCE: Duration = Duration::from_secs(180);

/// A takeover may not set the event's clock forward by more than this: somebody's clock is wrong.
const CLOCK_JUMP_MAX: Duration = Duration::from_secs(5);

pub(super) enum SupervisorMessage {
    /// Own this event from now on.
    Open(Arc<Slot>),
    /// Its rows are others than its owner has read: there is to be a new one.
    Reopen(EventNumber),
    /// Its takeover has ended.
    TakenOver(EventNumber, Result<Box<Rebuilt>, TakeOverError>),
}

/// An owner before it serves.
pub(super) struct Rebuilt {
    door: Door<Reply>,
    sections: Vec<Window>,
    decided_at: Moment,
    terms: Terms,
}

pub(super) struct Supervisor;

pub(super) struct SupervisorState {
    pub(super) journal: Arc<dyn Journal>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) limits: Limits,
    pub(super) bells: Arc<OrderBells>,
    pub(super) site_paused: watch::Receiver<Option<Arc<str>>>,
    pub(super) tasks: TaskTracker,
    /// Once it is cancelled, nothing is taken over any more.
    pub(super) stopping: CancellationToken,
    pub(super) events: HashMap<EventNumber, Owned>,
}

impl Actor for Supervisor {
    type Msg = SupervisorMessage;
    type State = SupervisorState;
    type Arguments = SupervisorState;

    async fn pre_start(
        &self,
        _myself: ActorRef<SupervisorMessage>,
        start: SupervisorState,
    ) -> Result<SupervisorState, ActorProcessingErr> {
        Ok(start)
    }

    async fn handle(
        &self,
        myself: ActorRef<SupervisorMessage>,
        message: SupervisorMessage,
        state: &mut SupervisorState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SupervisorMessage::Open(slot) => {
                let event = slot.event;
                state.events.insert(event, Owned::new(slot));
                state.take_over(&myself, event);
            }
            SupervisorMessage::Reopen(event) => state.reopen(&myself, event),
            SupervisorMessage::TakenOver(event, Ok(_)) if state.is_to_be_read_again(event) => {
                state.take_over(&myself, event);
            }
            SupervisorMessage::TakenOver(event, Ok(rebuilt)) => {
                if let Err(reason) = state.serve(&myself, event, *rebuilt).await {
                    state.try_again(&myself, event, reason);
                }
            }
            SupervisorMessage::TakenOver(event, Err(error)) => match error {
                TakeOverError::Overtaken => {
                    // The word may come from a primary that is none any more. Asking again takes
                    // nothing from anybody.
                    tracing::error!(?event, "another process owns the event");
                    if let Some(owned) = state.events.get_mut(&event) {
                        owned.from = TakeFrom::OnlySelf;
                    }
                    state.try_again(&myself, event, PauseReason::Fenced);
                }
                TakeOverError::Unavailable(_) => {
                    tracing::warn!(?event, %error, "takeover failed");
                    state.try_again(&myself, event, PauseReason::DatabaseUnavailable);
                }
                TakeOverError::NoSuchEvent | TakeOverError::Broken(_) => {
                    tracing::error!(?event, %error, "the event cannot be sold");
                    state.try_again(&myself, event, PauseReason::InvariantBroken);
                }
            },
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<SupervisorMessage>,
        event: SupervisionEvent,
        state: &mut SupervisorState,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorFailed(cell, why) => state.owner_died(&myself, &cell, &why),
            SupervisionEvent::ActorTerminated(cell, _, _) => {
                state.owner_died(&myself, &cell, &"its owner was stopped".into());
            }
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => {}
        }
        Ok(())
    }
}

impl SupervisorState {
    /// Starts a takeover, after a pause if the last ones failed. Its result comes back as a message.
    fn take_over(&mut self, myself: &ActorRef<SupervisorMessage>, event: EventNumber) {
        let owned = &self.events[&event];
        let from = owned.from;
        let (pause, also) = (pause_before(event, owned.failures), owned.also.clone());
        let quarantine = owned.quarantine.clone();
        let (journal, limits) = (Arc::clone(&self.journal), self.limits);
        let terms = Terms::clone(&owned.slot.terms());
        let (myself, stopping) = (myself.clone(), self.stopping.clone());
        self.tasks.spawn(async move {
            let takeover = async {
                sleep(pause).await;
                let started = Instant::now();
                let takeover = async {
                    let snapshot = journal.take_over(event, from, limits.keys_kept, &also).await?;
                    let terms = latest(&*journal, terms, &snapshot).await?;
                    rebuild(terms, limits, snapshot, quarantine).await
                };
                let result = timeout(TAKEOVER_PATIENCE, takeover).await;
                let late = |_| Err(TakeOverError::Unavailable("it took too long".into()));
                let result = result.unwrap_or_else(late);
                let label = if result.is_ok() { "done" } else { "failed" };
                telemetry::takeover(label, started.elapsed());
                result
            };
            // A node that stops needs no owners, and its supervisor has gone.
            if let Some(result) = stopping.run_until_cancelled(takeover).await {
                let _ = myself.cast(SupervisorMessage::TakenOver(event, result));
            }
        });
    }

    async fn serve(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        event: EventNumber,
        rebuilt: Rebuilt,
    ) -> Result<(), PauseReason> {
        let owned = self.events.get_mut(&event).expect("only opened events are taken over");
        let Rebuilt { mut door, sections, decided_at, terms } = rebuilt;
        if decided_at > self.clock.now() + CLOCK_JUMP_MAX {
            tracing::error!(?event, "the last decision lies in the future: clocks disagree");
            return Err(PauseReason::ClockUncertain);
        }
        if owned.slot.terms().plan_id != terms.plan_id {
            owned.slot.reopen(terms);
        }
        let epoch = door.epoch();
        owned.keep_apart(door.quarantine());
        door.go_singly(std::mem::take(&mut owned.singly));
        door.keep(&owned.also);
        let start = EventStart {
            door,
            again: std::mem::take(&mut owned.again),
            sections,
            journal: Arc::clone(&self.journal),
            clock: Arc::clone(&self.clock),
            published: owned.slot.published.clone(),
            bells: Arc::clone(&self.bells),
            refusals: owned.slot.refusals.clone(),
            gauge: Arc::clone(&owned.slot.gauge),
            site_paused: self.site_paused.clone(),
            tasks: self.tasks.clone(),
        };
        let spawned = EventActor::spawn_linked(None, EventActor, start, myself.get_cell()).await;
        let (actor, _) = spawned.map_err(|error| {
            tracing::error!(?event, %error, "an owner could not start");
            PauseReason::DatabaseUnavailable
        })?;
        tracing::info!(?event, epoch = epoch.0, "serving");
        owned.actor = Some(actor.get_cell());
        owned.from = TakeFrom::OnlySelf;
        owned.served_at = Instant::now();
        owned.slot.ownership.send_replace(Ownership::Serving(actor));
        Ok(())
    }

    fn owner_died(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        cell: &ActorCell,
        why: &ActorProcessingErr,
    ) {
        let id = cell.get_id();
        let is_it = |owned: &Owned| owned.actor.as_ref().is_some_and(|actor| actor.get_id() == id);
        let Some((event, owned)) = self.events.iter_mut().find(|(_, owned)| is_it(owned)) else {
            return;
        };
        let event = *event;
        let reason = owned.died(why);
        telemetry::owner_died(reason);
        tracing::error!(?event, reason, error = %why, "an owner died");
        self.pause(event, PauseReason::Starting);
        self.take_over(myself, event);
    }

    /// Whoever waits for the owner that there was learns that he does not know.
    fn reopen(&mut self, myself: &ActorRef<SupervisorMessage>, event: EventNumber) {
        let Some(owned) = self.events.get_mut(&event) else { return };
        let Some(actor) = owned.actor.take() else {
            owned.read_again = true;
            return;
        };
        tracing::info!(?event, "its owner reads its rows again");
        actor.stop(Some("its rows have changed".into()));
        self.pause(event, PauseReason::Starting);
        self.take_over(myself, event);
    }

    fn is_to_be_read_again(&mut self, event: EventNumber) -> bool {
        self.events.get_mut(&event).is_some_and(|owned| std::mem::take(&mut owned.read_again))
    }

    fn try_again(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        event: EventNumber,
        reason: PauseReason,
    ) {
        self.pause(event, reason);
        let owned = self.events.get_mut(&event).expect("only opened events are tried again");
        owned.failures += 1;
        self.take_over(myself, event);
    }

    fn pause(&mut self, event: EventNumber, reason: PauseReason) {
        self.events[&event].slot.ownership.send_replace(Ownership::Paused(reason));
    }
}

/// The terms, or others, if the event has got another plan.
async fn latest(
    journal: &dyn Journal,
    terms: Terms,
    snapshot: &Snapshot,
) -> Result<Terms, TakeOverError> {
    match snapshot.plan {
        Some(plan) if plan != terms.plan_id => journal.terms(terms.event).await,
        Some(_) | None => Ok(terms),
    }
}

/// Makes the owner from its rows, beside everything else: a large event takes a while.
async fn rebuild(
    terms: Terms,
    limits: Limits,
    snapshot: Snapshot,
    quarantine: Quarantine,
) -> Result<Box<Rebuilt>, TakeOverError> {
    let decided_at = snapshot.decided_at;
    let opened = terms.clone();
    let rebuilt =
        spawn_blocking(move || Door::rebuild_apart(terms, limits, snapshot, quarantine)).await;
    let broken = |what: String| TakeOverError::Broken(what);
    let (door, sections) = rebuilt
        .map_err(|panic| broken(panic.to_string()))?
        .map_err(|breach| broken(breach.to_string()))?;
    Ok(Box::new(Rebuilt { door, sections, decided_at, terms: opened }))
}
