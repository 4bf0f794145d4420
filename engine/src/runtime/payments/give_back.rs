//! Money on its way back to buyers: refunds that are due, and captures that were never to be had.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;

use super::{PAGE, Payments};
use crate::id::AttemptId;
use crate::money::Money;
use crate::payment::{Attempt, DueRefund, GiveBack, MoneyMoved, Step, StoreUnavailable};
use crate::refund::{Cause, TicketReturn};
use crate::telemetry;

impl Payments {
    /// A refund has been decided: it is paid soon.
    pub fn refund_is_due(&self) {
        self.due.notify_one();
    }

    /// The buyer's bank has taken money back. It is booked once a notice; where the site's policy says so,
    /// the order's tickets are void. Says whether there is such an attempt.
    ///
    /// # Errors
    /// [`StoreUnavailable`]: the notice is to be brought again.
    pub async fn charged_back(
        &self,
        attempt: AttemptId,
        notice: &str,
        money: Money,
    ) -> Result<bool, StoreUnavailable> {
        let booked = self.world.attempts.charge_back(attempt, notice, money).await?;
        let Some(attempt) = booked else { return Ok(false) };
        telemetry::payment_alert("charged_back");
        tracing::error!(attempt = %attempt.id, order = %attempt.order, ?money, "a bank took money back");
        if self.settings.chargeback_voids_tickets {
            let reason = format!("the bank took the money of order {} back", attempt.order);
            self.take_tickets_back(&attempt, Cause::Chargeback, reason).await?;
        }
        Ok(true)
    }

    /// Pays what is due, as far as there are permits; says how many.
    pub(super) async fn pay_refunds(self: &Arc<Self>) -> Result<usize, StoreUnavailable> {
        let (mut count, mut after) = (0, None);
        loop {
            let page = self.world.refunds.due(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(count) };
            after = Some((last.created_at, last.id));
            for due in page {
                let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
                    return Ok(count);
                };
                count += usize::from(self.pay_refund(due, permit));
            }
        }
    }

    /// Whether nobody was at it.
    fn pay_refund(self: &Arc<Self>, due: DueRefund, permit: OwnedSemaphorePermit) -> bool {
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
                MoneyMoved::Done => {
                    self.until_stored(attempt.id, || self.world.refunds.settle(id)).await;
                    telemetry::refund("settled");
                    return self.world.bells.ring(&[attempt.order]);
                }
                MoneyMoved::Erred(_) => {
                    self.until_stored(attempt.id, || self.world.refunds.erred(id)).await;
                    telemetry::refund("erred");
                    errors += 1;
                }
                MoneyMoved::Refused(failure) => {
                    telemetry::refund("refused");
                    telemetry::payment_alert("refund_refused");
                    let (code, order) = (&failure.code, attempt.order);
                    tracing::error!(refund = %id, %order, code, "a refund is refused");
                }
                MoneyMoved::Unknown(_) => {}
            }
            sleep(self.pause(self.settings.first_query, attempt.id, tries)).await;
            tries += 1;
        }
    }

    /// Seats whose money was never to be had return, once nobody has settled it in time or they have
    /// returned already; then what is still reserved for them is let go.
    pub(super) async fn end_grace(self: &Arc<Self>) -> Result<usize, StoreUnavailable> {
        let before = self.world.clock.now() - self.settings.capture_grace;
        let failed = self.world.attempts.capture_failed(before, PAGE).await?;
        for attempt in &failed {
            let reason = format!("the money of order {} was not to be had in time", attempt.order);
            self.take_tickets_back(attempt, Cause::CaptureFailed, reason).await?;
            let ended = self.world.attempts.step(attempt.id, &Step::GraceOver).await?;
            telemetry::attempt(ended.status.code());
            self.world.bells.ring(&[ended.order]);
            if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
                self.work_on(ended, true, permit);
            }
        }
        Ok(failed.len())
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

/// Long enough for somebody to look.
pub(super) const CAPTURE_GRACE: Duration = Duration::from_secs(24 * 3_600);
