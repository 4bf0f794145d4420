//! Where calls to the books are handed in.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::bookkeeper::Call;
use crate::simulated_provider::authorisation::{Authorisation, AuthorisationRequest};
use crate::simulated_provider::entry::Entry;
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::ledger::Command;
use crate::simulated_provider::refusal::Refusal;
use crate::simulated_provider::webhooks::Tried;

/// The way to the bookkeeper. Every answer waits for the disk.
#[derive(Debug, Clone)]
pub(in crate::simulated_provider) struct BooksDesk {
    pub(super) queue: mpsc::Sender<Call>,
}

/// What a command came to.
#[derive(Debug, Clone)]
pub(in crate::simulated_provider) struct Posted {
    pub(in crate::simulated_provider) authorisation: Authorisation,
    /// Whether the command had been done before under its key.
    pub(in crate::simulated_provider) is_replay: bool,
}

/// A part of the list of all authorisations.
#[derive(Debug)]
pub(in crate::simulated_provider) struct Page {
    pub(in crate::simulated_provider) items: Vec<Authorisation>,
    pub(in crate::simulated_provider) has_more: bool,
}

impl BooksDesk {
    /// Books a command once. It is booked even if the caller stops waiting. `tried` goes with the
    /// event that it makes, if it makes one.
    pub(in crate::simulated_provider) async fn post(
        &self,
        command: Command,
        tried: Tried,
    ) -> Result<Posted, Refusal> {
        self.ask(|to| Call::Post(command, tried, to)).await
    }

    /// Remembers that an event was acknowledged. If the books have stopped, it is told again.
    pub(in crate::simulated_provider) async fn acknowledge(&self, event: u64) {
        // They say themselves why they stopped.
        let _ = self.queue.send(Call::Acknowledge(event)).await;
    }

    /// What this very request came to before, if it was made.
    pub(in crate::simulated_provider) async fn recall(
        &self,
        key: IdempotencyKey,
        request: AuthorisationRequest,
    ) -> Result<Option<Authorisation>, Refusal> {
        self.ask(|to| Call::Recall(key, request, to)).await
    }

    pub(in crate::simulated_provider) async fn find_by_key(
        &self,
        key: IdempotencyKey,
    ) -> Result<Option<Authorisation>, Refusal> {
        self.ask(|to| Call::FindByKey(key, to)).await
    }

    pub(in crate::simulated_provider) async fn find_by_attempt(
        &self,
        attempt_id: Uuid,
    ) -> Result<Option<Authorisation>, Refusal> {
        self.ask(|to| Call::FindByAttempt(attempt_id, to)).await
    }

    pub(in crate::simulated_provider) async fn find_by_reference(
        &self,
        reference: Uuid,
    ) -> Result<Authorisation, Refusal> {
        self.ask(|to| Call::FindByReference(reference, to)).await
    }

    /// At most `limit` authorisations after the first `skipped`, in the order of booking.
    pub(in crate::simulated_provider) async fn list(
        &self,
        skipped: usize,
        limit: usize,
    ) -> Result<Page, Refusal> {
        self.ask(|to| Call::List { skipped, limit, to }).await
    }

    pub(in crate::simulated_provider) async fn list_money_entries(
        &self,
    ) -> Result<Vec<Arc<Entry>>, Refusal> {
        self.ask(Call::ListMoneyEntries).await
    }

    /// Waits for a place in the queue, so a caller is slowed down rather than refused. How many can
    /// wait is bounded by the requests in flight.
    async fn ask<T>(
        &self,
        call: impl FnOnce(oneshot::Sender<Result<T, Refusal>>) -> Call,
    ) -> Result<T, Refusal> {
        let (to, answer) = oneshot::channel();
        self.queue.send(call(to)).await.map_err(|_| Refusal::BooksClosed)?;
        answer.await.unwrap_or(Err(Refusal::BooksClosed))
    }
}
