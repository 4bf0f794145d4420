//! What keys stand for. A placed hold is its own receipt (its id comes from its key); results of
//! orders are rows; refusals of holds took nothing and are kept in memory for a minute.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use super::fact::{Receipt, ReceiptResult};
use crate::hold::Fingerprint;
use crate::id::{AttemptId, HoldId, OrderId, ReceiptId};
use crate::moment::Moment;
use crate::refusal::Refusal;

/// How long a refusal of a hold is repeated; afterwards the key is decided anew.
const REFUSAL_KEPT: Duration = Duration::from_secs(60);

/// The most refusals kept; beyond it the oldest is decided anew sooner.
const REFUSALS_MAX: usize = 100_000;

/// The most attempts of forgotten orders that are remembered. Each is asked about for as long as its
/// row says `authorized`, which is until the next batch.
const VOIDED_MAX: usize = 1_000;

#[derive(Debug)]
pub(super) struct Refused {
    pub(super) fingerprint: Fingerprint,
    pub(super) refusal: Refusal,
    at: Moment,
}

#[derive(Debug, Default)]
pub(super) struct Receipts {
    orders: HashMap<ReceiptId, Receipt>,
    refused: HashMap<HoldId, Refused>,
    refused_in_order: VecDeque<(Moment, HoldId)>,
    /// Attempts of forgotten orders whose money goes back; the rows of other attempts are kept with
    /// their orders.
    voided: VecDeque<AttemptId>,
}

impl Receipts {
    /// Notes that an attempt's money goes back; whether that is news.
    pub(super) fn remember_voided(&mut self, attempt: AttemptId) -> bool {
        if self.voided.contains(&attempt) {
            return false;
        }
        if self.voided.len() == VOIDED_MAX {
            self.voided.pop_front();
        }
        self.voided.push_back(attempt);
        true
    }

    pub(super) fn len(&self) -> usize {
        self.orders.len()
    }

    pub(super) fn order(&self, id: ReceiptId) -> Option<&Receipt> {
        self.orders.get(&id)
    }

    pub(super) fn remember_order(&mut self, receipt: Receipt) {
        self.orders.insert(receipt.id, receipt);
    }

    /// Forgets results of orders from before this instant. Their rows stay.
    pub(super) fn forget_before(&mut self, instant: Moment) {
        self.orders.retain(|_, receipt| receipt.at > instant);
    }

    /// The orders that remembered keys stand for.
    pub(super) fn orders(&self) -> HashSet<OrderId> {
        let order = |receipt: &Receipt| match receipt.result {
            ReceiptResult::Order { order, .. } => Some(order),
            ReceiptResult::HoldNotActive(_) => None,
        };
        self.orders.values().filter_map(order).collect()
    }

    pub(super) fn refused(&self, now: Moment, hold: HoldId) -> Option<&Refused> {
        self.refused.get(&hold).filter(|refused| now < refused.at + REFUSAL_KEPT)
    }

    pub(super) fn remember_refused(
        &mut self,
        now: Moment,
        hold: HoldId,
        fingerprint: Fingerprint,
        refusal: Refusal,
    ) {
        while let Some((at, oldest)) = self.refused_in_order.front().copied() {
            if self.refused_in_order.len() < REFUSALS_MAX && now < at + REFUSAL_KEPT {
                break;
            }
            self.refused_in_order.pop_front();
            // A key refused again later has a younger entry of its own, which stays.
            if self.refused.get(&oldest).is_some_and(|refused| refused.at == at) {
                self.refused.remove(&oldest);
            }
        }
        self.refused_in_order.push_back((now, hold));
        self.refused.insert(hold, Refused { fingerprint, refusal, at: now });
    }
}
