//! The payment workflow at work: one task an unfinished attempt, which asks, records and asks again
//! until the attempt has come to its end. The intent is durable before the first question.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::bells::OrderBells;
use crate::id::AttemptId;
use crate::journal::Later;
use crate::payment::workflow::{Learnt, Task, learn, next};
use crate::payment::{
    Attempt, AttemptStatus, Attempts, Confirmations, MoneyMoved, NewAttempt, Opened,
    PaymentProvider, ProviderAnswer, Step, StoreUnavailable,
};
use crate::telemetry;

/// Bounds of the workflow.
#[derive(Clone, Copy, Debug)]
pub struct PaymentSettings {
    /// Attempts that may be worked on at once; beyond it, no new one is opened.
    pub attempts_in_work_max: usize,
    /// How long one question to the provider may take.
    pub provider_patience: Duration,
    /// When an attempt whose answer did not come is first asked about; doubled from then on.
    pub first_query: Duration,
    /// The longest pause between two questions.
    pub pause_max: Duration,
}

impl Default for PaymentSettings {
    fn default() -> Self {
        Self {
            attempts_in_work_max: 4_096,
            provider_patience: Duration::from_secs(10),
            first_query: Duration::from_secs(2),
            pause_max: Duration::from_secs(30),
        }
    }
}

/// The pause before something that is only momentarily out of reach is asked again.
const MOMENT: Duration = Duration::from_millis(100);

/// How often unfinished attempts are looked for.
const SWEEP: Duration = Duration::from_secs(15);

/// Why no attempt was opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Too many are in work; none exists.
    #[error("too many payment attempts are in work")]
    Overloaded,
    /// It may exist or not; the same key brings the truth.
    #[error(transparent)]
    Unknown(#[from] StoreUnavailable),
}

