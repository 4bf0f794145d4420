//! One attempt, seen through to its end: what it needs next is asked, what is learnt is recorded.

use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::give_back::REFUSED_AGAIN;
use super::{NotHeard, Payments};
use crate::id::AttemptId;
use crate::later::Later;
use crate::payment::workflow::{self, Learnt, Limits, Task, learn};
use crate::payment::{
    Attempt, AttemptStatus, Failure, GiveBack, GivenBack, MoneyMoved, ProviderAnswer, Step,
    StoreUnavailable,
};
use crate::runtime::backoff;
use crate::telemetry;

/// The pause before something of ours that is only momentarily out of reach is asked again: the
/// event's owner, the store. Doubled from then on.
const MOMENT: Duration = Duration::from_millis(50);

const TOO_LONG: &str = "it took too long";

/// What came of money that was to move.
enum Moved {
    Done,
    /// No telling.
    Perhaps,
    Not {
        /// Why not; none after an error of the provider's own.
        refusal: Option<Failure>,
        /// What is so instead.
        record: ProviderAnswer,
    },
}

impl Payments {
    /// What became of an attempt that had come to nothing, or whose money was not to be had.
    pub(super) async fn look_again(&self, attempt: &mut Attempt) -> Result<(), NotHeard> {
        match self.find(attempt).await {
            ProviderAnswer::Unknown(why) | ProviderAnswer::Erred(why) => {
                Err(NotHeard::ProviderSilent(why))
            }
            ProviderAnswer::InProgress => {
                Err(NotHeard::ProviderSilent("it is still at work on it".into()))
            }
            answer => {
                let learnt = if attempt.status == AttemptStatus::CaptureFailed {
                    workflow::not_captured(attempt, None, answer)
                } else {
                    learn(attempt, answer, self.limits())
                };
                match learnt {
                    // Whoever brought the news brings it again.
                    Learnt::Step(step) => self.record_once(attempt, &step).await?,
                    learnt @ (Learnt::Alert(_)
                    | Learnt::Authorise
                    | Learnt::Withdraw
                    | Learnt::Wait) => self.take_in(attempt, learnt).await,
                }
                Ok(())
            }
        }
    }

    /// Until there is nothing more to ask. `news` says that there is something to learn, and cuts a pause
    /// short.
    pub(super) async fn see_through(&self, mut attempt: Attempt, resumed: bool, news: &Notify) {
        let (mut resumed, mut tries) = (resumed, 0);
        loop {
            let before = (attempt.status, attempt.reference.clone());
            let task = workflow::next(&attempt, resumed);
            let learnt = match task {
                Task::Rest => return,
                Task::Authorise => self.ask_to_authorise(&attempt).await,
                Task::Find => match self.ask_to_find(&attempt).await {
                    Learnt::Authorise => self.ask_to_authorise(&attempt).await,
                    Learnt::Withdraw => self.withdraw(&attempt).await,
                    learnt @ (Learnt::Step(_) | Learnt::Wait | Learnt::Alert(_)) => learnt,
                },
                Task::AskForSeats => {
                    self.ask_for_seats(&mut attempt).await;
                    Learnt::Wait
                }
                Task::Capture => self.capture(&attempt).await,
                Task::Void => self.void(&attempt).await,
                Task::TakeTicketsBack => self.take_unpaid_back(&attempt).await,
                Task::Refund => self.refund(&attempt).await,
            };
            let is_refused = task == Task::Refund && matches!(learnt, Learnt::Alert(_));
            self.take_in(&mut attempt, learnt).await;
            if is_refused {
                // Each try may be another refund in the provider's books.
                let again_after = REFUSED_AGAIN;
                let refused = Step::RefundRefused { errors: attempt.errors, again_after };
                self.record(&mut attempt, &refused).await;
            }
            if workflow::next(&attempt, resumed) == Task::Rest {
                return;
            }
            if attempt.status == AttemptStatus::Verifying && before.0 != attempt.status {
                self.world.seats.extend(attempt.order, attempt.id).await;
                self.look_at_the_row(&mut attempt).await;
            }
            // Under a reference that is new nothing can have been asked.
            resumed = attempt.reference == before.1;
            let moved = attempt.status != before.0 || attempt.reference != before.1;
            tries = if moved { 0 } else { tries + 1 };
            let asked_again = is_asked_about(attempt.status);
            if tries > 0 || asked_again {
                let is_ours = matches!(task, Task::AskForSeats | Task::TakeTicketsBack);
                let first = if is_ours { MOMENT } else { self.settings.first_query };
                let pause = self.pause(first, attempt.id, tries);
                let _cut_short = timeout(pause, news.notified()).await;
            }
            if asked_again {
                self.look_at_the_row(&mut attempt).await;
            }
            // Another process may have been told meanwhile that it is refused, or have given it back.
            if attempt.status == AttemptStatus::RefundDue && tries > 0 {
                let id = attempt.id;
                let now = self.until_stored(id, || self.world.attempts.find(id)).await;
                attempt = now.unwrap_or(attempt);
            }
        }
    }

