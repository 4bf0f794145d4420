//! The payment workflow at work: one task an unfinished attempt, which asks, records and asks again
//! until the attempt has come to its end. The intent is durable before the first question.

mod drive;
mod gauge;
mod give_back;
mod undone;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

pub use self::gauge::PaymentsMeasured;

use self::gauge::PaymentGauge;
use super::bells::OrderBells;
use crate::clock::Clock;
use crate::id::AttemptId;
use crate::payment::{
    Attempt, AttemptStatus, Attempts, Confirmations, NewAttempt, NotOpened, Opened,
    PaymentProvider, Refunds, StoreUnavailable,
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
    /// How long somebody may take to settle a capture that was refused, before the seats return.
    pub capture_grace: Duration,
    /// Whether an order's tickets are void once a bank has taken its money back.
    pub chargeback_voids_tickets: bool,
}

impl Default for PaymentSettings {
    fn default() -> Self {
        Self {
            attempts_in_work_max: 4_096,
            provider_patience: Duration::from_secs(10),
            first_query: Duration::from_secs(2),
            pause_max: Duration::from_secs(30),
            capture_grace: give_back::CAPTURE_GRACE,
            chargeback_voids_tickets: true,
        }
    }
}

/// How many attempts or refunds are read at once.
const PAGE: u32 = 256;

/// How often unfinished attempts are looked for.
const SWEEP: Duration = Duration::from_secs(15);

/// How often refunds that are due are looked for: an event that is cancelled rings for none of its own.
const REFUND_SWEEP: Duration = Duration::from_secs(2);

/// How long before the provider lets reserved money go it is told.
const LAPSE_WARNING: Duration = Duration::from_secs(24 * 3_600);

/// Why no attempt was opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Too many are in work; none exists.
    #[error("too many payment attempts are in work")]
    Overloaded,
    /// The store could not be reached; none exists.
    #[error(transparent)]
    Unavailable(StoreUnavailable),
    /// It may exist or not; the same key brings the truth.
    #[error(transparent)]
    Unknown(StoreUnavailable),
}

/// Why news was not taken in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotHeard {
    /// The attempt could not be looked up.
    #[error(transparent)]
    Unavailable(#[from] StoreUnavailable),
    /// The provider did not say what the news is.
    #[error("the provider did not say what became of the attempt: {0}")]
    ProviderSilent(String),
    /// A bank took back what is not known to have been taken.
    #[error("the attempt is {} so far", .0.code())]
    NotTaken(AttemptStatus),
    /// A bank returned what is not booked as taken back.
    #[error("it is not booked that a bank took so much back")]
    NotTakenBack,
    /// A refund of the order may have been paid this instant.
    #[error("a refund of its order is on its way")]
    RefundUnderWay,
}

impl From<NotOpened> for OpenError {
    fn from(not_opened: NotOpened) -> Self {
        match not_opened {
            NotOpened::Overloaded => Self::Overloaded,
            NotOpened::ForCertain(why) => Self::Unavailable(why),
            NotOpened::Perhaps(why) => Self::Unknown(why),
        }
    }
}

