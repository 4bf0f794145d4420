//! The one thread that decides, writes and answers.
//!
//! It takes everything that waits, decides it in order, writes all new lines, syncs once, and only
//! then answers, reads and refusals included: whatever an answer could have seen is on the disk. So
//! one sync serves every caller that waited during the last one. A failed write ends it, with all
//! answers left out: memory is then ahead of the disk, and only a new start can tell the truth.

use std::io;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::file::BooksFile;
use crate::simulated_provider::authorisation::{Authorisation, AuthorisationRequest};
use crate::simulated_provider::entry::Entry;
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::ledger::{Command, Decision, Ledger};
use crate::simulated_provider::refusal::Refusal;

/// Calls answered by one sync. At some 300 bytes a line, one write stays under 100 kB.
const BATCH_MAX: usize = 256;

type Answered<T> = oneshot::Sender<Result<T, Refusal>>;

/// What is asked of the bookkeeper, with the way back.
#[derive(Debug)]
pub(super) enum Call {
    Post(Command, Answered<Authorisation>),
    Recall(IdempotencyKey, AuthorisationRequest, Answered<Option<Authorisation>>),
    FindByKey(IdempotencyKey, Answered<Option<Authorisation>>),
    FindByReference(Uuid, Answered<Authorisation>),
    ListMoneyEntries(Answered<Vec<Arc<Entry>>>),
    /// Answer what came before, then stop.
    Close,
}

pub(super) struct Bookkeeper {
    pub(super) file: BooksFile,
    pub(super) ledger: Ledger,
    pub(super) now: fn() -> DateTime<Utc>,
}

/// An answer that waits for the sync.
type Held = Box<dyn FnOnce()>;

impl Bookkeeper {
    /// Works until it is told to close, until nobody can call any more, or until a write fails.
    pub(super) fn run(mut self, mut calls: mpsc::Receiver<Call>) -> io::Result<()> {
        let mut gathered = Vec::with_capacity(BATCH_MAX);
        let mut closing = false;
        while !closing && calls.blocking_recv_many(&mut gathered, BATCH_MAX) > 0 {
            let mut lines = Vec::new();
            let mut held = Vec::with_capacity(gathered.len());
            for call in gathered.drain(..) {
                match self.hear(call, &mut lines) {
                    Some(answer) => held.push(answer),
                    None => closing = true,
                }
            }
            if !lines.is_empty() {
                self.file.append(&lines)?;
            }
            for answer in held {
                answer();
            }
        }
        Ok(())
    }

    /// The answer to a call, or `None` to the call to close.
    fn hear(&mut self, call: Call, lines: &mut Vec<u8>) -> Option<Held> {
        match call {
            Call::Post(command, to) => Some(hold(to, self.post(command, lines))),
            Call::Recall(key, request, to) => {
                Some(hold(to, self.ledger.recall(&key, &request).map(Option::<&_>::cloned)))
            }
            Call::FindByKey(key, to) => Some(hold(to, Ok(self.ledger.by_key(&key).cloned()))),
            Call::FindByReference(reference, to) => {
                let found = self.ledger.by_reference(reference).cloned();
                Some(hold(to, found.ok_or(Refusal::NotFound)))
            }
            Call::ListMoneyEntries(to) => Some(hold(to, Ok(self.ledger.money_entries().to_vec()))),
            Call::Close => None,
        }
    }

    fn post(&mut self, command: Command, lines: &mut Vec<u8>) -> Result<Authorisation, Refusal> {
        match self.ledger.decide(command, (self.now)())? {
            Decision::Replay(authorisation) => Ok(authorisation),
            Decision::Book(line) => {
                line.append_to(lines);
                let booked = self.ledger.apply(line);
                Ok(booked.expect("a decision fits the ledger it was made on").clone())
            }
        }
    }
}

fn hold<T: 'static>(to: Answered<T>, answer: Result<T, Refusal>) -> Held {
    // Whoever has gone away misses an answer; the books do not depend on it.
    Box::new(move || drop(to.send(answer)))
}
