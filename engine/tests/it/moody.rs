//! The journal in memory with moods: it fails, keeps silent, refuses what moves one seat, or reads rows
//! that something is wrong with. What the runtime makes of that is what its tests are about.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use taquilla_engine::event::{Batch, Snapshot, Terms};
use taquilla_engine::id::{EventNumber, HoldId, SeatIndex};
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::journal::{AppendError, Journal, TakeFrom, TakeOverError};
use taquilla_engine::later::Later;
use tokio::sync::Notify;

/// How long callers wait.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// What the journal does with the next appends.
#[derive(Clone, Debug, Default)]
pub(crate) enum Mode {
    #[default]
    Pass,
    /// Never answers, and writes nothing.
    Silent,
    /// Writes, and never answers.
    Mute,
    /// Answers once it is let go.
    HoldBack,
    Fail(AppendError),
    /// And passes from then on.
    FailOnce(AppendError),
}

#[derive(Default)]
pub(crate) struct Moody {
    pub(crate) rows: MemoryJournal,
    mode: Mutex<Mode>,
    /// What every takeover ends in.
    pub(crate) takeovers: Mutex<Option<TakeOverError>>,
    /// Takeovers never end.
    pub(crate) takeovers_hang: Mutex<bool>,
    /// Takeovers so far.
    pub(crate) taken_over: Mutex<u32>,
    /// What is wrong with the rows that a new owner reads.
    pub(crate) spoil: Mutex<Option<fn(&mut Snapshot)>>,
    /// What the event is by now, if it has another plan than it was opened with.
    pub(crate) moved: Mutex<Option<Terms>>,
    /// No batch may move this seat, as if a constraint forbade it.
    pub(crate) bad: Mutex<Option<SeatIndex>>,
    /// Batches that were refused because of it.
    pub(crate) refused: Mutex<u32>,
    /// Rings at each append.
    pub(crate) asked: Notify,
    go: Notify,
}

impl Moody {
    pub(crate) fn new(rows: MemoryJournal) -> Arc<Self> {
        Arc::new(Self { rows, ..Self::default() })
    }

    pub(crate) fn set(&self, mode: Mode) {
        *self.mode.lock() = mode;
    }

    /// What was held back goes on, and so does whatever comes after it.
    pub(crate) fn let_go(&self) {
        self.set(Mode::Pass);
        self.go.notify_waiters();
    }

    fn write(&self, batch: &Batch) -> Result<(), AppendError> {
        let bad = *self.bad.lock();
        if bad.is_some_and(|seat| batch.seats.contains_key(&seat)) {
            *self.refused.lock() += 1;
            return Err(AppendError::Refused("seats_state_known".into()));
        }
        self.rows.write(batch)
    }
}

impl Journal for Moody {
    fn append<'a>(&'a self, batch: &'a Batch) -> Later<'a, Result<(), AppendError>> {
        Box::pin(async move {
            self.asked.notify_one();
            let mode = self.mode.lock().clone();
            match mode {
                Mode::Pass => self.write(batch),
                Mode::Silent => std::future::pending().await,
                Mode::Mute => {
                    self.write(batch)?;
                    std::future::pending().await
                }
                Mode::HoldBack => {
                    self.go.notified().await;
                    self.write(batch)
                }
                Mode::Fail(error) => Err(error),
                Mode::FailOnce(error) => {
                    self.set(Mode::Pass);
                    Err(error)
                }
            }
        })
    }

    fn take_over<'a>(
        &'a self,
        event: EventNumber,
        from: TakeFrom,
        kept: Duration,
        also: &'a [HoldId],
    ) -> Later<'a, Result<Snapshot, TakeOverError>> {
        Box::pin(async move {
            *self.taken_over.lock() += 1;
            let (hang, error) = (*self.takeovers_hang.lock(), self.takeovers.lock().clone());
            if hang {
                std::future::pending::<()>().await;
            }
            if let Some(error) = error {
                return Err(error);
            }
            let mut snapshot = self.rows.take_over(event, from, kept, also).await?;
            if let Some(spoil) = *self.spoil.lock() {
                spoil(&mut snapshot);
            }
            snapshot.plan = self.moved.lock().as_ref().map(|terms| terms.plan_id);
            Ok(snapshot)
        })
    }

    fn terms(&self, event: EventNumber) -> Later<'_, Result<Terms, TakeOverError>> {
        Box::pin(async move {
            let moved = self.moved.lock().clone();
            moved.filter(|terms| terms.event == event).ok_or(TakeOverError::NoSuchEvent)
        })
    }
}
