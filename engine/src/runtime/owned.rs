//! What the supervisor knows of an event that this process owns: from one owner to the next.

use std::sync::Arc;
use std::time::Duration;

use ractor::{ActorCell, ActorProcessingErr};
use tokio::time::Instant;

use super::event_actor::{Died, Remains, Reply};
use super::slot::Slot;
use crate::answer::Unanswered;
use crate::event::Unfinished;
use crate::event::door::Quarantine;
use crate::id::{EventNumber, HoldId};
use crate::journal::{AppendError, TakeFrom};
use crate::telemetry;

/// An owner that lived so long did not die of what it read.
const LIFE_MIN: Duration = Duration::from_secs(10);

/// The pause before a takeover is tried again: doubled up to the last of these.
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(2);

pub(super) struct Owned {
    pub(super) slot: Arc<Slot>,
    pub(super) actor: Option<ActorCell>,
    /// Since when it serves.
    pub(super) served_at: Instant,
    /// From whom it may be taken: once it was this process's own, only from itself.
    pub(super) from: TakeFrom,
    /// Takeovers in a row that brought no owner, or one that soon died.
    pub(super) failures: u32,
    /// Holds of forgotten keys that the next owner must know.
    pub(super) also: Vec<HoldId>,
    /// Sections that the next owner keeps apart.
    pub(super) quarantine: Quarantine,
    /// How many sections the last one kept apart.
    kept_apart: usize,
    /// Commands of a refused batch, which the next owner decides first.
    pub(super) again: Vec<Reply>,
    /// How many decisions the next owner sends one a batch.
    pub(super) singly: usize,
}

impl Owned {
    /// An event that has no owner yet.
    pub(super) fn new(slot: Arc<Slot>) -> Self {
        Self {
            slot,
            actor: None,
            served_at: Instant::now(),
            from: TakeFrom::Anyone,
            failures: 0,
            also: Vec::new(),
            quarantine: Quarantine::new(),
            kept_apart: 0,
            again: Vec::new(),
            singly: 0,
        }
    }

    /// Its owner has died: why, in a word.
    pub(super) fn died(&mut self, why: &ActorProcessingErr) -> &'static str {
        self.actor = None;
        // Whatever kills an owner at once would kill the next one at once, too.
        let lived = self.served_at.elapsed() >= LIFE_MIN;
        self.failures = if lived { 0 } else { self.failures + 1 };
        let Some(died) = why.downcast_ref::<Died>() else { return "panicked" };
        if let Some(remains) = died.remains.lock().take() {
            self.inherit(remains, &died.error);
        }
        match &died.error {
            AppendError::Fenced => "fenced",
            AppendError::ClockUncertain => "clock-uncertain",
            AppendError::KnownHolds(holds) => {
                self.also.clone_from(holds);
                "known-holds"
            }
            AppendError::Refused(_) => "refused",
            AppendError::Unknown(_) => "unknown",
        }
    }

    /// What a refused batch leaves to the next owner. What was refused by itself is at fault, and is
    /// not tried again: its section is kept apart.
    fn inherit(&mut self, remains: Remains, error: &AppendError) {
        let Remains { unfinished, sections } = remains;
        let Unfinished { refused, behind, parts, alone } = unfinished;
        self.again = behind;
        if alone {
            refused.into_iter().for_each(|reply| reply.send(Err(Unanswered::Broken)));
            self.quarantine.extend(sections.into_iter().map(|it| (it, error.to_string())));
        } else {
            self.again.splice(0..0, refused);
        }
        // What time does besides comes one by one, too.
        self.singly = match error {
            AppendError::KnownHolds(_) => 0,
            AppendError::Refused(_)
            | AppendError::Fenced
            | AppendError::ClockUncertain
            | AppendError::Unknown(_) => 2 * parts,
        };
    }

    /// Tells operators of sections that are kept apart from now on.
    pub(super) fn keep_apart(&mut self, quarantine: &Quarantine) {
        for (section, why) in quarantine {
            let name = &self.slot.terms.plan.section(*section).name;
            let event = self.slot.terms.event;
            tracing::error!(?event, section = name, why, "a section is kept apart");
        }
        telemetry::quarantined(self.kept_apart, quarantine.len());
        self.kept_apart = quarantine.len();
    }
}

/// Doubling, and spread by the event's number so that a node's events do not come all at once.
pub(super) fn pause_before(event: EventNumber, failures: u32) -> Duration {
    if failures == 0 {
        return Duration::ZERO;
    }
    let doubled = RETRY_FIRST * 2_u32.saturating_pow(failures.min(6));
    let spread = event.0.unsigned_abs().wrapping_mul(2_654_435_761) % 1_000;
    doubled.min(RETRY_MAX).mul_f64(1.0 + f64::from(spread) / 2_000.0)
}