    async fn take_in(&self, attempt: &mut Attempt, learnt: Learnt) {
        match learnt {
            Learnt::Step(step) => self.record(attempt, &step).await,
            Learnt::Alert(failure) => {
                telemetry::payment_alert("money_stuck");
                let (status, code) = (attempt.status.code(), &failure.code);
                tracing::error!(attempt = %attempt.id, status, code, "money did not move");
            }
            Learnt::Authorise | Learnt::Withdraw | Learnt::Wait => {}
        }
    }

    async fn ask_to_authorise(&self, attempt: &Attempt) -> Learnt {
        let call = self.world.provider.authorise(attempt);
        learn(attempt, self.ask("authorise", attempt, call).await, self.limits())
    }

    async fn ask_to_find(&self, attempt: &Attempt) -> Learnt {
        learn(attempt, self.find(attempt).await, self.limits())
    }

    async fn find(&self, attempt: &Attempt) -> ProviderAnswer {
        self.ask("find", attempt, self.world.provider.find(attempt)).await
    }

    async fn withdraw(&self, attempt: &Attempt) -> Learnt {
        let call = self.world.provider.void(attempt);
        match self.move_or_look("withdraw", attempt, call).await {
            Moved::Done => workflow::withdrawn(self.find(attempt).await),
            Moved::Perhaps => Learnt::Wait,
            Moved::Not { refusal, record } => {
                workflow::not_withdrawn(attempt, refusal.as_ref(), record, self.limits())
            }
        }
    }

    async fn capture(&self, attempt: &Attempt) -> Learnt {
        let call = self.world.provider.capture(attempt);
        match self.move_or_look("capture", attempt, call).await {
            Moved::Done => Learnt::Step(Step::Captured),
            Moved::Perhaps => Learnt::Wait,
            Moved::Not { refusal, record } => workflow::not_captured(attempt, refusal, record),
        }
    }

    async fn void(&self, attempt: &Attempt) -> Learnt {
        let call = self.world.provider.void(attempt);
        match self.move_or_look("void", attempt, call).await {
            Moved::Done => Learnt::Step(Step::Voided),
            Moved::Perhaps => Learnt::Wait,
            Moved::Not { refusal, record } => workflow::not_voided(attempt, refusal, record),
        }
    }

    async fn move_or_look(
        &self,
        question: &'static str,
        attempt: &Attempt,
        call: Later<'_, MoneyMoved>,
    ) -> Moved {
        let refusal = match self.movement(question, attempt, call).await {
            MoneyMoved::Done => return Moved::Done,
            MoneyMoved::Unknown(_) => return Moved::Perhaps,
            MoneyMoved::Refused(failure) => Some(failure),
            MoneyMoved::Erred(_) => None,
        };
        Moved::Not { refusal, record: self.find(attempt).await }
    }

