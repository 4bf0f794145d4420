//! Authorisations in work: each in a task of its own, whoever waits for it.
//!
//! A caller that goes away stops nothing, and a second request with the same key joins the first.
//! The books have the last word on every key, so nothing here needs to survive a kill: work that
//! was not booked has never happened.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::authorisation::{Authorisation, AuthorisationRequest};
use super::books::{Books, BooksDesk, Posted};
use super::faults::{Faults, RequestFaults};
use super::idempotency_key::IdempotencyKey;
use super::ledger::{Command, Movement};
use super::payment_method::Webhooks;
use super::refusal::Refusal;
use super::webhooks::{Endpoint, EndpointFile, Outbox};

/// Authorisations in work at a time. At 300 ms each that is over 10,000 a second, more than the
/// product sells; beyond it the provider says that it is overloaded.
const IN_WORK_MAX: usize = 4_096;

/// How long an answer waits for its webhook: an endpoint's deadline, and some for a place.
const FIRST_TRY_MAX: Duration = Duration::from_secs(15);

type Outcome = Result<Authorisation, Refusal>;

/// What a POST comes to.
#[derive(Debug)]
pub(super) enum Reply {
    Answer(Outcome),
    /// Whatever was done, nothing is said.
    Silence,
}

/// The provider behind its HTTP: what works on authorisations and knows the way to the books.
#[derive(Debug)]
pub struct Processor {
    pub(super) books: BooksDesk,
    pub(super) instance: Uuid,
    faults: Faults,
    endpoint_file: Arc<EndpointFile>,
    outbox: Arc<Outbox>,
    in_work: Mutex<HashMap<IdempotencyKey, Work>>,
    tasks: TaskTracker,
}

#[derive(Debug)]
struct Work {
    request: AuthorisationRequest,
    /// `None` until it is decided.
    outcome: watch::Receiver<Option<Outcome>>,
}

impl Processor {
    /// A processor that books into `books`, with nothing in work.
    pub fn new(books: &Books) -> Arc<Self> {
        Arc::new(Self {
            books: books.desk(),
            instance: books.instance(),
            faults: books.settings().faults,
            endpoint_file: books.endpoint_file(),
            outbox: books.outbox(),
            in_work: Mutex::default(),
            tasks: TaskTracker::new(),
        })
    }

    /// Authorises once for each key, and answers when its method answers, if it does.
    pub(super) async fn authorise(
        self: &Arc<Self>,
        key: IdempotencyKey,
        request: AuthorisationRequest,
    ) -> Reply {
        let answers = request.payment_method.script().answers;
        // The books before the work: a false body in work must not refuse the true one's repeat.
        let reply = match self.books.recall(key.clone(), request.clone()).await {
            Ok(Some(known)) => Reply::Answer(Ok(known)),
            Ok(None) => {
                let faults = self.faults.of_request(&key);
                self.work_on(key, request, faults).await
            }
            Err(refusal) => Reply::Answer(Err(refusal)),
        };
        match reply {
            Reply::Answer(Ok(_)) if !answers => Reply::Silence,
            reply => reply,
        }
    }

    /// Moves money once for each key. It is done even if the caller stops waiting.
    pub(super) async fn move_money(
        &self,
        key: IdempotencyKey,
        reference: Uuid,
        movement: Movement,
    ) -> Reply {
        let faults = self.faults.of_request(&key);
        let command = Command::Move { key, reference, movement, fault: faults.error };
        match self.post(command).await {
            Ok(Posted { is_replay: false, .. }) if faults.is_silent => Reply::Silence,
            Ok(posted) => Reply::Answer(Ok(posted.authorisation)),
            Err(refusal) => Reply::Answer(Err(refusal)),
        }
    }

    /// Takes the buyer's answer to a challenge; the first one counts.
    pub(super) async fn answer_challenge(&self, reference: Uuid, accepts: bool) -> Outcome {
        let posted = self.post(Command::Answer { reference, accepts }).await;
        posted.map(|posted| posted.authorisation)
    }

