//! One attempt, seen through to its end: what it needs next is asked, what is learnt is recorded.

use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::{NotHeard, Payments};
use crate::id::AttemptId;
use crate::later::Later;
use crate::payment::workflow::{self, Learnt, Limits, Task, learn};
use crate::payment::{Attempt, AttemptStatus, GiveBack, MoneyMoved, ProviderAnswer, Step};
use crate::runtime::backoff;
use crate::telemetry;

/// The pause before something of ours that is only momentarily out of reach is asked again: the
/// event's owner, the store. Doubled from then on.
pub(super) const MOMENT: Duration = Duration::from_millis(50);

impl Payments {
    /// What became of an attempt that had come to nothing.
    pub(super) async fn look_again(&self, attempt: &mut Attempt) -> Result<(), NotHeard> {
        match self.find(attempt).await {
            ProviderAnswer::Unknown(why) | ProviderAnswer::Erred(why) => {
                Err(NotHeard::ProviderSilent(why))
            }
            answer => {
                let learnt = learn(attempt, answer, self.limits());
                self.take_in(attempt, learnt).await;
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
                Task::Refund => self.refund(&attempt).await,
            };
            self.take_in(&mut attempt, learnt).await;
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
                let first =
                    if task == Task::AskForSeats { MOMENT } else { self.settings.first_query };
                let pause = self.pause(first, attempt.id, tries);
                let _cut_short = timeout(pause, news.notified()).await;
            }
            if asked_again {
                self.look_at_the_row(&mut attempt).await;
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
        let answer = self.ask("authorise", self.world.provider.authorise(attempt)).await;
        learn(attempt, answer, self.limits())
    }

    async fn ask_to_find(&self, attempt: &Attempt) -> Learnt {
        learn(attempt, self.find(attempt).await, self.limits())
    }

    async fn find(&self, attempt: &Attempt) -> ProviderAnswer {
        self.ask("find", self.world.provider.find(attempt)).await
    }

    async fn withdraw(&self, attempt: &Attempt) -> Learnt {
        let refusal = match self.movement("withdraw", self.world.provider.void(attempt)).await {
            MoneyMoved::Done => return workflow::withdrawn(self.find(attempt).await),
            MoneyMoved::Unknown(_) => return Learnt::Wait,
            MoneyMoved::Refused(failure) => Some(failure),
            MoneyMoved::Erred(_) => None,
        };
        let record = self.find(attempt).await;
        workflow::not_withdrawn(attempt, refusal.as_ref(), record, self.limits())
    }

    async fn capture(&self, attempt: &Attempt) -> Learnt {
        let refusal = match self.movement("capture", self.world.provider.capture(attempt)).await {
            MoneyMoved::Done => return Learnt::Step(Step::Captured),
            MoneyMoved::Unknown(_) => return Learnt::Wait,
            MoneyMoved::Refused(failure) => Some(failure),
            MoneyMoved::Erred(_) => None,
        };
        workflow::not_captured(refusal, self.find(attempt).await)
    }

    async fn void(&self, attempt: &Attempt) -> Learnt {
        let refusal = match self.movement("void", self.world.provider.void(attempt)).await {
            MoneyMoved::Done => return Learnt::Step(Step::Voided),
            MoneyMoved::Unknown(_) => return Learnt::Wait,
            MoneyMoved::Refused(failure) => Some(failure),
            MoneyMoved::Erred(_) => None,
        };
        workflow::not_voided(refusal, self.find(attempt).await)
    }

    /// All that was taken goes back, under the attempt's own name.
    async fn refund(&self, attempt: &Attempt) -> Learnt {
        let give_back = GiveBack {
            id: attempt.id.uuid(),
            money: attempt.reserved.unwrap_or(attempt.money),
            errors: attempt.errors,
        };
        match self.movement("refund", self.world.provider.refund(attempt, &give_back)).await {
            MoneyMoved::Done => Learnt::Step(Step::Refunded),
            MoneyMoved::Refused(failure) => Learnt::Alert(failure),
            MoneyMoved::Erred(_) => Learnt::Step(Step::Erred),
            MoneyMoved::Unknown(_) => Learnt::Wait,
        }
    }

    async fn ask(&self, question: &'static str, call: Later<'_, ProviderAnswer>) -> ProviderAnswer {
        let answer = self.timed(question, call, |answer| match answer {
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
        });
        answer.await.unwrap_or_else(|| ProviderAnswer::Unknown("it took too long".into()))
    }

    pub(super) async fn movement(
        &self,
        question: &'static str,
        call: Later<'_, MoneyMoved>,
    ) -> MoneyMoved {
        let answer = self.timed(question, call, |moved| match moved {
            MoneyMoved::Done => "done",
            MoneyMoved::Refused(_) => "refused",
            MoneyMoved::Erred(_) => "erred",
            MoneyMoved::Unknown(_) => "unknown",
        });
        answer.await.unwrap_or_else(|| MoneyMoved::Unknown("it took too long".into()))
    }

    async fn timed<T>(
        &self,
        question: &'static str,
        call: Later<'_, T>,
        label: impl Fn(&T) -> &'static str,
    ) -> Option<T> {
        let started = Instant::now();
        let answer = timeout(self.settings.provider_patience, call).await.ok();
        let label = answer.as_ref().map_or("too-late", label);
        telemetry::provider(question, label, started.elapsed());
        answer
    }

    /// The event's word, which its lane writes; the row is looked at even if the word did not come.
    async fn ask_for_seats(&self, attempt: &mut Attempt) {
        let _verdict = self.world.seats.confirm(attempt.order, attempt.id).await;
        self.look_at_the_row(attempt).await;
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
    async fn record(&self, attempt: &mut Attempt, step: &Step) {
        let (from, mut tries) = (attempt.status, 0);
        loop {
            match self.world.attempts.step(attempt.id, step).await {
                Ok(now) => {
                    *attempt = now;
                    break;
                }
                Err(error) => tracing::warn!(attempt = %attempt.id, %error, "a step waits"),
            }
            sleep(self.pause(MOMENT, attempt.id, tries)).await;
            tries += 1;
        }
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
        | AttemptStatus::Captured
        | AttemptStatus::Declined
        | AttemptStatus::Voided
        | AttemptStatus::Refunded
        | AttemptStatus::Failed => false,
    }
}