/// Opens attempts and sees them through.
pub struct Payments {
    settings: PaymentSettings,
    attempts: Arc<dyn Attempts>,
    provider: Arc<dyn PaymentProvider>,
    seats: Arc<dyn Confirmations>,
    bells: Arc<OrderBells>,
    permits: Arc<Semaphore>,
    in_work: Mutex<HashSet<AttemptId>>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl Payments {
    /// A workflow with nothing in work.
    #[must_use]
    pub fn new(
        settings: PaymentSettings,
        attempts: Arc<dyn Attempts>,
        provider: Arc<dyn PaymentProvider>,
        seats: Arc<dyn Confirmations>,
        bells: Arc<OrderBells>,
    ) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(settings.attempts_in_work_max)),
            settings,
            attempts,
            provider,
            seats,
            bells,
            in_work: Mutex::default(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        })
    }

    /// The provider that new attempts go to.
    #[must_use]
    pub fn provider(&self) -> &'static str {
        self.provider.name()
    }

    /// Records the intent and, if it is a new one, starts to work on it.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(self: &Arc<Self>, new: &NewAttempt) -> Result<Opened, OpenError> {
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        let permit = permit.map_err(|_| OpenError::Overloaded)?;
        let opened = self.attempts.open(new).await?;
        match &opened {
            Opened::Created(attempt) => {
                self.bells.ring(&[attempt.order]);
                telemetry::attempt(attempt.status.code());
                self.work_on(attempt.clone(), false, permit);
            }
            // Whoever recorded the intent may not have learnt that it was.
            Opened::Replayed(attempt) if !attempt.status.is_final() => {
                self.work_on(attempt.clone(), true, permit);
            }
            Opened::Replayed(_)
            | Opened::KeyReused
            | Opened::NotFound
            | Opened::HoldNotActive { .. }
            | Opened::OrderNotPayable { .. } => {}
        }
        Ok(opened)
    }

    /// Carries on every unfinished attempt that nobody works on; says how many.
    ///
    /// # Errors
    /// [`StoreUnavailable`] if they cannot be listed.
    pub async fn resume(self: &Arc<Self>) -> Result<usize, StoreUnavailable> {
        let mut unfinished = self.attempts.unfinished().await?;
        unfinished.retain(|attempt| !self.in_work.lock().contains(&attempt.id));
        let count = unfinished.len();
        for attempt in unfinished {
            let permit = Arc::clone(&self.permits).acquire_owned().await;
            let permit = permit.expect("the workflow's permits are never closed");
            self.work_on(attempt, true, permit);
        }
        Ok(count)
    }

    /// Looks for attempts that nobody works on from now on: an intent whose recording was not
    /// acknowledged, and whose buyer did not come back.
    pub fn keep_up(self: &Arc<Self>) {
        let this = Arc::clone(self);
        self.tasks.spawn(async move {
            let sweep = async {
                loop {
                    sleep(SWEEP).await;
                    if let Err(error) = this.resume().await {
                        tracing::warn!(%error, "unfinished attempts cannot be listed");
                    }
                }
            };
            this.stopping.run_until_cancelled(sweep).await;
        });
    }

    /// Stops asking. What is unfinished is carried on by the next process.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn work_on(self: &Arc<Self>, attempt: Attempt, resumed: bool, permit: OwnedSemaphorePermit) {
        if !self.in_work.lock().insert(attempt.id) {
            return;
        }
        let this = Arc::clone(self);
        self.tasks.spawn(async move {
            let id = attempt.id;
            let work = this.see_through(attempt, resumed);
            // A question that is cut off is asked again by the next process, under the same key.
            this.stopping.run_until_cancelled(work).await;
            this.in_work.lock().remove(&id);
            drop(permit);
        });
    }

    async fn see_through(&self, mut attempt: Attempt, mut resumed: bool) {
        let mut tries = 0;
        loop {
            let status = attempt.status;
            let step = match next(status, resumed) {
                Task::Rest => return,
                Task::Authorise => self.ask(&attempt, "authorise").await,
                Task::Find => match self.ask(&attempt, "find").await {
                    Learnt::Authorise => self.ask(&attempt, "authorise").await,
                    learnt => learnt,
                },
                Task::AskForSeats => {
                    let verdict = self.seats.confirm(attempt.order, attempt.id).await;
                    self.look_again(&mut attempt, verdict.is_some()).await;
                    continue;
                }
                Task::Capture => self.move_money(&attempt, "capture").await,
                Task::Void => self.move_money(&attempt, "void").await,
            };
            match step {
                Learnt::Step(step) => self.record(&mut attempt, &step).await,
                Learnt::Authorise | Learnt::Wait => {}
            }
            resumed = true;
            tries = if attempt.status == status { tries + 1 } else { 0 };
            if tries > 0 || attempt.status == AttemptStatus::Verifying {
                sleep(self.pause(attempt.id, tries)).await;
            }
        }
    }

    async fn ask(&self, attempt: &Attempt, question: &'static str) -> Learnt {
        let call = match question {
            "authorise" => self.provider.authorise(attempt),
            _ => self.provider.find(attempt),
        };
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
            tracing::error!(attempt = %attempt.id, detail = %failure.detail, "authorisation does not match");
        }
        learnt
    }

    async fn move_money(&self, attempt: &Attempt, question: &'static str) -> Learnt {
        let (call, done) = match question {
            "capture" => (self.provider.capture(attempt), Step::Captured),
            _ => (self.provider.void(attempt), Step::Voided),
        };
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
                tracing::error!(attempt = %attempt.id, question, code = %failure.code, "money did not move");
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

    /// Records a step until the store has said what the attempt is.
    async fn record(&self, attempt: &mut Attempt, step: &Step) {
        loop {
            match self.attempts.step(attempt.id, step).await {
                Ok(now) => {
                    telemetry::attempt(now.status.code());
                    *attempt = now;
                    return self.bells.ring(&[attempt.order]);
                }
                Err(error) => tracing::warn!(attempt = %attempt.id, %error, "a step waits"),
            }
            sleep(MOMENT * 5).await;
        }
    }

    /// After the event's word, which its lane has written.
    async fn look_again(&self, attempt: &mut Attempt, decided: bool) {
        if !decided {
            sleep(MOMENT).await;
        }
        match self.attempts.find(attempt.id).await {
            Ok(Some(now)) => *attempt = now,
            Ok(None) => tracing::error!(attempt = %attempt.id, "an attempt's row has gone"),
            Err(error) => tracing::warn!(attempt = %attempt.id, %error, "an attempt waits"),
        }
        if decided && attempt.status == AttemptStatus::Authorized {
            sleep(MOMENT).await;
        }
    }

    /// Doubling from the first query on, and spread by the attempt's id: half to whole.
    fn pause(&self, attempt: AttemptId, tries: u32) -> Duration {
        let doubled = self.settings.first_query * 2_u32.saturating_pow(tries.min(10));
        let spread = f64::from(attempt.uuid().as_bytes()[15]) / 510.0;
        doubled.min(self.settings.pause_max).mul_f64(0.5 + spread)
    }
}
