//! The books in memory: what every authorisation has come to, and which key asked for it.
//!
//! Pure: no file, no clock, no runtime. [`Ledger::decide`] says what a command would book and
//! changes nothing; [`Ledger::apply`] is the only change, for a new line and for one read back from
//! the file alike, so a rebuilt ledger cannot differ from the one that wrote the lines.

mod decide;
mod movement;

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::authorisation::{Authorisation, AuthorisationRequest, Failure, Status};
use super::entry::{Entry, EntryKind, Line};
use super::idempotency_key::IdempotencyKey;
use super::payment_method::PaymentMethod;

pub(super) use decide::{Command, Decision};
pub(super) use movement::Movement;

/// Entries held in memory, about half a kilobyte each with their key. Beyond it new authorisations
/// and refunds are refused. Captures and voids pass, at most one for each authorisation.
const ENTRIES_MAX: usize = 1_000_000;

/// All authorisations, all keys, and the entries that moved money, in the order of booking.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    authorisations: HashMap<Uuid, Authorisation>,
    uses: HashMap<IdempotencyKey, Use>,
    money_entries: Vec<Arc<Entry>>,
}

/// What a key was used for.
#[derive(Debug)]
struct Use {
    reference: Uuid,
    asked: Asked,
}

#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Authorise(AuthorisationRequest),
    Move(Movement),
}

/// A line that cannot follow the lines before it, in words.
pub(super) type Contradiction = &'static str;

impl Ledger {
    pub(super) fn by_reference(&self, reference: Uuid) -> Option<&Authorisation> {
        self.authorisations.get(&reference)
    }

    /// The authorisation that `key` asked for; the key of a capture finds nothing.
    pub(super) fn by_key(&self, key: &IdempotencyKey) -> Option<&Authorisation> {
        let used = self.uses.get(key)?;
        match used.asked {
            Asked::Authorise(_) => self.by_reference(used.reference),
            Asked::Move(_) => None,
        }
    }

    pub(super) fn money_entries(&self) -> &[Arc<Entry>] {
        &self.money_entries
    }

    /// Takes a line in, and shows what it made of its authorisation. One that contradicts the books
    /// changes nothing.
    pub(super) fn apply(&mut self, line: Line) -> Result<&Authorisation, Contradiction> {
        match line {
            Line::Opened { .. } => Err("the books were opened before"),
            Line::Decided { entry, payment_method, failure } => {
                self.apply_decided(entry, payment_method, failure)
            }
            Line::Moved { entry } => self.apply_moved(entry),
        }
    }

    fn apply_decided(
        &mut self,
        entry: Entry,
        payment_method: PaymentMethod,
        failure: Option<Failure>,
    ) -> Result<&Authorisation, Contradiction> {
        let status = match (entry.kind, &failure) {
            (EntryKind::Authorisation, None) => Status::Authorised,
            (EntryKind::Decline, Some(_)) => Status::Declined,
            (EntryKind::Authorisation | EntryKind::Decline, _) => {
                return Err("a decline has a reason, an authorisation none");
            }
            (EntryKind::Capture | EntryKind::Void | EntryKind::Refund, _) => {
                return Err("this kind of entry decides nothing");
            }
        };
        let reference = entry.reference;
        if self.authorisations.contains_key(&reference) {
            return Err("the reference is taken");
        }
        self.remember_use(&entry, Asked::Authorise(entry.request(payment_method)))?;
        let authorisation = Authorisation {
            reference,
            status,
            failure,
            order_id: entry.order_id,
            attempt_id: entry.attempt_id,
            amount: entry.amount,
            currency: entry.currency,
            captured: false,
            voided: false,
            refunded_amount: 0,
        };
        if status == Status::Authorised {
            self.money_entries.push(Arc::new(entry));
        }
        Ok(self.authorisations.entry(reference).or_insert(authorisation))
    }

    fn apply_moved(&mut self, entry: Entry) -> Result<&Authorisation, Contradiction> {
        let movement = entry.movement().ok_or("this kind of entry moves nothing")?;
        self.by_reference(entry.reference)
            .ok_or("there is no such authorisation")?
            .allows(movement)
            .map_err(|_| "the state does not allow it")?;
        self.remember_use(&entry, Asked::Move(movement))?;
        let authorisation = self
            .authorisations
            .get_mut(&entry.reference)
            .ok_or("there is no such authorisation")?;
        authorisation.record(movement);
        self.money_entries.push(Arc::new(entry));
        Ok(authorisation)
    }

    fn remember_use(&mut self, entry: &Entry, asked: Asked) -> Result<(), Contradiction> {
        if self.uses.contains_key(&entry.idempotency_key) {
            return Err("the key was used before");
        }
        let used = Use { reference: entry.reference, asked };
        self.uses.insert(entry.idempotency_key.clone(), used);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.uses.len() >= ENTRIES_MAX
    }
}

impl Entry {
    fn request(&self, payment_method: PaymentMethod) -> AuthorisationRequest {
        AuthorisationRequest {
            order_id: self.order_id,
            attempt_id: self.attempt_id,
            amount: self.amount,
            currency: self.currency,
            payment_method,
        }
    }
}
