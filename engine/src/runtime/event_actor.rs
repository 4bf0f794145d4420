//! One event as an actor: the front door of every command, the supervisor of its sections, and the
//! one who lets answers go. Whatever fails under it, it dies of; nothing is rolled back.

use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::bells::OrderBells;
use super::died::{Died, NotCommitted};
use super::gauge::EventGauge;
use super::refusals::Refusals;
use super::reply::Reply;
use super::section_actor::{SectionActor, SectionMail, SectionState};
use super::writer::{self, Word};
use crate::answer::{Answer, Outcome, Unanswered};
use crate::clock::Clock;
use crate::command::{Command, Request};
use crate::event::{Availability, Batch, Door, Effect};
use crate::journal::Journal;
use crate::moment::Moment;
use crate::order::{OrderStatus, Verdict};
use crate::section::{Decided, Window};
use crate::telemetry;

/// How often overdue holds are swept and the map moves on: at most two map versions a second.
const TICK: Duration = Duration::from_millis(500);

/// What an event is told.
pub(super) enum EventMessage {
    /// A caller asks.
    Submit(Reply),
    /// A section has decided.
    Decided(Decided),
    /// The journal has spoken; what it said has been heard by now.
    Spoken,
    /// Time has passed.
    Tick,
}

pub(super) struct EventActor;

pub(super) struct EventStart {
    pub(super) door: Door<Reply>,
    /// Callers of the owner before, whose batch was refused: decided first.
    pub(super) again: Vec<Reply>,
    pub(super) sections: Vec<Window>,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) published: watch::Sender<Arc<Availability>>,
    pub(super) bells: Arc<OrderBells>,
    /// Where refusals are noted, if they are to be told.
    pub(super) refusals: Option<Arc<Refusals>>,
    /// What the sale measures of itself.
    pub(super) gauge: Arc<EventGauge>,
    pub(super) site_paused: watch::Receiver<Option<Arc<str>>>,
    pub(super) tasks: TaskTracker,
}

pub(super) struct EventState {
    door: Door<Reply>,
    sections: Vec<ActorRef<SectionMail>>,
    batches: mpsc::UnboundedSender<Batch>,
    words: mpsc::UnboundedReceiver<Word>,
    clock: Arc<dyn Clock>,
    published: watch::Sender<Arc<Availability>>,
    bells: Arc<OrderBells>,
    refusals: Option<Arc<Refusals>>,
    gauge: Arc<EventGauge>,
    site_paused: watch::Receiver<Option<Arc<str>>>,
}

impl EventState {
    fn measure(&self, asked: &Command, answer: &Result<Answer, Unanswered>) {
        self.gauge.answered();
        if *answer == Err(Unanswered::Overloaded) {
            self.gauge.turned_away();
        }
        let Ok(Answer { outcome, replayed: false, .. }) = answer else { return };
        let asked_to_hold = matches!(asked, Command::PlaceHold { .. });
        if asked_to_hold && let Outcome::Hold(_) = outcome {
            self.gauge.held();
        }
        let buyer = match outcome {
            Outcome::Verdict(Verdict::Confirmed) => {
                let Command::ConfirmOrder { order, .. } = asked else { return };
                self.door.buyer_of(*order)
            }
            Outcome::Order { order, .. } => {
                (order.status == OrderStatus::Confirmed).then_some(&order.buyer)
            }
            Outcome::Hold(_)
            | Outcome::Holds(_)
            | Outcome::Released
            | Outcome::Verdict(Verdict::VoidDue)
            | Outcome::Extension(_)
            | Outcome::Refunded(_)
            | Outcome::Operated(_)
            | Outcome::Refused(_) => None,
        };
        buyer.into_iter().for_each(|buyer| self.gauge.bought(buyer));
    }

    fn submit(&mut self, now: Moment, reply: Reply) {
        // Nobody's seat is held for a caller who has gone.
        if !reply.answer.is_closed() || reply.request.command.outlasts_its_caller() {
            self.door.pause_site(self.site_paused.borrow().clone());
            self.door.submit(now, Request::clone(&reply.request), reply);
        }
    }

