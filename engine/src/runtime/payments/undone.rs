//! Movements that a bank has undone: refunds that came back to us, and chargebacks that were returned.
//!
//! Of a failed refund nothing is believed: the provider's own record says which of an order's refunds do
//! not stand. A returned chargeback is believed as far as that much is booked as taken back.

use std::sync::Arc;

use super::give_back::{REFUSED_AGAIN, can_be_of};
use super::{NotHeard, Payments};
use crate::id::AttemptId;
use crate::money::Money;
use crate::payment::{Attempt, AttemptStatus, GiveBack, GivenBack, Step};
use crate::telemetry;

/// Returns of which it is remembered that they were told; beyond it, some are told twice.
const UNBOOKED_MAX: usize = 1_024;

impl Payments {
    /// The provider says that money it gave back of this attempt has come back to us. What does not stand in its
    /// record is due again, and the reverse of its posting booked, once; each is an alert. Says whether there is
    /// such an attempt.
    ///
    /// # Errors
    /// [`NotHeard`]: the notice is to be brought again; also while it is not recorded yet what was paid.
    pub async fn refund_failed(self: &Arc<Self>, attempt: AttemptId) -> Result<bool, NotHeard> {
        let Some(attempt) = self.world.attempts.find(attempt).await? else { return Ok(false) };
        if !self.is_of_our_provider(&attempt) {
            told_of_nothing(&attempt, "it is another payment provider's");
            return Ok(true);
        }
        match attempt.status {
            AttemptStatus::Captured => self.look_at_refunds(&attempt).await?,
            AttemptStatus::Refunded => self.look_at_what_was_returned(attempt).await?,
            AttemptStatus::CaptureFailed
            | AttemptStatus::Declined
            | AttemptStatus::Voided
            | AttemptStatus::Failed => told_of_nothing(&attempt, "nothing was taken"),
            status @ (AttemptStatus::Pending
            | AttemptStatus::RequiresAction
            | AttemptStatus::Verifying
            | AttemptStatus::Authorized
            | AttemptStatus::Confirmed
            | AttemptStatus::VoidDue
            | AttemptStatus::RefundDue
            | AttemptStatus::ReturnDue) => return Err(NotHeard::NotTaken(status)),
        }
        Ok(true)
    }

    /// The refunds of a sale.
    async fn look_at_refunds(&self, attempt: &Attempt) -> Result<(), NotHeard> {
        let refunds = self.world.refunds.of_order(attempt.order).await?;
        let mut is_known = refunds.is_owed;
        for give_back in &refunds.paid {
            let Some(why) = self.why_it_failed(attempt, give_back).await? else { continue };
            is_known = true;
            if self.world.refunds.failed(give_back, REFUSED_AGAIN).await? {
                telemetry::refund("failed");
                telemetry::payment_alert("refund_failed");
                let (refund, order) = (give_back.id, attempt.order);
                tracing::error!(%refund, %order, why, "a refund has come back, and is due again");
                self.world.bells.ring(&[attempt.order]);
            }
        }
        if refunds.is_paying {
            return Err(NotHeard::RefundUnderWay);
        }
        if !is_known {
            told_of_nothing(attempt, "every refund that is booked stands");
        }
        Ok(())
    }

    /// What was taken unasked, and given back under the attempt's own name. It is given back anew in an hour.
    async fn look_at_what_was_returned(&self, mut attempt: Attempt) -> Result<(), NotHeard> {
        let give_back = attempt.give_back();
        match self.why_it_failed(&attempt, &give_back).await? {
            Some(why) => {
                let (errors, again_after) = (attempt.errors, REFUSED_AGAIN);
                let failed = Step::RefundFailed { errors, again_after };
                tracing::error!(attempt = %attempt.id, why, "what was given back has come back");
                self.record_once(&mut attempt, &failed).await?;
            }
            None => told_of_nothing(&attempt, "what was given back stands"),
        }
        Ok(())
    }

    /// Why a refund does not stand in the provider's record; none where it does, or is not there.
    async fn why_it_failed(
        &self,
        attempt: &Attempt,
        give_back: &GiveBack,
    ) -> Result<Option<String>, NotHeard> {
        match self.find_refund(attempt, give_back).await {
            GivenBack::Failed(failure) => Ok(Some(failure.detail)),
            GivenBack::Stands(_) | GivenBack::Absent => Ok(None),
            GivenBack::Unknown(why) => Err(NotHeard::ProviderSilent(why)),
        }
    }

    /// The buyer's bank has returned what it took back. It is booked once a notice, and is an alert: tickets that
    /// are void stay void, and what is owed to whom now only an operator can say. A sum that cannot be, or could
    /// not be read, is an alert and nothing else. Says whether there is such an attempt.
    ///
    /// # Errors
    /// [`NotHeard`]: the notice is to be brought again; also where it is not known yet what was taken, or it is
    /// not booked that a bank took so much back: notices come in any order. That is an alert, once.
    pub async fn reinstated(
        self: &Arc<Self>,
        attempt: AttemptId,
        notice: &str,
        money: Option<Money>,
    ) -> Result<bool, NotHeard> {
        let Some(now) = self.find_at_its_end(attempt).await? else { return Ok(false) };
        let order = now.order;
        let Some(money) = money.filter(|it| can_be_of(&now, it)) else {
            telemetry::payment_alert("chargeback_mismatch");
            let what = "a bank returned what cannot have been taken";
            tracing::error!(%attempt, %order, notice, ?money, "{what}");
            return Ok(true);
        };
        if !self.world.attempts.reinstate(attempt, notice, money).await? {
            if self.is_first_told(notice) {
                telemetry::payment_alert("chargeback_mismatch");
                let what = "a bank returned what is not booked as taken back";
                tracing::error!(%attempt, %order, notice, ?money, "{what}");
            }
            return Err(NotHeard::NotTakenBack);
        }
        self.unbooked.lock().remove(notice);
        telemetry::payment_alert("chargeback_returned");
        tracing::error!(%attempt, %order, ?money, "a bank returned what it had taken back");
        Ok(true)
    }

    /// Whether this process has not told of this return yet, which waits for what it returns.
    fn is_first_told(&self, notice: &str) -> bool {
        let mut told = self.unbooked.lock();
        if told.len() >= UNBOOKED_MAX && !told.contains(notice) {
            told.clear();
        }
        told.insert(notice.to_owned())
    }
}

/// A refund failed that we do not know of: by hand, or long since told.
fn told_of_nothing(attempt: &Attempt, why: &str) {
    telemetry::payment_alert("refund_failed");
    let order = attempt.order;
    tracing::error!(attempt = %attempt.id, %order, why, "a refund failed that is none of ours");
}
