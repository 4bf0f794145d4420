//! Refunds beside them: the orders' own, and which of them have been paid.

use std::time::Duration;

use super::MemoryAttempts;
use crate::id::{OrderId, RefundId};
use crate::later::Later;
use crate::moment::Moment;
use crate::money::Money;
use crate::payment::{AttemptStatus, DueRefund, GiveBack, PaidBack, Refunds, StoreUnavailable};

impl MemoryAttempts {
    /// Of all that was captured, paid or not.
    fn refunds(&self) -> Vec<DueRefund> {
        let rows = self.rows.lock();
        let captured = rows.values().filter(|it| it.status == AttemptStatus::Captured);
        let mut refunds = Vec::new();
        for attempt in captured {
            let orders = self.journal.peek(attempt.id.event()).orders;
            let order = orders.into_iter().find(|order| order.id == attempt.order);
            for refund in order.into_iter().flat_map(|order| order.refunds) {
                let money = Money { amount: refund.amount, ..attempt.money };
                let (id, created_at, attempt) = (refund.id, refund.at, attempt.clone());
                let errors = self.came_back.lock().get(&id).copied().unwrap_or_default();
                refunds.push(DueRefund { id, money, errors, attempt, created_at });
            }
        }
        refunds.retain(|it| it.money.amount > 0);
        refunds
    }

    fn is_paid_back(&self, refund: RefundId) -> bool {
        self.paid_back.lock().contains(&refund)
    }

    fn can_be_paid(&self, refund: RefundId) -> bool {
        let now = self.clock.now();
        self.refused.lock().get(&refund).is_none_or(|again_at| *again_at <= now)
    }
}

impl Refunds for MemoryAttempts {
    fn due(
        &self,
        after: Option<(Moment, RefundId)>,
        max: u32,
    ) -> Later<'_, Result<Vec<DueRefund>, StoreUnavailable>> {
        Box::pin(async move {
            let mut due = self.refunds();
            due.retain(|it| !self.is_paid_back(it.id) && self.can_be_paid(it.id));
            due.retain(|it| after.is_none_or(|at| (it.created_at, it.id) > at));
            due.sort_by_key(|it| (it.created_at, it.id));
            due.truncate(max as usize);
            Ok(due)
        })
    }

    fn refused(
        &self,
        refund: RefundId,
        again_after: Duration,
    ) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async move {
            self.refused.lock().insert(refund, self.clock.now() + again_after);
            Ok(())
        })
    }

    /// Chargebacks are not booked here.
    fn forgive(&self) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async { Ok(()) })
    }

    fn erred(&self, _: RefundId) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async { Ok(()) })
    }

    fn of_order(&self, order: OrderId) -> Later<'_, Result<PaidBack, StoreUnavailable>> {
        Box::pin(async move {
            let mut found = PaidBack::default();
            for it in self.refunds().into_iter().filter(|it| it.attempt.order == order) {
                if self.is_paid_back(it.id) {
                    let DueRefund { id, money, errors, .. } = it;
                    found.paid.push(GiveBack { id: id.uuid(), money, errors });
                } else {
                    found.is_owed = true;
                    found.is_paying |= self.can_be_paid(it.id);
                }
            }
            Ok(found)
        })
    }

    fn failed<'a>(
        &'a self,
        refund: &'a GiveBack,
        again_after: Duration,
    ) -> Later<'a, Result<bool, StoreUnavailable>> {
        Box::pin(async move {
            let no_refund = || StoreUnavailable("no such refund".into());
            let id = RefundId::parse(refund.id).ok_or_else(no_refund)?;
            let mut came_back = self.came_back.lock();
            let errors = came_back.entry(id).or_default();
            if *errors != refund.errors || !self.paid_back.lock().remove(&id) {
                return Ok(false);
            }
            *errors += 1;
            self.refused.lock().insert(id, self.clock.now() + again_after);
            Ok(true)
        })
    }

    fn settle(&self, refund: RefundId) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async move {
            self.paid_back.lock().insert(refund);
            Ok(())
        })
    }
}
