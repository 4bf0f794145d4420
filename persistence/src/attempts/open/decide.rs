//! Whether an attempt may be opened: pure, in the contract's order of checks.

use taquilla_engine::hold::HoldStatus;
use taquilla_engine::order::{OrderStatus, Verdict};
use taquilla_engine::payment::{AttemptStatus, NewAttempt, Opened};

use super::seen::{Seen, SeenOrder};
use crate::codes;
use crate::columns::BrokenRow;
use crate::orders::{OrderState, PublicStatus};

/// What is to be done.
pub(super) enum Decision {
    /// Say this; nothing is written.
    Answer(Opened),
    /// Refuse, and keep the refusal for the key.
    Refuse(Remembered),
    /// Record the intent.
    Open,
}

/// A refusal that its key stands for from now on.
pub(super) enum Remembered {
    HoldNotActive(HoldStatus),
    OrderNotPayable(String),
}

impl Seen {
    pub(super) fn decide(self, new: &NewAttempt, attempts_max: u32) -> Result<Decision, BrokenRow> {
        let Some(order) = self.order.filter(|order| order.buyer == new.buyer) else {
            return Ok(Decision::Answer(Opened::NotFound));
        };
        if let Some(attempt) = self.attempt {
            return Ok(Decision::Answer(if attempt.fingerprint == new.fingerprint {
                Opened::Replayed(attempt)
            } else {
                Opened::KeyReused
            }));
        }
        if let Some((fingerprint, refusal)) = self.receipt {
            return Ok(Decision::Answer(if fingerprint == new.fingerprint {
                refusal.opened(true)
            } else {
                Opened::KeyReused
            }));
        }
        if let Some(why) = order.purchases_paused {
            return Ok(Decision::Answer(Opened::PurchasesPaused(why)));
        }
        if order.payments_closed {
            return Ok(Decision::Answer(Opened::PaymentsClosed));
        }
        if let Some(status) = order.sale_stopped {
            return Ok(Decision::Answer(Opened::SaleNotOpen { opens_at: order.opens_at, status }));
        }
        Ok(match order.hold {
            HoldStatus::Active if order.is_payable(attempts_max) => Decision::Open,
            HoldStatus::Active => {
                let status = order.public_status().code().to_owned();
                Decision::Refuse(Remembered::OrderNotPayable(status))
            }
            over @ (HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                Decision::Refuse(Remembered::HoldNotActive(over))
            }
        })
    }
}

impl SeenOrder {
    fn is_payable(&self, attempts_max: u32) -> bool {
        let stands_in_the_way = |status: &AttemptStatus| {
            let sold = codes::verdict(status.code()) == Some(Verdict::Confirmed);
            status.is_open() || sold
        };
        self.status == OrderStatus::Open
            && self.attempts.len() < usize::try_from(attempts_max).unwrap_or(usize::MAX)
            && !self.attempts.iter().any(stands_in_the_way)
    }

    fn public_status(&self) -> PublicStatus {
        PublicStatus::of(OrderState {
            status: self.status,
            free: self.total == 0,
            hold_over: self.hold != HoldStatus::Active,
            attempts: &self.attempts,
            given_back: false,
        })
    }
}

impl Remembered {
    pub(super) fn opened(self, replayed: bool) -> Opened {
        match self {
            Remembered::HoldNotActive(status) => Opened::HoldNotActive { status, replayed },
            Remembered::OrderNotPayable(status) => Opened::OrderNotPayable { status, replayed },
        }
    }

    /// `result` and `detail` of its receipt: 2 hold-not-active, 3 order-not-payable.
    pub(super) fn columns(&self) -> (i16, &str) {
        match self {
            Remembered::HoldNotActive(status) => (2, status.code()),
            Remembered::OrderNotPayable(status) => (3, status),
        }
    }

    pub(super) fn from_columns(result: i16, detail: String) -> Option<Remembered> {
        match result {
            2 => codes::hold_status_by_word(&detail).map(Remembered::HoldNotActive),
            3 => Some(Remembered::OrderNotPayable(detail)),
            _ => None,
        }
    }
}
