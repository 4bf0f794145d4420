//! Reconciliation at work: a run with its turn, its bound and its consequences, and the job that makes one
//! every hour, whichever process comes first.
//!
//! What is compared, and what it means, the engine knows; what is kept of it, the rows do.

mod metric;

pub use metric::describe_metrics;

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::clock::Clock;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::PaymentProvider;
use taquilla_engine::payment::reconciliation::{
    NotReconciled, Reconciliation, ReconciliationSettings, Verdict, reconcile,
};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::reconciliation::{Begun, Consequence, NewRun, Reconciliations};
use taquilla_persistence::site::Site;
use tokio::time::{interval, sleep, timeout};
use uuid::Uuid;

use crate::waiting_rooms::WaitingRooms;

/// The longest run: some million records, at the pace of a provider that is far away.
const RUN_MAX: Duration = Duration::from_secs(1_800);

/// How often a run says that it lives; its turn ends when it has not for two minutes.
const BEAT: Duration = Duration::from_secs(30);

/// How often the job looks whether a run is due, of the time between two.
const LOOKS: u32 = 12;

/// How often it is looked whether payments are closed: a command, or another process, may have done it.
const CLOSED_LOOK: Duration = Duration::from_secs(15);

/// Tells Prometheus, and waiting rooms, whether new payments are closed, for ever.
pub async fn tell_whether_closed(site: Site, rooms: Arc<WaitingRooms>) {
    let mut look = interval(CLOSED_LOOK);
    loop {
        look.tick().await;
        // While that cannot be read, it stays as it was.
        if let Ok(closed) = site.payments_closed().await {
            metric::payments_closed(closed.is_some());
            rooms.close_payments(closed.is_some());
        }
    }
}

/// What a run is made with.
#[derive(Clone)]
pub struct Reconciler {
    provider: Arc<dyn PaymentProvider>,
    rows: Reconciliations,
    clock: Arc<dyn Clock>,
    settings: ReconciliationSettings,
}

/// What came of a run.
#[derive(Debug)]
pub enum Made {
    /// It was made and recorded under this id, and this was found.
    Now(Uuid, Reconciliation),
    /// Another one is at work since then.
    AtWork(Moment),
    /// One began too short a time ago.
    TooSoon,
}

/// Why no run was made. Payments stay as they are.
#[derive(Debug, thiserror::Error)]
pub enum NotMade {
    /// The database could not be reached.
    #[error("the reconciliation could not be recorded")]
    Database(#[from] DatabaseError),
    /// One of the two records could not be read.
    #[error(transparent)]
    NotReconciled(#[from] NotReconciled),
    /// It had not said in time that it lives.
    #[error("another process has given the reconciliation up")]
    TurnLost,
    /// It did not come to its end.
    #[error("the reconciliation was not done within {RUN_MAX:?}")]
    TooLong,
}

impl Reconciler {
    /// Of this provider's books with these rows.
    #[must_use]
    pub fn new(
        provider: Arc<dyn PaymentProvider>,
        rows: Reconciliations,
        clock: Arc<dyn Clock>,
        settings: ReconciliationSettings,
    ) -> Self {
        Self { provider, rows, clock, settings }
    }

    /// Makes a run, unless one that did not fail began less than `pause` ago. `progress` is told how far it
    /// has come. Given up on the way, its turn ends by itself.
    ///
    /// # Errors
    /// [`NotMade`], which is recorded too if that is possible.
    pub async fn run(
        &self,
        started_by: &'static str,
        pause: Duration,
        progress: &(dyn Fn(&Reconciliation) + Send + Sync),
    ) -> Result<Made, NotMade> {
        let (run, now) = (Uuid::new_v4(), self.clock.now());
        let since = now - self.settings.window;
        let new = NewRun { id: run, provider: self.provider.name(), started_by, now, since, pause };
        match self.rows.begin(&new).await? {
            Begun::Now => {}
            Begun::AtWork(at) => return Ok(Made::AtWork(at)),
            Begun::TooSoon(_) => return Ok(Made::TooSoon),
        }
        let compared = timeout(RUN_MAX, self.compare(run, now, progress)).await;
        let recorded = match compared.unwrap_or(Err(NotMade::TooLong)) {
            Ok(found) => self.record(run, found).await,
            Err(why) => Err(why),
        };
        if let Err(why) = &recorded {
            metric::run("failed");
            self.tell_failure(run, why).await;
        }
        recorded
    }

    async fn compare(
        &self,
        run: Uuid,
        now: Moment,
        progress: &(dyn Fn(&Reconciliation) + Send + Sync),
    ) -> Result<Reconciliation, NotMade> {
        let comparing = reconcile(&*self.provider, &self.rows, now, self.settings, progress);
        let mut comparing = std::pin::pin!(comparing);
        let mut beat = interval(BEAT);
        loop {
            tokio::select! {
                found = &mut comparing => return Ok(found?),
                _ = beat.tick() => {
                    if !self.rows.still_at_work(run).await? {
                        return Err(NotMade::TurnLost);
                    }
                }
            }
        }
    }

    async fn record(&self, run: Uuid, found: Reconciliation) -> Result<Made, NotMade> {
        let closed = match self.rows.finish(run, &found, Uuid::new_v4()).await? {
            Consequence::Closed => true,
            Consequence::Open => false,
            Consequence::TurnLost => return Err(NotMade::TurnLost),
        };
        let (records, unsafe_count, total) = (found.records, found.unsafe_count, found.total());
        match found.verdict() {
            Verdict::Clean => {
                tracing::info!(%run, records, "payments agree with the provider's books")
            }
            Verdict::Differing => {
                tracing::warn!(%run, records, total, "payments differ from the provider's books");
            }
            Verdict::Unsafe => tracing::error!(
                %run, records, total, unsafe_count, closed,
                "payments differ from the provider's books so that money could be wrong"
            ),
        }
        metric::run(found.verdict().code());
        metric::found(&found, self.clock.now());
        metric::payments_closed(closed);
        Ok(Made::Now(run, found))
    }

    async fn tell_failure(&self, run: Uuid, why: &NotMade) {
        if let Err(error) = self.rows.fail(run, &why.to_string()).await {
            tracing::warn!(%run, %error, "a reconciliation's failure cannot be recorded");
        }
    }

    /// Makes a run every so often, for ever. Processes that do the same take turns.
    pub async fn keep_up(self, every: Duration) {
        loop {
            // Processes that were started together do not look together.
            let look = every / LOOKS;
            sleep(look.mul_f64(0.5 + rand::random::<f64>())).await;
            // A run that is nearly due is made: the next look may come late.
            match self.run("hourly", every.saturating_sub(look / 2), &|_| ()).await {
                Ok(Made::Now(..) | Made::AtWork(_) | Made::TooSoon) => {}
                Err(error) => {
                    let source = std::error::Error::source(&error).map(tracing::field::display);
                    tracing::warn!(%error, source, "no reconciliation could be made");
                }
            }
        }
    }
}
