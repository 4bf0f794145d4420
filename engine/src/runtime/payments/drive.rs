//! One attempt, seen through to its end: what it needs next is asked, what is learnt is recorded.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::Payments;
use crate::id::AttemptId;
use crate::later::Later;
use crate::payment::workflow::{Learnt, Task, learn, next};
use crate::payment::{Attempt, AttemptStatus, MoneyMoved, ProviderAnswer, Step};
use crate::runtime::backoff;
use crate::telemetry;

/// The pause before something of ours that is only momentarily out of reach is asked again: the
/// event's owner, the store. Doubled from then on.
const MOMENT: Duration = Duration::from_millis(50);

impl Payments {
    pub(super) async fn see_through(&self, mut attempt: Attempt, mut resumed: bool) {
        let mut tries = 0;
        loop {
            let status = attempt.status;
            let learnt = match next(status, resumed) {
                Task::Rest => return,
                Task::Authorise => self.ask_to_authorise(&attempt).await,
                Task::Find => match self.ask_to_find(&attempt).await {
                    Learnt::Authorise => self.ask_to_authorise(&attempt).await,
                    learnt => learnt,
                },
                Task::AskForSeats => {
                    self.ask_for_seats(&mut attempt).await;
                    if attempt.status == AttemptStatus::Authorized {
                        sleep(self.pause(MOMENT, attempt.id, tries)).await;
                        tries += 1;
                    } else {
                        tries = 0;
                    }
                    continue;
                }
                Task::Capture => {
                    let capture = self.provider.capture(&attempt);
                    self.move_money(&attempt, "capture", capture, Step::Captured).await
                }
                Task::Void => {
                    let void = self.provider.void(&attempt);
                    self.move_money(&attempt, "void", void, Step::Voided).await
                }
            };
            match learnt {
                Learnt::Step(step) => self.record(&mut attempt, &step).await,
                Learnt::Authorise | Learnt::Wait => {}
            }
            resumed = true;
            tries = if attempt.status == status { tries + 1 } else { 0 };
            if tries > 0 || attempt.status == AttemptStatus::Verifying {
                sleep(self.pause(self.settings.first_query, attempt.id, tries)).await;
            }
        }
    }

    async fn ask_to_authorise(&self, attempt: &Attempt) -> Learnt {
        self.ask(attempt, "authorise", self.provider.authorise(attempt)).await
    }

    async fn ask_to_find(&self, attempt: &Attempt) -> Learnt {
        self.ask(attempt, "find", self.provider.find(attempt)).await
    }

    async fn ask(
        &self,
        attempt: &Attempt,
        question: &'static str,
        call: Later<'_, ProviderAnswer>,
    ) -> Learnt {
        let answer = self
            .timed(question, call, |answer| match answer {
                ProviderAnswer::Authorised(_) => "authorised",
                ProviderAnswer::Declined(_) => "declined",
                ProviderAnswer::InProgress => "in-progress",
                ProviderAnswer::NoSuchKey => "no-such-key",
                ProviderAnswer::Unknown(_) => "unknown",
            })
            .await
            .unwrap_or_else(|| ProviderAnswer::Unknown("it took too long".into()));
        let learnt = learn(attempt, answer);
        if let Learnt::Step(Step::Mismatched { failure, .. }) = &learnt {
            let detail = &failure.detail;
            tracing::error!(attempt = %attempt.id, %detail, "an authorisation does not match");
        }
        learnt
    }

    async fn move_money(
        &self,
        attempt: &Attempt,
        question: &'static str,
        call: Later<'_, MoneyMoved>,
        done: Step,
    ) -> Learnt {
        let answer = self
            .timed(question, call, |moved| match moved {
                MoneyMoved::Done => "done",
                MoneyMoved::Refused(_) => "refused",
                MoneyMoved::Unknown(_) => "unknown",
            })
            .await;
        match answer {
            Some(MoneyMoved::Done) => Learnt::Step(done),
            Some(MoneyMoved::Refused(failure)) => {
                let code = &failure.code;
                tracing::error!(attempt = %attempt.id, question, code, "money did not move");
                Learnt::Wait
            }
            Some(MoneyMoved::Unknown(_)) | None => Learnt::Wait,
        }
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
        let _verdict = self.seats.confirm(attempt.order, attempt.id).await;
        match self.attempts.find(attempt.id).await {
            Ok(Some(now)) => *attempt = now,
            Ok(None) => tracing::error!(attempt = %attempt.id, "an attempt's row has gone"),
            Err(error) => tracing::warn!(attempt = %attempt.id, %error, "an attempt waits"),
        }
    }

    /// Records a step until the store has said what the attempt is.
    async fn record(&self, attempt: &mut Attempt, step: &Step) {
        let mut tries = 0;
        loop {
            match self.attempts.step(attempt.id, step).await {
                Ok(now) => {
                    telemetry::attempt(now.status.code());
                    *attempt = now;
                    return self.bells.ring(&[attempt.order]);
                }
                Err(error) => tracing::warn!(attempt = %attempt.id, %error, "a step waits"),
            }
            sleep(self.pause(MOMENT, attempt.id, tries)).await;
            tries += 1;
        }
    }

    /// Doubling from `first`, and spread by the attempt's id: half to one and a half of it.
    fn pause(&self, first: Duration, attempt: AttemptId, tries: u32) -> Duration {
        let spread = f64::from(attempt.uuid().as_bytes()[15]) / 255.0;
        backoff::doubled(first, tries, self.settings.pause_max).mul_f64(0.5 + spread)
    }
}