/// Opens attempts and sees them through.
pub struct Payments {
    settings: PaymentSettings,
    world: PaymentWorld,
    permits: Arc<Semaphore>,
    refund_permits: Arc<Semaphore>,
    /// Attempts and refunds by their ids, each with the bell that brings it news.
    in_work: Mutex<HashMap<Uuid, Arc<Notify>>>,
    /// Notices of returned chargebacks that nothing is booked for yet, and that were told of.
    unbooked: Mutex<HashSet<String>>,
    due: Notify,
    gauge: PaymentGauge,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

/// What payments need of the world.
pub struct PaymentWorld {
    /// The record of attempts.
    pub attempts: Arc<dyn Attempts>,
    /// The record of refunds.
    pub refunds: Arc<dyn Refunds>,
    /// Who moves money.
    pub provider: Arc<dyn PaymentProvider>,
    /// Who decides about seats.
    pub seats: Arc<dyn Confirmations>,
    /// Rung when an order's money has moved.
    pub bells: Arc<OrderBells>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// An attempt or refund in work, given up with the task, however that ends.
struct Place {
    payments: Arc<Payments>,
    id: Uuid,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.payments.in_work.lock().remove(&self.id);
    }
}

impl Payments {
    /// A workflow with nothing in work.
    #[must_use]
    pub fn new(settings: PaymentSettings, world: PaymentWorld) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(settings.attempts_in_work_max)),
            refund_permits: Arc::new(Semaphore::new(give_back::REFUNDS_IN_WORK_MAX)),
            settings,
            world,
            in_work: Mutex::default(),
            unbooked: Mutex::default(),
            due: Notify::new(),
            gauge: PaymentGauge::default(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        })
    }

    /// The provider that new attempts go to.
    #[must_use]
    pub fn provider(&self) -> &'static str {
        self.world.provider.name()
    }

    /// What payments measure of themselves.
    #[must_use]
    pub fn measure(&self) -> PaymentsMeasured {
        let in_work = self.settings.attempts_in_work_max - self.permits.available_permits();
        self.gauge.measured(in_work)
    }

    /// Records the intent and, if it is a new one, starts to work on it.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(self: &Arc<Self>, new: NewAttempt) -> Result<Opened, OpenError> {
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        let permit = permit.map_err(|_| OpenError::Overloaded)?;
        // A task of its own: a buyer who goes away between the intent and the work stops neither.
        let this = Arc::clone(self);
        let opening = self.tasks.spawn(async move { this.open_and_work(&new, permit).await });
        let lost = |_| OpenError::Unknown(StoreUnavailable("opening it was cut off".into()));
        opening.await.map_err(lost)?
    }

    async fn open_and_work(
        self: &Arc<Self>,
        new: &NewAttempt,
        permit: OwnedSemaphorePermit,
    ) -> Result<Opened, OpenError> {
        let opened = self.world.attempts.open(new).await?;
        match &opened {
            Opened::Created(attempt) => {
                self.world.bells.ring(&[attempt.order]);
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
            | Opened::PurchasesPaused(_)
            | Opened::PaymentsClosed
            | Opened::SaleNotOpen { .. }
            | Opened::HoldNotActive { .. }
            | Opened::OrderNotPayable { .. } => {}
        }
        Ok(opened)
    }

    /// Carries on unfinished attempts that nobody works on, the oldest first, as far as there are permits;
    /// says how many. The others have their turn when some have come to their end.
    ///
    /// # Errors
    /// [`StoreUnavailable`] if they cannot be listed.
    pub async fn resume(self: &Arc<Self>) -> Result<usize, StoreUnavailable> {
        let (mut count, mut others, mut after) = (0, 0, None);
        loop {
            let page = self.world.attempts.unfinished(after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.created_at, last.id));
            for attempt in page {
                if self.in_work.lock().contains_key(&attempt.id.uuid()) {
                    continue;
                }
                if !self.is_of_our_provider(&attempt) {
                    others += 1;
                    continue;
                }
                let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
                    return Ok(count);
                };
                self.work_on(attempt, true, permit);
                count += 1;
            }
        }
        if others > 0 {
            telemetry::payment_alert("other_provider");
            tracing::error!(others, "unfinished attempts are another payment provider's");
        }
        Ok(count)
    }

    /// Another one knows nothing of it, and would be asked for the money a second time.
    fn is_of_our_provider(&self, attempt: &Attempt) -> bool {
        attempt.provider == self.provider()
    }

    /// There is news of this attempt at the provider, whatever it is. One in work is asked about soon; one that
    /// has come to nothing, or whose capture was refused, now. Says whether there is such an attempt. Where too many are in work, a
    /// later sweep asks.
    ///
    /// # Errors
    /// [`NotHeard`]: the news is to be brought again.
    pub async fn hear(self: &Arc<Self>, attempt: AttemptId) -> Result<bool, NotHeard> {
        if let Some(news) = self.in_work.lock().get(&attempt.uuid()) {
            news.notify_one();
            return Ok(true);
        }
        let Some(mut attempt) = self.world.attempts.find(attempt).await? else { return Ok(false) };
        if attempt.status.ends_until_news() && self.is_of_our_provider(&attempt) {
            self.look_again(&mut attempt).await?;
        }
        if !attempt.status.is_final()
            && let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned()
        {
            self.work_on(attempt, true, permit);
        }
        Ok(true)
    }

    /// Carries attempts on from now on: at once those of an earlier process, and from time to time an
    /// intent whose recording was not acknowledged, and whose buyer did not come back.
    pub fn keep_up(self: &Arc<Self>) {
        let this = Arc::clone(self);
        self.tasks.spawn(async move {
            let sweep = async {
                loop {
                    match this.resume().await {
                        Ok(0) => {}
                        Ok(resumed) => tracing::info!(resumed, "payment attempts are carried on"),
                        Err(error) => {
                            tracing::warn!(%error, "unfinished attempts cannot be listed");
                        }
                    }
                    this.watch_lapsing().await;
                    if let Err(error) = this.end_grace().await {
                        tracing::warn!(%error, "captures that failed wait");
                    }
                    sleep(SWEEP).await;
                }
            };
            let refunds = async {
                loop {
                    if let Err(error) = this.pay_refunds().await {
                        tracing::warn!(%error, "refunds that are due cannot be listed");
                    }
                    let _at_the_latest = timeout(REFUND_SWEEP, this.due.notified()).await;
                }
            };
            this.stopping.run_until_cancelled(async { tokio::join!(sweep, refunds) }).await;
        });
    }

    /// Tells how much reserved money is about to be lost.
    async fn watch_lapsing(&self) {
        let Ok(lapsing) = self.world.attempts.lapsing(self.world.clock.now() + LAPSE_WARNING).await
        else {
            return;
        };
        telemetry::authorisations_lapsing(lapsing);
        if lapsing > 0 {
            tracing::error!(lapsing, "reserved money is let go by the provider within a day");
        }
    }

    /// Stops asking. What is unfinished is carried on by the next process.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// A place for this id, unless somebody is at it.
    fn take_place(
        self: &Arc<Self>,
        id: Uuid,
        permit: OwnedSemaphorePermit,
    ) -> Option<(Place, Arc<Notify>)> {
        let news = Arc::new(Notify::new());
        match self.in_work.lock().entry(id) {
            Entry::Occupied(_) => return None,
            Entry::Vacant(free) => free.insert(Arc::clone(&news)),
        };
        Some((Place { payments: Arc::clone(self), id, _permit: permit }, news))
    }

    /// News that was acknowledged is brought by nobody again: it waits here for the store.
    async fn hear_late(self: &Arc<Self>, attempt: AttemptId) {
        let mut tries = 0;
        while let Err(error) = self.hear(attempt).await {
            if !matches!(error, NotHeard::Unavailable(_)) {
                tracing::warn!(%attempt, %error, "news of an attempt is lost");
                return;
            }
            sleep(self.pause(self.settings.first_query, attempt, tries)).await;
            tries += 1;
        }
    }

    fn work_on(self: &Arc<Self>, attempt: Attempt, resumed: bool, permit: OwnedSemaphorePermit) {
        if !self.is_of_our_provider(&attempt) {
            return;
        }
        let Some((place, news)) = self.take_place(attempt.id.uuid(), permit) else { return };
        self.tasks.spawn(async move {
            let (payments, id) = (Arc::clone(&place.payments), attempt.id);
            let work = async {
                let began = Instant::now();
                payments.see_through(attempt, resumed, &news).await;
                // Of a buyer who is asked for something, or a capture that is tried for hours, the provider says nothing.
                payments.gauge.ended(began.elapsed().min(3 * payments.settings.provider_patience));
                // From here on news finds nobody at it; what came while it ended is heard now.
                drop(place);
                if timeout(Duration::ZERO, news.notified()).await.is_ok() {
                    payments.hear_late(id).await;
                }
            };
            // A question that is cut off is asked again by the next process, under the same key.
            payments.stopping.run_until_cancelled(work).await;
        });
    }
}
