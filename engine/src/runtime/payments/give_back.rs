//! Money on its way back to buyers: refunds that are due, and captures that were never to be had.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;

use super::{NotHeard, PAGE, Payments};
use crate::id::{AttemptId, RefundId};
use crate::money::Money;
use crate::payment::workflow::Learnt;
use crate::payment::{
    Attempt, AttemptStatus, DueRefund, GiveBack, GivenBack, MoneyMoved, Step, StoreUnavailable,
};
use crate::refund::{Cause, TicketReturn};
use crate::telemetry;

impl Payments {
    /// A refund has been decided: it is paid soon.
    pub fn refund_is_due(&self) {
        self.due.notify_one();
    }

    /// The buyer's bank has taken money back. It is booked once a notice; where nothing is left of what a
    /// sale brought and the site's policy says so, the tickets are void. A sum that cannot be, or could not be read,
    /// is an alert and nothing else. Says whether there is such an attempt.
    ///
    /// # Errors
    /// [`NotHeard`]: the notice is to be brought again; also where it is not known yet what was taken.
    pub async fn charged_back(
        self: &Arc<Self>,
        attempt: AttemptId,
        notice: &str,
        money: Option<Money>,
    ) -> Result<bool, NotHeard> {
        let Some(now) = self.find_at_its_end(attempt).await? else { return Ok(false) };
        let left = match money.filter(|it| can_be_of(&now, it)) {
            Some(money) => self.world.attempts.charge_back(attempt, notice, money).await?,
            None => None,
        };
        let Some(left) = left else {
            telemetry::payment_alert("chargeback_mismatch");
            tracing::error!(%attempt, notice, ?money, "a bank took back what cannot have been taken");
            return Ok(true);
        };
        telemetry::payment_alert("charged_back");
        tracing::error!(%attempt, order = %now.order, ?money, "a bank took money back");
        // For a part of it nobody but an operator can say which seats are not paid for any more.
        let is_all = now.status == AttemptStatus::Captured && left <= 0;
        if is_all && self.settings.chargeback_voids_tickets {
            let reason = format!("the bank took the money of order {} back", now.order);
            self.take_tickets_back(&now, Cause::Chargeback, reason).await?;
        }
        Ok(true)
    }

    /// The attempt, if there is one, once it is known what it took.
    pub(super) async fn find_at_its_end(
        self: &Arc<Self>,
        attempt: AttemptId,
    ) -> Result<Option<Attempt>, NotHeard> {
        let found = self.world.attempts.find(attempt).await?;
        if let Some(now) = found.as_ref().filter(|now| !now.status.is_final()) {
            self.hear(attempt).await?;
            return Err(NotHeard::NotTaken(now.status));
        }
        Ok(found)
    }

    /// Pays what is due, as far as there are permits; says how many. They have permits of their own: giving
    /// back a whole event keeps nobody from paying for another.
    pub(super) async fn pay_refunds(self: &Arc<Self>) -> Result<usize, StoreUnavailable> {
        let (mut count, mut after) = (0, None);
        self.world.refunds.forgive().await?;
        loop {
            let page = self.world.refunds.due(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(count) };
            after = Some((last.created_at, last.id));
            for due in page {
                let Ok(permit) = Arc::clone(&self.refund_permits).try_acquire_owned() else {
                    return Ok(count);
                };
                count += usize::from(self.pay_refund(due, permit));
            }
        }
    }

    /// Whether nobody was at it.
    fn pay_refund(self: &Arc<Self>, due: DueRefund, permit: OwnedSemaphorePermit) -> bool {
        if !self.is_of_our_provider(&due.attempt) {
            return false;
        }
        let Some((place, _news)) = self.take_place(due.id.uuid(), permit) else { return false };
        self.tasks.spawn(async move {
            let work = place.payments.see_refund_through(due);
            place.payments.stopping.run_until_cancelled(work).await;
        });
        true
    }

