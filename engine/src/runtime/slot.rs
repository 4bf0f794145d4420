//! An event's place in its node: who owns it now, what it shows, and the permits in front of it.
//! It outlives its owners.

use std::sync::Arc;

use ractor::ActorRef;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::event_actor::EventMessage;
use super::gauge::EventGauge;
use super::refusals::Refusals;
use crate::answer::PauseReason;
use crate::command::Command;
use crate::event::{Availability, Terms};
use crate::id::EventNumber;
use crate::telemetry;

/// Whether the event has an owner here.
#[derive(Clone)]
pub(super) enum Ownership {
    /// This one.
    Serving(ActorRef<EventMessage>),
    /// None at present, and why.
    Paused(PauseReason),
}

/// What an owner is made of, and how many commands may wait for each of its sections.
pub(super) struct Opened {
    pub(super) terms: Arc<Terms>,
    sections: Vec<Arc<Semaphore>>,
}

pub(super) struct Slot {
    pub(super) event: EventNumber,
    /// Another one once the event has another plan.
    pub(super) opened: watch::Sender<Arc<Opened>>,
    pub(super) ownership: watch::Sender<Ownership>,
    pub(super) published: watch::Sender<Arc<Availability>>,
    /// What it refuses, if that is to be told.
    pub(super) refusals: Option<Arc<Refusals>>,
    /// What its sale measures of itself.
    pub(super) gauge: Arc<EventGauge>,
    commands: Arc<Semaphore>,
    section_commands_max: usize,
    /// A paid order's confirmation is never shed, so it has permits of its own.
    confirmations: Arc<Semaphore>,
    /// Releasing always works, and so does an operator's word, however many want to buy.
    endings: Arc<Semaphore>,
}

/// What a command holds until it is answered.
#[derive(Debug)]
pub(super) struct Permits {
    _event: OwnedSemaphorePermit,
    _section: Option<OwnedSemaphorePermit>,
}

impl Drop for Permits {
    fn drop(&mut self) {
        telemetry::mailbox_depth(false);
    }
}

impl Opened {
    /// Whoever waits for a section that there was before keeps his permit of it.
    fn of(terms: Terms, before: &[Arc<Semaphore>], section_commands_max: usize) -> Self {
        let more = terms.plan.sections().len().saturating_sub(before.len());
        let new = (0..more).map(|_| Arc::new(Semaphore::new(section_commands_max)));
        Self { sections: before.iter().cloned().chain(new).collect(), terms: Arc::new(terms) }
    }
}

impl Slot {
    pub(super) fn new(
        terms: Terms,
        refusals: Option<Arc<Refusals>>,
        event_commands_max: usize,
        section_commands_max: usize,
    ) -> Self {
        let nothing = Availability {
            version: crate::id::Sequence(0),
            as_of: crate::moment::Moment(0),
            changed_at: crate::moment::Moment(0),
            packed: Vec::new(),
            sections: Vec::new(),
        };
        Self {
            ownership: watch::Sender::new(Ownership::Paused(PauseReason::Starting)),
            published: watch::Sender::new(Arc::new(nothing)),
            refusals,
            gauge: Arc::default(),
            commands: Arc::new(Semaphore::new(event_commands_max)),
            section_commands_max,
            confirmations: Arc::new(Semaphore::new(event_commands_max)),
            endings: Arc::new(Semaphore::new(event_commands_max)),
            event: terms.event,
            opened: watch::Sender::new(Arc::new(Opened::of(terms, &[], section_commands_max))),
        }
    }

    /// What the event is at present.
    pub(super) fn terms(&self) -> Arc<Terms> {
        Arc::clone(&self.opened.borrow().terms)
    }

    /// From now on the event has this plan, in which every section that there was has its number.
    pub(super) fn reopen(&self, terms: Terms) {
        let before = Arc::clone(&self.opened.borrow());
        let opened = Opened::of(terms, &before.sections, self.section_commands_max);
        self.opened.send_replace(Arc::new(opened));
    }

    /// The permits that a command needs; `None` if there are none left.
    pub(super) fn admit(&self, command: &Command) -> Option<Permits> {
        let event = match command {
            Command::ConfirmOrder { .. } | Command::ExtendHold { .. } => &self.confirmations,
            Command::ReleaseHold { .. }
            | Command::GiveBack { .. }
            | Command::CancelOrder { .. }
            | Command::ReturnTickets(_)
            | Command::Operate(_) => &self.endings,
            Command::PlaceHold { .. }
            | Command::PlaceOrder { .. }
            | Command::ReadHold { .. }
            | Command::ReadHolds { .. } => &self.commands,
        };
        let event = Arc::clone(event).try_acquire_owned().ok()?;
        let opened = Arc::clone(&self.opened.borrow());
        let section = match command.section(&opened.terms.plan) {
            None => None,
            Some(section) => {
                let section = opened.sections.get(usize::from(section.0))?;
                Some(Arc::clone(section).try_acquire_owned().ok()?)
            }
        };
        telemetry::mailbox_depth(true);
        Some(Permits { _event: event, _section: section })
    }
}
