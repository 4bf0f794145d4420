//! The books in memory: what every authorisation has come to, and which key asked for it.
//!
//! Pure: no file, no clock, no runtime. [`Ledger::decide`] says what a command would book and
//! changes nothing; [`Ledger::apply`] is the only change, for a new line and for one read back from
//! the file alike, so a rebuilt ledger cannot differ from the one that wrote the lines.

mod apply;
mod decide;
mod movement;

use std::collections::HashMap;
use std::sync::Arc;

use chrono::TimeDelta;
use uuid::Uuid;

use super::authorisation::Authorisation;
use super::entry::{Asked, Entry};
use super::idempotency_key::IdempotencyKey;
use super::settings::Settings;

pub(super) use decide::{Command, Decision, Fault};
pub(super) use movement::Movement;

/// Keys held in memory, about half a kilobyte each with their entry. Beyond it new authorisations
/// and refunds are refused. Captures and voids pass, at most one for each authorisation.
const KEYS_MAX: usize = 1_000_000;

/// All authorisations, all keys, and the entries that moved money, in the order of booking.
#[derive(Debug)]
pub(super) struct Ledger {
    base_url: String,
    life: TimeDelta,
    authorisations: HashMap<Uuid, Authorisation>,
    booked: Vec<Uuid>,
    attempts: HashMap<Uuid, Attempt>,
    refunds: HashMap<Uuid, (Uuid, Movement)>,
    uses: HashMap<IdempotencyKey, Use>,
    money_entries: Vec<Arc<Entry>>,
    /// How many lines had an entry: the number of the next event.
    events: u64,
}

/// What was asked under a key, and whether its answer is an error.
#[derive(Debug)]
struct Use {
    asked: Asked,
    errored: bool,
}

/// What became of an attempt, over all keys that asked for it.
#[derive(Debug, Default)]
struct Attempt {
    reference: Option<Uuid>,
    /// Requests that ended in an error with nothing done.
    errors: u32,
}

/// A line that cannot follow the lines before it, in words.
pub(super) type Contradiction = &'static str;

impl Ledger {
    /// Empty books.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            base_url: settings.base_url.clone(),
            // What no calendar can hold never comes.
            life: TimeDelta::from_std(settings.authorisation_life).unwrap_or(TimeDelta::MAX),
            authorisations: HashMap::new(),
            booked: Vec::new(),
            attempts: HashMap::new(),
            refunds: HashMap::new(),
            uses: HashMap::new(),
            money_entries: Vec::new(),
            events: 0,
        }
    }

    pub(super) fn by_reference(&self, reference: Uuid) -> Option<&Authorisation> {
        self.authorisations.get(&reference)
    }

    /// The authorisation of an attempt, whichever key got it.
    pub(super) fn by_attempt(&self, attempt_id: Uuid) -> Option<&Authorisation> {
        self.attempts.get(&attempt_id)?.reference.and_then(|found| self.by_reference(found))
    }

    /// The authorisation that `key` asked for; the key of a capture finds nothing.
    pub(super) fn by_key(&self, key: &IdempotencyKey) -> Option<&Authorisation> {
        match &self.uses.get(key)?.asked {
            Asked::Authorise(request) => self.by_attempt(request.attempt_id),
            Asked::Move { .. } => None,
        }
    }

    /// At most `limit` authorisations, declines included, after the first `skipped` in the order of
    /// booking; and whether there are more.
    pub(super) fn list(&self, skipped: usize, limit: usize) -> (Vec<Authorisation>, bool) {
        let rest = self.booked.get(skipped..).unwrap_or_default();
        let found = rest.iter().take(limit).filter_map(|it| self.by_reference(*it));
        (found.cloned().collect(), rest.len() > limit)
    }

    pub(super) fn money_entries(&self) -> &[Arc<Entry>] {
        &self.money_entries
    }

    fn is_full(&self) -> bool {
        self.uses.len() >= KEYS_MAX
    }
}