    async fn see_refund_through(&self, due: DueRefund) {
        let DueRefund { id, money, mut errors, attempt, .. } = due;
        let mut tries = 0;
        loop {
            let give_back = GiveBack { id: id.uuid(), money, errors };
            let refund = self.world.provider.refund(&attempt, &give_back);
            match self.movement("refund", &attempt, refund).await {
                MoneyMoved::Done => return self.refund_is_paid(&attempt, id, errors, money).await,
                MoneyMoved::Erred(_) => {
                    let erred = || self.world.refunds.erred(id, errors);
                    self.until_stored(attempt.id, erred).await;
                    telemetry::refund("erred");
                    errors += 1;
                }
                MoneyMoved::Refused(failure) => {
                    // It may have been paid before, of more than is left to be asked for now.
                    if let GivenBack::Stands(paid) = self.find_refund(&attempt, &give_back).await {
                        return self.refund_is_paid(&attempt, id, errors, paid).await;
                    }
                    telemetry::refund("refused");
                    telemetry::payment_alert("refund_refused");
                    let (code, order) = (&failure.code, attempt.order);
                    tracing::error!(refund = %id, %order, code, "a refund is refused");
                    let refused = || self.world.refunds.refused(id, errors, REFUSED_AGAIN);
                    return self.until_stored(attempt.id, refused).await;
                }
                MoneyMoved::Unknown(_) => {}
            }
            sleep(self.pause(self.settings.first_query, attempt.id, tries)).await;
            tries += 1;
            // A bank may have been first meanwhile, or another process been told that it is refused, or has
            // come back.
            let may_be_asked = || self.world.refunds.may_be_asked(id, errors, money);
            if !self.until_stored(attempt.id, may_be_asked).await {
                return self.look_for_refund(&attempt, id, errors, money).await;
            }
        }
    }

    /// It is not to be asked for any more, and no try has told whether it was paid: that is looked for only.
    async fn look_for_refund(&self, attempt: &Attempt, id: RefundId, errors: u32, money: Money) {
        let give_back = GiveBack { id: id.uuid(), money, errors };
        let mut tries = 0;
        loop {
            match self.find_refund(attempt, &give_back).await {
                GivenBack::Stands(paid) => {
                    return self.refund_is_paid(attempt, id, errors, paid).await;
                }
                GivenBack::Absent | GivenBack::Failed(_) => return,
                GivenBack::Unknown(_) => {}
            }
            sleep(self.pause(self.settings.first_query, attempt.id, tries)).await;
            tries += 1;
        }
    }

    async fn refund_is_paid(&self, attempt: &Attempt, id: RefundId, errors: u32, paid: Money) {
        let settle = || self.world.refunds.settle(id, errors, paid);
        if !self.until_stored(attempt.id, settle).await {
            tracing::warn!(refund = %id, errors, "it was paid by another try");
            return;
        }
        telemetry::refund("settled");
        self.world.bells.ring(&[attempt.order]);
    }

    /// Captures that nobody has settled in time, or that nobody needs any more, are given up.
    pub(super) async fn end_grace(self: &Arc<Self>) -> Result<usize, StoreUnavailable> {
        let before = self.world.clock.now() - self.settings.capture_grace;
        let failed = self.world.attempts.capture_failed(before, PAGE).await?;
        for attempt in &failed {
            // Unless it has been settled in this very moment.
            let ended = self.world.attempts.step(attempt.id, &Step::GraceOver).await?;
            if ended.status != AttemptStatus::ReturnDue {
                continue;
            }
            telemetry::attempt(ended.status.code());
            self.world.bells.ring(&[ended.order]);
            if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
                self.work_on(ended, true, permit);
            }
        }
        Ok(failed.len())
    }

    /// Seats whose money was never to be had return; after that, what is still reserved for them is let go.
    pub(super) async fn take_unpaid_back(&self, attempt: &Attempt) -> Learnt {
        let reason = format!("the money of order {} was not to be had", attempt.order);
        match self.take_tickets_back(attempt, Cause::CaptureFailed, reason).await {
            Ok(()) => Learnt::Step(Step::TicketsReturned),
            Err(error) => {
                tracing::warn!(attempt = %attempt.id, %error, "tickets of an unpaid order wait");
                Learnt::Wait
            }
        }
    }

    /// All tickets of the attempt's order that are valid. There may be none.
    async fn take_tickets_back(
        &self,
        attempt: &Attempt,
        cause: Cause,
        reason: String,
    ) -> Result<(), StoreUnavailable> {
        // Bought, so there is an order.
        let Some(sold) = self.world.attempts.sold(attempt.order).await? else { return Ok(()) };
        let asked = TicketReturn::of_all(sold, cause, reason.into(), "payments".into());
        if self.world.seats.take_back(asked).await {
            return Ok(());
        }
        Err(StoreUnavailable("the event did not say whether the tickets are void".into()))
    }
}

/// Whether a bank can have moved so much of what the attempt took.
pub(super) fn can_be_of(attempt: &Attempt, money: &Money) -> bool {
    let whole = attempt.money;
    money.currency == whole.currency && (1..=whole.amount).contains(&money.amount)
}

/// Refunds that are paid at once.
pub(super) const REFUNDS_IN_WORK_MAX: usize = 64;

/// When a refund that the provider refused is tried again, for somebody may have put right what was wrong.
pub(super) const REFUSED_AGAIN: Duration = Duration::from_secs(3_600);

/// Long enough for somebody to look.
pub(super) const CAPTURE_GRACE: Duration = Duration::from_secs(24 * 3_600);
