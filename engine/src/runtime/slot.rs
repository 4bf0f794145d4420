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
use crate::telemetry;

/// Whether the event has an owner here.
#[derive(Clone)]
pub(super) enum Ownership {
    /// This one.
    Serving(ActorRef<EventMessage>),
    /// None at present, and why.
    Paused(PauseReason),
}

pub(super) struct Slot {
    pub(super) terms: Terms,
    pub(super) ownership: watch::Sender<Ownership>,
    pub(super) published: watch::Sender<Arc<Availability>>,
    /// What it refuses, if that is to be told.
    pub(super) refusals: Option<Arc<Refusals>>,
    /// What its sale measures of itself.
    pub(super) gauge: Arc<EventGauge>,
    event: Arc<Semaphore>,
    sections: Vec<Arc<Semaphore>>,
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
            event: Arc::new(Semaphore::new(event_commands_max)),
            sections: (0..terms.plan.sections().len())
                .map(|_| Arc::new(Semaphore::new(section_commands_max)))
                .collect(),
            confirmations: Arc::new(Semaphore::new(event_commands_max)),
            endings: Arc::new(Semaphore::new(event_commands_max)),
            terms,
        }
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
            | Command::ReadHolds { .. } => &self.event,
        };
        let event = Arc::clone(event).try_acquire_owned().ok()?;
        let section = match command.section(&self.terms.plan) {
            None => None,
            Some(section) => {
                let section = self.sections.get(usize::from(section.0))?;
                Some(Arc::clone(section).try_acquire_owned().ok()?)
            }
        };
        telemetry::mailbox_depth(true);
        Some(Permits { _event: event, _section: section })
    }
}