    /// What the journal has said since.
    fn hear(&mut self, now: Moment) -> Result<(), ActorProcessingErr> {
        while let Ok(Word { epoch, sequence, result }) = self.words.try_recv() {
            if let Err(NotCommitted { error, batch }) = result {
                return Err(Died::of(error, &batch, &mut self.door).into());
            }
            if !self.door.committed(now, epoch, sequence) {
                return Err("a commit came back that this owner did not send".into());
            }
            self.drain()?;
        }
        Ok(())
    }

    /// Carries out what the door wants done, until it wants nothing more.
    fn drain(&mut self) -> Result<(), ActorProcessingErr> {
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => {
                    let mail = SectionMail { message, sent: Instant::now() };
                    self.sections[usize::from(section.0)].cast(mail)?;
                }
                Effect::Reply(reply, answer) => {
                    if let (Some(refusals), Ok(answer)) = (&self.refusals, &answer) {
                        refusals.hear(&reply.request, answer);
                    }
                    self.measure(&reply.request.command, &answer);
                    reply.send(answer);
                }
                Effect::Publish(availability) => {
                    let before = self.published.send_replace(Arc::new(availability));
                    telemetry::seats(&before.sections, &self.published.borrow().sections);
                }
                Effect::OrdersChanged(orders) => self.bells.ring(&orders),
                // The lane lets one batch out at a time, which bounds this channel.
                Effect::Append(batch) => self.batches.send(batch)?,
            }
        }
        Ok(())
    }
}

impl Actor for EventActor {
    type Msg = EventMessage;
    type State = EventState;
    type Arguments = EventStart;

    async fn pre_start(
        &self,
        myself: ActorRef<EventMessage>,
        start: EventStart,
    ) -> Result<EventState, ActorProcessingErr> {
        let mut sections = Vec::with_capacity(start.sections.len());
        for window in start.sections {
            let clock = Arc::clone(&start.clock);
            let state = SectionState { window, clock, event: myself.clone() };
            let (actor, _) =
                SectionActor::spawn_linked(None, SectionActor, state, myself.get_cell()).await?;
            sections.push(actor);
        }
        let (batches, sent) = mpsc::unbounded_channel();
        let (spoken, words) = mpsc::unbounded_channel();
        let gauge = Arc::clone(&start.gauge);
        start.tasks.spawn(writer::write(start.journal, sent, spoken, myself.clone(), gauge));
        myself.send_interval(TICK, || EventMessage::Tick);
        let mut state = EventState {
            door: start.door,
            sections,
            batches,
            words,
            clock: start.clock,
            published: start.published,
            bells: start.bells,
            refusals: start.refusals,
            gauge: start.gauge,
            site_paused: start.site_paused,
        };
        let now = state.clock.now();
        for reply in start.again {
            state.submit(now, reply);
            state.drain()?;
        }
        state.door.tick(now);
        state.drain()?;
        Ok(state)
    }

    async fn handle(
        &self,
        _myself: ActorRef<EventMessage>,
        message: EventMessage,
        state: &mut EventState,
    ) -> Result<(), ActorProcessingErr> {
        let now = state.clock.now();
        // First of all: the database waits for the next batch.
        state.hear(now)?;
        match message {
            EventMessage::Submit(reply) => {
                telemetry::mailbox_age("event", reply.sent.elapsed());
                state.gauge.waited(reply.sent.elapsed());
                state.submit(now, reply);
            }
            EventMessage::Decided(decided) => state.door.decided(now, decided),
            EventMessage::Spoken => {}
            EventMessage::Tick => {
                state.door.tick(now);
                state.gauge.hold_open(state.door.open_holds());
            }
        }
        state.drain()
    }

    /// A section that ends takes its event with it: half an owner decides nothing.
    async fn handle_supervisor_evt(
        &self,
        _myself: ActorRef<EventMessage>,
        event: SupervisionEvent,
        _state: &mut EventState,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorFailed(_, why) => Err(why),
            SupervisionEvent::ActorTerminated(..) => Err("a section has ended".into()),
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => Ok(()),
        }
    }
}
