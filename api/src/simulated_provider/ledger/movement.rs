//! What can be asked of an authorisation, when its state allows it, and what it leaves.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::simulated_provider::authorisation::{Authorisation, Failure, Refund, Status};
use crate::simulated_provider::entry::{Entry, EntryKind};
use crate::simulated_provider::money::Amount;
use crate::simulated_provider::payment_method::Captures;
use crate::simulated_provider::refusal::StateConflict;

/// Refunds of one authorisation: far more than an order has tickets, and each is shown with it.
const REFUNDS_MAX: usize = 100;

/// What can be asked of an authorisation. Capture and void take the whole amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::simulated_provider) enum Movement {
    Capture,
    Void,
    Refund {
        amount: Amount,
        refund_id: Uuid,
    },
    /// The bank takes it back.
    Chargeback {
        amount: Amount,
    },
}

impl Authorisation {
    /// Whether the state at `now` allows the movement. The order of the checks is the order of
    /// precedence.
    pub(super) fn allows(
        &self,
        movement: Movement,
        now: DateTime<Utc>,
    ) -> Result<(), StateConflict> {
        if self.voided {
            return Err(StateConflict::AlreadyVoided);
        }
        match (self.status, movement) {
            (Status::Declined, _) => return Err(StateConflict::Declined),
            (Status::RequiresAction, Movement::Void) => return Ok(()),
            (Status::RequiresAction, _) => return Err(StateConflict::RequiresAction),
            (Status::Authorised, _) => {}
        }
        match movement {
            Movement::Capture | Movement::Void if self.captured => {
                Err(StateConflict::AlreadyCaptured)
            }
            Movement::Void => Ok(()),
            Movement::Capture if self.payment_method.script().captures == Captures::Refused => {
                Err(StateConflict::CaptureRefused)
            }
            Movement::Capture if self.expires_at.is_some_and(|at| at <= now) => {
                Err(StateConflict::AuthorisationExpired)
            }
            Movement::Capture => Ok(()),
            Movement::Refund { .. } | Movement::Chargeback { .. } if !self.captured => {
                Err(StateConflict::NotCaptured)
            }
            Movement::Refund { .. } if self.refunds.len() >= REFUNDS_MAX => {
                Err(StateConflict::TooManyRefunds)
            }
            Movement::Refund { amount, .. } if u64::from(amount) > self.left() => {
                Err(StateConflict::RefundExceedsCapture)
            }
            Movement::Chargeback { amount } if u64::from(amount) > self.left() => {
                Err(StateConflict::ChargebackExceedsCapture)
            }
            Movement::Refund { .. } | Movement::Chargeback { .. } => Ok(()),
        }
    }

    pub(super) fn record(&mut self, movement: Movement, at: DateTime<Utc>) {
        match movement {
            Movement::Capture => {
                self.captured = true;
                self.captured_amount = self.amount.into();
                self.captured_at = Some(at);
            }
            Movement::Void => {
                self.voided = true;
                self.voided_at = Some(at);
                if self.status == Status::RequiresAction {
                    self.status = Status::Declined;
                    self.failure = Some(Failure::withdrawn());
                    self.next_action = None;
                }
            }
            Movement::Refund { amount, refund_id } => {
                self.refunded_amount += u64::from(amount);
                self.refunds.push(Refund { refund_id, amount, at });
            }
            Movement::Chargeback { amount } => self.charged_back_amount += u64::from(amount),
        }
    }

    /// What was captured and neither refunded nor charged back.
    fn left(&self) -> u64 {
        self.captured_amount - self.refunded_amount - self.charged_back_amount
    }
}

impl Entry {
    /// What was asked with this entry. The refunds of version 1 had no id: they get one of their key.
    pub(super) fn movement(&self, refund_id: Option<Uuid>) -> Option<Movement> {
        match self.kind {
            EntryKind::Authorisation | EntryKind::Decline | EntryKind::Challenge => None,
            EntryKind::Capture => Some(Movement::Capture),
            EntryKind::Void | EntryKind::Withdrawal => Some(Movement::Void),
            EntryKind::Refund => Some(Movement::Refund {
                amount: self.amount,
                refund_id: refund_id.unwrap_or_else(|| self.idempotency_key.uuid()),
            }),
            EntryKind::Chargeback => Some(Movement::Chargeback { amount: self.amount }),
        }
    }
}
