//! The node: all events that this process owns.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use ractor::{Actor, ActorRef};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::bells::OrderBells;
use super::handle::EventHandle;
use super::refusals::Scribe;
use super::slot::Slot;
use super::supervisor::{Supervisor, SupervisorMessage, SupervisorState};
use crate::answer::{Answer, Outcome, PauseReason};
use crate::chronicle::Chronicle;
use crate::clock::Clock;
use crate::command::Command;
use crate::event::{Limits, Terms};
use crate::hold::Extension;
use crate::id::{AttemptId, EventNumber, OrderId};
use crate::journal::Journal;
use crate::later::Later;
use crate::order::Verdict;
use crate::payment::Confirmations;
use crate::refund::TicketReturn;
use crate::refusal::Refusal;

/// How long a stop waits for its owners, and for what they refused. An owner's last word is a batch that
/// was sent before it heard of the end and one behind it, five seconds each; the scribe's two rounds are
/// as long.
const STOP_MAX: Duration = Duration::from_secs(15);

/// Bounds of a node.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Commands of an event that may wait for their answers: holds, orders and reads; besides, so many
    /// that give something back or are an operator's; and so many confirmations.
    pub event_commands_max: usize,
    /// Of the first, commands that go straight to one section.
    pub section_commands_max: usize,
    /// How long a confirmation may take before it is asked for again.
    pub confirm_patience: Duration,
    /// Bounds of each event.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            event_commands_max: 16_384,
            section_commands_max: 4_096,
            confirm_patience: Duration::from_secs(3),
            limits: Limits::default(),
        }
    }
}

/// The owner of events in this process.
pub struct Node {
    settings: Settings,
    clock: Arc<dyn Clock>,
    supervisor: ActorRef<SupervisorMessage>,
    slots: papaya::HashMap<EventNumber, Arc<Slot>>,
    /// One event is opened at a time.
    opening: Mutex<()>,
    bells: Arc<OrderBells>,
    site_paused: watch::Sender<Option<Arc<str>>>,
    tasks: TaskTracker,
    /// The word for takeovers to end.
    stopping: CancellationToken,
    died: CancellationToken,
    /// Writes refusals down, if there is where.
    scribe: Option<Arc<Scribe>>,
    /// The scribe's task, which outlasts the owners, and the word that they have ended.
    writing: TaskTracker,
    ended: CancellationToken,
}