    /// All that was taken goes back, under the attempt's own name.
    async fn refund(&self, attempt: &Attempt) -> Learnt {
        let give_back = attempt.give_back();
        let call = self.world.provider.refund(attempt, &give_back);
        match self.movement("refund", attempt, call).await {
            MoneyMoved::Done => Learnt::Step(Step::Refunded { errors: attempt.errors }),
            MoneyMoved::Refused(failure) => Learnt::Alert(failure),
            MoneyMoved::Erred(_) => Learnt::Step(workflow::erred(attempt)),
            MoneyMoved::Unknown(_) => Learnt::Wait,
        }
    }

    pub(super) async fn find_refund(&self, attempt: &Attempt, give_back: &GiveBack) -> GivenBack {
        let call = self.world.provider.find_refund(attempt, give_back);
        let label = |answer: &GivenBack| match answer {
            GivenBack::Stands(_) => "stands",
            GivenBack::Failed(_) => "failed",
            GivenBack::Absent => "absent",
            GivenBack::Unknown(_) => "unknown",
        };
        let says = |answer: &GivenBack| !matches!(answer, GivenBack::Unknown(_));
        let answer = self.timed("find_refund", call, label, says);
        answer.await.unwrap_or_else(|| GivenBack::Unknown(TOO_LONG.into()))
    }

    async fn ask(
        &self,
        question: &'static str,
        attempt: &Attempt,
        call: Later<'_, ProviderAnswer>,
    ) -> ProviderAnswer {
        let label = |answer: &ProviderAnswer| match answer {
            ProviderAnswer::Opened { .. } => "opened",
            ProviderAnswer::ActionRequired { .. } => "action-required",
            ProviderAnswer::Authorised(_) => "authorised",
            ProviderAnswer::Captured(_) => "captured",
            ProviderAnswer::Cancelled { .. } => "cancelled",
            ProviderAnswer::Declined(_) => "declined",
            ProviderAnswer::InProgress => "in-progress",
            ProviderAnswer::NoSuchKey => "no-such-key",
            ProviderAnswer::Erred(_) => "erred",
            ProviderAnswer::Unknown(_) => "unknown",
        };
        let says = |answer: &ProviderAnswer| {
            !matches!(answer, ProviderAnswer::Erred(_) | ProviderAnswer::Unknown(_))
        };
        let answer = self.timed(question, call, label, says);
        let answer = answer.await.unwrap_or_else(|| ProviderAnswer::Unknown(TOO_LONG.into()));
        if let ProviderAnswer::Erred(why) | ProviderAnswer::Unknown(why) = &answer {
            tracing::info!(attempt = %attempt.id, question, why, "the provider did not say");
        }
        answer
    }

    pub(super) async fn movement(
        &self,
        question: &'static str,
        attempt: &Attempt,
        call: Later<'_, MoneyMoved>,
    ) -> MoneyMoved {
        let label = |moved: &MoneyMoved| match moved {
            MoneyMoved::Done => "done",
            MoneyMoved::Refused(_) => "refused",
            MoneyMoved::Erred(_) => "erred",
            MoneyMoved::Unknown(_) => "unknown",
        };
        let says =
            |moved: &MoneyMoved| !matches!(moved, MoneyMoved::Erred(_) | MoneyMoved::Unknown(_));
        let answer = self.timed(question, call, label, says);
        let moved = answer.await.unwrap_or_else(|| MoneyMoved::Unknown(TOO_LONG.into()));
        if let MoneyMoved::Erred(why) | MoneyMoved::Unknown(why) = &moved {
            tracing::info!(attempt = %attempt.id, question, why, "it is not known to be done");
        }
        moved
    }

    async fn timed<T>(
        &self,
        question: &'static str,
        call: Later<'_, T>,
        label: impl Fn(&T) -> &'static str,
        says: impl Fn(&T) -> bool,
    ) -> Option<T> {
        let started = Instant::now();
        let answer = timeout(self.settings.provider_patience, call).await.ok();
        let label = answer.as_ref().map_or("too-late", label);
        telemetry::provider(question, label, started.elapsed());
        self.gauge.answered(answer.as_ref().is_some_and(says));
        answer
    }

