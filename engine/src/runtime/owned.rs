//! What the supervisor knows of an event that this process owns: from one owner to the next.

use std::sync::Arc;
use std::time::Duration;

use ractor::{ActorCell, ActorProcessingErr};
use tokio::time::Instant;

use super::backoff;
use super::died::{Died, Remains};
use super::reply::Reply;
use super::slot::Slot;
use crate::answer::Unanswered;
use crate::event::Unfinished;
use crate::event::door::Quarantine;
use crate::id::{EventNumber, HoldId};
use crate::journal::{AppendError, TakeFrom};
use crate::telemetry;

/// An owner that lived so long did not die of what it read.
const LIFE_MIN: Duration = Duration::from_secs(10);

/// The pause before a takeover is tried again: the first of these, doubled up to the last.
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(2);

/// How many forgotten keys are remembered again: some 3 MB of holds, and a moment's reading a takeover.
/// Beyond it the one asked for longest ago is forgotten once more.
const ALSO_MAX: usize = 10_000;

pub(super) struct Owned {
    pub(super) slot: Arc<Slot>,
    pub(super) actor: Option<ActorCell>,
    /// Since when it serves.
    pub(super) served_at: Instant,
    /// From whom it may be taken: once it was this process's own, only from itself.
    pub(super) from: TakeFrom,
    /// Takeovers in a row that brought no owner, or one that soon died.
    pub(super) failures: u32,
    /// Holds of forgotten keys that have been asked for since the process started, the latest last:
    /// every owner knows them.
    pub(super) also: Vec<HoldId>,
    /// Sections that the next owner keeps apart.
    pub(super) quarantine: Quarantine,
    /// How many sections the last one kept apart.
    kept_apart: usize,
    /// Commands of a refused batch, which the next owner decides first.
    pub(super) again: Vec<Reply>,
    /// How many decisions the next owner sends one a batch.
    pub(super) singly: usize,
    /// The takeover that is under way may have read what is no longer so: there is to be another.
    pub(super) read_again: bool,
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
            read_again: false,
        }
    }

    /// Its owner has died: why, in a word.
    pub(super) fn died(&mut self, why: &ActorProcessingErr) -> &'static str {
        self.actor = None;
        let died = why.downcast_ref::<Died>();
        let learnt = died.is_some_and(|died| self.learn(&died.error));
        // Whatever kills an owner at once would kill the next one at once, too, unless it knows better.
        let lived = self.served_at.elapsed() >= LIFE_MIN;
        self.failures = if lived || learnt { 0 } else { self.failures + 1 };
        let Some(died) = died else { return "panicked" };
        if let Some(remains) = died.remains.lock().take() {
            self.inherit(remains, &died.error, learnt);
        }
        match &died.error {
            AppendError::Fenced => "fenced",
            AppendError::ClockUncertain => "clock-uncertain",
            AppendError::KnownHolds(_) => "known-holds",
            AppendError::Refused(_) => "refused",
            AppendError::Unknown(_) => "unknown",
        }
    }

    /// Whether the error names holds that the next owner will know and this one did not. Each is known
    /// to all owners from then on, so a forgotten key costs one takeover, not one each time.
    fn learn(&mut self, error: &AppendError) -> bool {
        let holds = match error {
            AppendError::KnownHolds(holds) => holds,
            AppendError::Fenced
            | AppendError::ClockUncertain
            | AppendError::Refused(_)
            | AppendError::Unknown(_) => return false,
        };
        let before = self.also.len();
        for hold in holds {
            if !self.also.contains(hold) {
                self.also.push(*hold);
            }
        }
        let learnt = self.also.len() > before;
        let beyond = self.also.len().saturating_sub(ALSO_MAX);
        self.also.drain(..beyond);
        learnt
    }

    /// What a batch of which nothing was written leaves to the next owner. A key that was forgotten is
    /// nobody's fault: known again, it is a replay. What was refused by itself is at fault, and is not
    /// tried again: its section is kept apart. So is a hold that exists although its owner knew it.
    fn inherit(&mut self, remains: Remains, error: &AppendError, learnt: bool) {
        let Remains { unfinished, sections } = remains;
        let Unfinished { refused, behind, parts, alone, singly } = unfinished;
        self.again = behind;
        match error {
            AppendError::KnownHolds(_) if learnt => {
                self.again.splice(0..0, refused);
                self.singly = singly;
            }
            AppendError::Refused(_) | AppendError::KnownHolds(_) => {
                if alone {
                    refused.into_iter().for_each(|reply| reply.send(Err(Unanswered::Broken)));
                    self.quarantine.extend(sections.into_iter().map(|it| (it, error.to_string())));
                } else {
                    self.again.splice(0..0, refused);
                }
                // What time does besides comes one by one, too.
                self.singly = 2 * parts;
            }
            AppendError::Fenced | AppendError::ClockUncertain | AppendError::Unknown(_) => {
                unreachable!("of these nobody knows what was written, and nothing is left")
            }
        }
    }

    /// Tells operators of sections that are kept apart from now on.
    pub(super) fn keep_apart(&mut self, quarantine: &Quarantine) {
        let terms = self.slot.terms();
        for (section, why) in quarantine {
            let name = &terms.plan.section(*section).name;
            let event = self.slot.event;
            tracing::error!(?event, section = name, why, "a section is kept apart");
        }
        telemetry::quarantined(self.kept_apart, quarantine.len());
        self.kept_apart = quarantine.len();
    }
}

/// The pause before a takeover: none before the first, then doubling, and spread by the event's number so
/// that a node's events do not come all at once.
pub(super) fn pause_before(event: EventNumber, failures: u32) -> Duration {
    let Some(tries) = failures.checked_sub(1) else { return Duration::ZERO };
    let spread = event.0.unsigned_abs().wrapping_mul(2_654_435_761) % 1_000;
    let pause = backoff::doubled(RETRY_FIRST, tries, RETRY_MAX);
    pause.mul_f64(1.0 + f64::from(spread) / 2_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_takeover_is_tried_at_once_then_soon_then_ever_later() {
        // An event whose number adds nothing.
        let pauses = [0, 1, 2, 3, 4, 5, 6, 7, 90].map(|n| pause_before(EventNumber(0), n));
        let expected = [0, 50, 100, 200, 400, 800, 1_600, 2_000, 2_000];
        assert_eq!(pauses, expected.map(Duration::from_millis));
    }
}
