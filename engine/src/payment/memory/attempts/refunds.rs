//! Refunds beside them: the orders' own, and which of them have been paid.

use std::time::Duration;

use super::MemoryAttempts;
use crate::id::{AttemptId, OrderId, RefundId};
use crate::later::Later;
use crate::moment::Moment;
use crate::money::Money;
use crate::payment::{AttemptStatus, DueRefund, GiveBack, PaidBack, Refunds, StoreUnavailable};

impl MemoryAttempts {
    /// A bank was first: so much of a refund is still to be paid.
    pub fn cut_down(&self, refund: RefundId, amount: i64) {
        self.amounts.lock().insert(refund, amount);
    }

    /// Of all that was captured, paid or not.
    fn refunds(&self) -> Vec<DueRefund> {
        let rows = self.rows.lock();
        let captured = rows.values().filter(|it| it.status == AttemptStatus::Captured);
        let mut refunds = Vec::new();
        for attempt in captured {
            let orders = self.journal.peek(attempt.id.event()).orders;
            let order = orders.into_iter().find(|order| order.id == attempt.order);
            for refund in order.into_iter().flat_map(|order| order.refunds) {
                let amount = self.amounts.lock().get(&refund.id).copied().unwrap_or(refund.amount);
                let money = Money { amount, ..attempt.money };
                let (id, created_at, attempt) = (refund.id, refund.at, attempt.clone());
                let errors = self.errors(id);
                refunds.push(DueRefund { id, money, errors, attempt, created_at });
            }
        }
        refunds.retain(|it| it.money.amount > 0);
        refunds
    }

    /// Of what this one took.
    pub(super) fn refunds_of(&self, attempt: AttemptId) -> impl Iterator<Item = DueRefund> {
        self.refunds().into_iter().filter(move |it| it.attempt.id == attempt)
    }

    /// Of the provider's, and payments that came back.
    fn errors(&self, refund: RefundId) -> u32 {
        self.errors_of.lock().get(&refund).copied().unwrap_or_default()
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
        errors: u32,
        again_after: Duration,
    ) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async move {
            if self.errors(refund) == errors && !self.is_paid_back(refund) {
                self.refused.lock().insert(refund, self.clock.now() + again_after);
            }
            Ok(())
        })
    }

    /// Nothing is let go here because a bank was first.
    fn forgive(&self) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async { Ok(()) })
    }

    fn may_be_asked(
        &self,
        refund: RefundId,
        errors: u32,
        money: Money,
    ) -> Later<'_, Result<bool, StoreUnavailable>> {
        Box::pin(async move {
            let is_so = |it: &DueRefund| (it.id, it.errors, it.money) == (refund, errors, money);
            let is_of_that_try = self.refunds().iter().any(is_so);
            Ok(is_of_that_try && !self.is_paid_back(refund) && self.can_be_paid(refund))
        })
    }

    fn erred(&self, refund: RefundId, errors: u32) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async move {
            if self.errors(refund) == errors && !self.is_paid_back(refund) {
                self.errors_of.lock().insert(refund, errors + 1);
            }
            Ok(())
        })
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
            let mut errors_of = self.errors_of.lock();
            let errors = errors_of.entry(id).or_default();
            if *errors != refund.errors || !self.paid_back.lock().remove(&id) {
                return Ok(false);
            }
            *errors += 1;
            self.refused.lock().insert(id, self.clock.now() + again_after);
            Ok(true)
        })
    }

    fn settle(
        &self,
        refund: RefundId,
        errors: u32,
        paid: Money,
    ) -> Later<'_, Result<bool, StoreUnavailable>> {
        Box::pin(async move {
            let is_of_that_try = self.errors(refund) == errors;
            if is_of_that_try && self.paid_back.lock().insert(refund) {
                self.amounts.lock().insert(refund, paid.amount);
            }
            Ok(is_of_that_try)
        })
    }
}