impl Node {
    /// A node that owns nothing yet, and keeps no refusals.
    ///
    /// # Panics
    /// If the supervisor cannot start, which would be a bug.
    pub async fn start(
        journal: Arc<dyn Journal>,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Arc<Self> {
        Self::start_with(journal, clock, None, settings).await
    }

    /// A node that owns nothing yet, and writes what it refuses into the chronicle, once a second.
    ///
    /// # Panics
    /// As [`Node::start`].
    pub async fn start_with(
        journal: Arc<dyn Journal>,
        clock: Arc<dyn Clock>,
        chronicle: Option<Arc<dyn Chronicle>>,
        settings: Settings,
    ) -> Arc<Self> {
        let tasks = TaskTracker::new();
        let bells = Arc::new(OrderBells::default());
        let site_paused = watch::Sender::new(None);
        let stopping = CancellationToken::new();
        let state = SupervisorState {
            journal,
            clock: Arc::clone(&clock),
            limits: settings.limits,
            bells: Arc::clone(&bells),
            site_paused: site_paused.subscribe(),
            tasks: tasks.clone(),
            stopping: stopping.clone(),
            events: HashMap::new(),
        };
        let (supervisor, ended) = Supervisor::spawn(None, Supervisor, state)
            .await
            .expect("a supervisor without a name starts");
        let died = CancellationToken::new();
        let ends = died.clone().drop_guard();
        tasks.spawn(async move {
            // However it ends, the guard tells.
            let _ = ended.await;
            drop(ends);
        });
        let (writing, ended) = (TaskTracker::new(), CancellationToken::new());
        let scribe = chronicle.map(Scribe::new);
        if let Some(scribe) = &scribe {
            writing.spawn(Arc::clone(scribe).run(ended.clone()));
        }
        let (slots, opening) = Default::default();
        Arc::new(Self {
            settings,
            clock,
            supervisor,
            slots,
            opening,
            bells,
            site_paused,
            tasks,
            stopping,
            died,
            scribe,
            writing,
            ended,
        })
    }

    /// Owns one more event; opened again, it stays as it is.
    pub fn open(&self, terms: Terms) -> EventHandle {
        let event = terms.event;
        let _alone = self.opening.lock();
        if let Some(open) = self.event(event) {
            return open;
        }
        let Settings { event_commands_max, section_commands_max, .. } = self.settings;
        let refusals = self.scribe.as_ref().map(|scribe| scribe.listen(event));
        let slot = Slot::new(terms, refusals, event_commands_max, section_commands_max);
        let slot = Arc::new(slot);
        // A stopped node owns nothing, and its handles say so.
        let _ = self.supervisor.cast(SupervisorMessage::Open(Arc::clone(&slot)));
        self.slots.pin().insert(event, Arc::clone(&slot));
        EventHandle { slot, clock: Arc::clone(&self.clock) }
    }

    /// Has the event's owner made anew from its rows, whose fence has been raised: somebody has changed what
    /// its lane does not.
    pub fn reopen(&self, event: EventNumber) {
        // A stopped node owns nothing.
        let _ = self.supervisor.cast(SupervisorMessage::Reopen(event));
    }

    /// The event, if it is one of this node's.
    #[must_use]
    pub fn event(&self, event: EventNumber) -> Option<EventHandle> {
        let slot = Arc::clone(self.slots.pin().get(&event)?);
        Some(EventHandle { slot, clock: Arc::clone(&self.clock) })
    }

    /// Where those who wait for an order's next change listen.
    #[must_use]
    pub fn bells(&self) -> &Arc<OrderBells> {
        &self.bells
    }

    /// Stops all purchases of this node's events for this reason, or lets them go on. Whoever says so
    /// has made it durable.
    pub fn pause_purchases(&self, why: Option<Arc<str>>) {
        self.site_paused.send_replace(why);
    }

    /// Why an operator has stopped all purchases, if one has.
    #[must_use]
    pub fn purchases_paused(&self) -> Option<Arc<str>> {
        self.site_paused.borrow().clone()
    }

    /// Why some event of this node takes no commands, if one does not. One whose owner is being made is
    /// passed over: commands wait for that.
    #[must_use]
    pub fn paused(&self) -> Option<PauseReason> {
        let paused = |event| self.event(event)?.paused();
        self.events().into_iter().filter_map(paused).find(|it| *it != PauseReason::Starting)
    }

    /// Waits, so long at the most, while owners of events are being made.
    pub async fn started(&self, at_most: Duration) {
        let deadline = Instant::now() + at_most;
        for event in self.events().into_iter().filter_map(|event| self.event(event)) {
            event.started(deadline.saturating_duration_since(Instant::now())).await;
        }
    }

    fn events(&self) -> Vec<EventNumber> {
        self.slots.pin().keys().copied().collect()
    }

    /// Returns once the supervisor has ended, which before [`Node::stop`] only a bug makes it do: then
    /// no owner that dies comes back, and the process had better start again.
    pub async fn died(&self) {
        self.died.cancelled().await;
    }

    /// Ends all owners and takeovers, waits until the last batches have been answered or given up, and
    /// writes down what was refused last; half a minute at the most. Callers are to be answered before.
    pub async fn stop(&self) {
        self.supervisor.stop(Some("the node stops".into()));
        self.stopping.cancel();
        self.tasks.close();
        if timeout(STOP_MAX, self.tasks.wait()).await.is_err() {
            tracing::error!("owners do not end; what they had sent is for the next one to find");
        }
        self.ended.cancel();
        self.writing.close();
        if timeout(STOP_MAX, self.writing.wait()).await.is_err() {
            tracing::error!("what was refused last will not be told");
        }
    }

    /// Writes down now what was refused since the last second.
    pub async fn write_refusals(&self) {
        if let Some(scribe) = &self.scribe {
            scribe.write().await;
        }
    }
}

impl Node {
    /// Has the hold of this order live longer while an attempt of it is being verified: by the sale's own
    /// length, once, and only within its last minute. May be asked again; `None` if it could not be
    /// learnt in time, or the hold does not live.
    async fn extend(&self, order: OrderId, attempt: AttemptId) -> Option<Extension> {
        let event = self.event(order.event())?;
        let command = Command::ExtendHold { order, attempt };
        let answer = event.submit(command, self.settings.confirm_patience).await.ok()?;
        match answer.outcome {
            Outcome::Extension(extension) => Some(extension),
            Outcome::Refused(_) => None,
            Outcome::Hold(_)
            | Outcome::Holds(_)
            | Outcome::Released
            | Outcome::Order { .. }
            | Outcome::Verdict(_)
            | Outcome::Refunded(_)
            | Outcome::Operated(_) => unreachable!("an extension is answered by one"),
        }
    }
}

impl Confirmations for Node {
    fn extend(&self, order: OrderId, attempt: AttemptId) -> Later<'_, ()> {
        Box::pin(async move {
            if let Some(Extension::Until(until)) = Self::extend(self, order, attempt).await {
                tracing::info!(%order, ?until, "a hold lives longer while its payment is verified");
            }
        })
    }

    fn take_back(&self, asked: TicketReturn) -> Later<'_, bool> {
        Box::pin(async move {
            let Some(event) = self.event(asked.order.event()) else { return false };
            let (order, command) = (asked.order, Command::ReturnTickets(Box::new(asked)));
            match event.submit(command, self.settings.confirm_patience).await {
                Ok(Answer { outcome: Outcome::Refunded(_), .. }) => true,
                Ok(Answer { outcome: Outcome::Refused(Refusal::RefundNotPossible), .. }) => true,
                Ok(answer) => {
                    tracing::error!(%order, outcome = ?answer.outcome, "tickets do not come back");
                    false
                }
                Err(_) => false,
            }
        })
    }

    fn confirm(&self, order: OrderId, attempt: AttemptId) -> Later<'_, Option<Verdict>> {
        Box::pin(async move {
            let event = self.event(order.event())?;
            let command = Command::ConfirmOrder { order, attempt };
            let answer = event.submit(command, self.settings.confirm_patience).await.ok()?;
            match answer.outcome {
                Outcome::Verdict(verdict) => Some(verdict),
                Outcome::Refused(refusal) => {
                    tracing::error!(?order, refusal = refusal.code(), "no verdict on an attempt");
                    None
                }
                Outcome::Hold(_)
                | Outcome::Holds(_)
                | Outcome::Released
                | Outcome::Order { .. }
                | Outcome::Refunded(_)
                | Outcome::Extension(_)
                | Outcome::Operated(_) => unreachable!("a confirmation is answered by a verdict"),
            }
        })
    }
}
