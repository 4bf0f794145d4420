//! Capture, void and refund: when the state of an authorisation allows them, and what they leave.

use crate::simulated_provider::authorisation::{Authorisation, Status};
use crate::simulated_provider::entry::{Entry, EntryKind};
use crate::simulated_provider::money::Amount;
use crate::simulated_provider::refusal::StateConflict;

/// What can be asked of an authorisation. Capture and void take the whole amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::simulated_provider) enum Movement {
    Capture,
    Void,
    Refund(Amount),
}

impl Authorisation {
    /// Whether the state allows the movement. The order of the checks is the order of precedence.
    pub(super) fn allows(&self, movement: Movement) -> Result<(), StateConflict> {
        if self.status == Status::Declined {
            return Err(StateConflict::Declined);
        }
        if self.voided {
            return Err(StateConflict::AlreadyVoided);
        }
        match movement {
            Movement::Capture | Movement::Void if self.captured => {
                Err(StateConflict::AlreadyCaptured)
            }
            Movement::Capture | Movement::Void => Ok(()),
            Movement::Refund(_) if !self.captured => Err(StateConflict::NotCaptured),
            Movement::Refund(amount) => {
                let refundable = u64::from(self.amount) - self.refunded_amount;
                if u64::from(amount) > refundable {
                    return Err(StateConflict::RefundExceedsCapture);
                }
                Ok(())
            }
        }
    }

    pub(super) fn record(&mut self, movement: Movement) {
        match movement {
            Movement::Capture => self.captured = true,
            Movement::Void => self.voided = true,
            Movement::Refund(amount) => self.refunded_amount += u64::from(amount),
        }
    }
}

impl Entry {
    pub(super) fn movement(&self) -> Option<Movement> {
        match self.kind {
            EntryKind::Authorisation | EntryKind::Decline => None,
            EntryKind::Capture => Some(Movement::Capture),
            EntryKind::Void => Some(Movement::Void),
            EntryKind::Refund => Some(Movement::Refund(self.amount)),
        }
    }
}
