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

use super::desk::{Page, Posted};
use super::file::BooksFile;
use crate::simulated_provider::authorisation::{Authorisation, AuthorisationRequest};
use crate::simulated_provider::entry::{Entry, Line};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::ledger::{Command, Decision, Ledger};
use crate::simulated_provider::refusal::Refusal;
use crate::simulated_provider::webhooks::{Event, Outbox, Tried};

/// Calls answered by one sync. At some 300 bytes a line, one write stays under 100 kB.
const BATCH_MAX: usize = 256;

type Answered<T> = oneshot::Sender<Result<T, Refusal>>;

/// What is asked of the bookkeeper, with the way back.
#[derive(Debug)]
pub(super) enum Call {
    Post(Command, Tried, Answered<Posted>),
    Recall(IdempotencyKey, AuthorisationRequest, Answered<Option<Authorisation>>),
    FindByKey(IdempotencyKey, Answered<Option<Authorisation>>),
    FindByAttempt(Uuid, Answered<Option<Authorisation>>),
    FindByReference(Uuid, Answered<Authorisation>),
    List {
        skipped: usize,
        limit: usize,
        to: Answered<Page>,
    },
    ListMoneyEntries(Answered<Vec<Arc<Entry>>>),
    /// The endpoint of webhooks has taken this event. Nobody waits for it.
    Acknowledge(u64),
    /// Answer what came before, then stop.
    Close,
}

pub(super) struct Bookkeeper {
    pub(super) file: BooksFile,
    pub(super) ledger: Ledger,
    pub(super) outbox: Arc<Outbox>,
    pub(super) now: fn() -> DateTime<Utc>,
}

/// What one batch writes, and what there is to tell of it afterwards.
#[derive(Default)]
struct Written {
    lines: Vec<u8>,
    events: Vec<(Event, Tried)>,
}

/// An answer that waits for the sync.
type Held = Box<dyn FnOnce()>;

impl Bookkeeper {
    /// Works until it is told to close, until nobody can call any more, or until a write fails.
    pub(super) fn run(mut self, mut calls: mpsc::Receiver<Call>) -> io::Result<()> {
        let mut gathered = Vec::with_capacity(BATCH_MAX);
        let mut closing = false;
        while !closing && calls.blocking_recv_many(&mut gathered, BATCH_MAX) > 0 {
            let mut written = Written::default();
            let mut held = Vec::with_capacity(gathered.len());
            for call in gathered.drain(..) {
                match self.hear(call, &mut written) {
                    Some(answer) => held.push(answer),
                    None => closing = true,
                }
            }
            if !written.lines.is_empty() {
                self.file.append(&written.lines)?;
            }
            for (event, tried) in written.events {
                self.outbox.put(event, Some(tried));
            }
            for answer in held {
                answer();
            }
        }
        Ok(())
    }

    /// The answer to a call, or `None` to the call to close.
    fn hear(&mut self, call: Call, written: &mut Written) -> Option<Held> {
        match call {
            Call::Post(command, tried, to) => Some(hold(to, self.post(command, tried, written))),
            Call::Recall(key, request, to) => {
                Some(hold(to, self.ledger.recall(&key, &request).map(Option::<&_>::cloned)))
            }
            Call::FindByKey(key, to) => Some(hold(to, Ok(self.ledger.by_key(&key).cloned()))),
            Call::FindByAttempt(attempt_id, to) => {
                Some(hold(to, Ok(self.ledger.by_attempt(attempt_id).cloned())))
            }
            Call::List { skipped, limit, to } => {
                let (items, has_more) = self.ledger.list(skipped, limit);
                Some(hold(to, Ok(Page { items, has_more })))
            }
            Call::FindByReference(reference, to) => {
                let found = self.ledger.by_reference(reference).cloned();
                Some(hold(to, found.ok_or(Refusal::NotFound)))
            }
            Call::ListMoneyEntries(to) => Some(hold(to, Ok(self.ledger.money_entries().to_vec()))),
            Call::Acknowledge(event) => {
                let line = Line::Acknowledged { event, at: (self.now)() };
                line.append_to(&mut written.lines);
                self.ledger.apply(line).expect("only an event that was told is acknowledged");
                Some(Box::new(|| {}))
            }
            Call::Close => None,
        }
    }

    fn post(
        &mut self,
        command: Command,
        tried: Tried,
        written: &mut Written,
    ) -> Result<Posted, Refusal> {
        match self.ledger.decide(command, (self.now)())? {
            Decision::Replay(authorisation) => Ok(Posted { authorisation, is_replay: true }),
            Decision::Book(line, reference) => {
                let is_errored = line.is_errored();
                line.append_to(&mut written.lines);
                let told = self.ledger.apply(line);
                let told = told.expect("a decision fits the ledger it was made on");
                written.events.extend(told.map(|event| (event, tried)));
                if is_errored {
                    return Err(Refusal::SimulatedError);
                }
                let authorisation = self.ledger.by_reference(reference).cloned();
                let authorisation = authorisation.expect("a line without error has left one");
                Ok(Posted { authorisation, is_replay: false })
            }
        }
    }
}

fn hold<T: 'static>(to: Answered<T>, answer: Result<T, Refusal>) -> Held {
    // Whoever has gone away misses an answer; the books do not depend on it.
    Box::new(move || drop(to.send(answer)))
}