    /// Sends webhooks there from now on.
    pub(super) async fn set_endpoint(&self, endpoint: Endpoint) -> Result<(), Refusal> {
        let outbox = Arc::clone(&self.outbox);
        let set = move |endpoint| outbox.set_endpoint(endpoint);
        self.endpoint_file.write(endpoint, set).await.map_err(|error| {
            tracing::error!(%error, "the endpoint of webhooks could not be written");
            Refusal::BooksClosed
        })
    }

    /// The request under this key that is in work and perhaps not booked yet.
    pub(super) fn in_work(&self, key: &IdempotencyKey) -> Option<AuthorisationRequest> {
        self.in_work.lock().get(key).map(|work| work.request.clone())
    }

    /// A request of this attempt that is in work, under whichever key.
    pub(super) fn attempt_in_work(&self, attempt_id: Uuid) -> Option<AuthorisationRequest> {
        let in_work = self.in_work.lock();
        in_work.values().map(|it| &it.request).find(|it| it.attempt_id == attempt_id).cloned()
    }

    /// Waits for all work to end. Nothing new may come in.
    pub(super) async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn work_on(
        self: &Arc<Self>,
        key: IdempotencyKey,
        request: AuthorisationRequest,
        faults: RequestFaults,
    ) -> Reply {
        let mut outcome = match self.join_or_begin(key, request, faults) {
            Ok(outcome) => outcome,
            Err(refusal) => return Reply::Answer(Err(refusal)),
        };
        let decided = outcome.wait_for(Option::is_some).await;
        // The other side is dropped untold only by a panic in the task.
        let decided = decided.ok().and_then(|decided| decided.clone());
        match decided.unwrap_or(Err(Refusal::BooksClosed)) {
            Ok(_) if faults.is_silent => Reply::Silence,
            decided => Reply::Answer(decided),
        }
    }

    /// Books it, and has it told first where its method wants that.
    async fn post(&self, command: Command) -> Result<Posted, Refusal> {
        let (tried, first_try) = oneshot::channel();
        let posted = self.books.post(command, tried).await?;
        if posted.authorisation.payment_method.script().webhooks == Webhooks::BeforeTheAnswer {
            // Nothing was told, it was tried, or it takes too long: it is answered all the same.
            let _ = timeout(FIRST_TRY_MAX, first_try).await;
        }
        Ok(posted)
    }

    fn join_or_begin(
        self: &Arc<Self>,
        key: IdempotencyKey,
        request: AuthorisationRequest,
        faults: RequestFaults,
    ) -> Result<watch::Receiver<Option<Outcome>>, Refusal> {
        let mut in_work = self.in_work.lock();
        if let Some(work) = in_work.get(&key) {
            return if work.request == request {
                Ok(work.outcome.clone())
            } else {
                Err(Refusal::KeyReused)
            };
        }
        if in_work.len() >= IN_WORK_MAX {
            return Err(Refusal::Overloaded);
        }
        let (tell, outcome) = watch::channel(None);
        let work = Work { request: request.clone(), outcome: outcome.clone() };
        in_work.insert(key.clone(), work);
        drop(in_work);

        let place = Place { processor: Arc::clone(self), key };
        self.tasks.spawn(async move {
            let decided = place.processor.work(&place.key, request, faults).await;
            // Only now, when the key is in the books: a look-up finds it in one of the two.
            drop(place);
            tell.send_replace(Some(decided));
        });
        Ok(outcome)
    }

    async fn work(
        &self,
        key: &IdempotencyKey,
        request: AuthorisationRequest,
        faults: RequestFaults,
    ) -> Outcome {
        let half_time = request.payment_method.script().half_time(key);
        sleep(half_time).await;
        // If the key was booked since it was looked up, this is a replay.
        let command = Command::Authorise {
            key: key.clone(),
            request,
            reference: Uuid::new_v4(),
            fault: faults.error,
        };
        let Posted { authorisation, .. } = self.post(command).await?;
        sleep(half_time).await;
        Ok(authorisation)
    }
}

/// A key's place among the work, given back even if the work panics.
struct Place {
    processor: Arc<Processor>,
    key: IdempotencyKey,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.processor.in_work.lock().remove(&self.key);
    }
}