    /// The event's word, which its lane writes; the row is looked at even if the word did not come.
    async fn ask_for_seats(&self, attempt: &mut Attempt) {
        let before = attempt.status;
        let _verdict = self.world.seats.confirm(attempt.order, attempt.id).await;
        self.look_at_the_row(attempt).await;
        if attempt.status != before {
            telemetry::attempt(attempt.status.code());
        }
    }

    /// What others have written: the lane's word, the end of the order.
    async fn look_at_the_row(&self, attempt: &mut Attempt) {
        match self.world.attempts.find(attempt.id).await {
            Ok(Some(now)) => *attempt = now,
            Ok(None) => tracing::error!(attempt = %attempt.id, "an attempt's row has gone"),
            Err(error) => tracing::warn!(attempt = %attempt.id, %error, "an attempt waits"),
        }
    }

    /// Records a step until the store has said what the attempt is.
    pub(super) async fn record(&self, attempt: &mut Attempt, step: &Step) {
        let (id, from) = (attempt.id, attempt.status);
        *attempt = self.until_stored(id, || self.world.attempts.step(id, step)).await;
        self.tell(attempt, from, step);
    }

    /// Records a step, or says that the store did not say what the attempt is.
    pub(super) async fn record_once(
        &self,
        attempt: &mut Attempt,
        step: &Step,
    ) -> Result<(), StoreUnavailable> {
        let from = attempt.status;
        *attempt = self.world.attempts.step(attempt.id, step).await?;
        self.tell(attempt, from, step);
        Ok(())
    }

    fn tell(&self, attempt: &Attempt, from: AttemptStatus, step: &Step) {
        if attempt.status == from {
            return;
        }
        telemetry::attempt(attempt.status.code());
        self.world.bells.ring(&[attempt.order]);
        if let Some(what) = workflow::alert(from, step) {
            telemetry::payment_alert(what);
            let detail = attempt.failure.as_ref().map(|failure| failure.detail.as_str());
            tracing::error!(attempt = %attempt.id, order = %attempt.order, what, detail, "payment");
        }
    }

    pub(super) async fn until_stored<'a, T>(
        &self,
        attempt: AttemptId,
        store: impl Fn() -> Later<'a, Result<T, StoreUnavailable>>,
    ) -> T {
        let mut tries = 0;
        loop {
            match store().await {
                Ok(stored) => return stored,
                Err(error) => tracing::warn!(%attempt, %error, "a step of money waits"),
            }
            sleep(self.pause(MOMENT, attempt, tries)).await;
            tries += 1;
        }
    }

    fn limits(&self) -> Limits {
        Limits { now: self.world.clock.now(), unknown_max: self.world.provider.unknown_max() }
    }

    /// Doubling from `first`, and spread by the attempt's id: half to one and a half of it.
    pub(super) fn pause(&self, first: Duration, attempt: AttemptId, tries: u32) -> Duration {
        let spread = f64::from(attempt.uuid().as_bytes()[15]) / 255.0;
        backoff::doubled(first, tries, self.settings.pause_max).mul_f64(0.5 + spread)
    }
}

/// Whether what becomes of it is found out by asking again and again.
fn is_asked_about(status: AttemptStatus) -> bool {
    match status {
        AttemptStatus::RequiresAction | AttemptStatus::Verifying => true,
        AttemptStatus::Pending
        | AttemptStatus::Authorized
        | AttemptStatus::Confirmed
        | AttemptStatus::VoidDue
        | AttemptStatus::RefundDue
        | AttemptStatus::CaptureFailed
        | AttemptStatus::ReturnDue
        | AttemptStatus::Captured
        | AttemptStatus::Declined
        | AttemptStatus::Voided
        | AttemptStatus::Refunded
        | AttemptStatus::Failed => false,
    }
}
