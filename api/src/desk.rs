//! Where a handler takes a command to: finds the event, has the command decided, and makes a problem
//! of every answer that is a no.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRef;
use taquilla_engine::answer::{Answer, Outcome};
use taquilla_engine::command::Command;
use taquilla_engine::event::Terms;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::plan::Plan;
use taquilla_engine::runtime::{EventHandle, Node};
use taquilla_persistence::catalogue::{Catalogue, EventRecord, Reference};
use taquilla_persistence::database::DatabaseError;

use crate::app::Shared;
use crate::listings::Listings;
use crate::problem::{Problem, refused, store_unavailable, unanswered};

/// How long a request that is no command waits for an owner that is being made.
pub const OWNER_WAIT_MAX: Duration = Duration::from_secs(1);

/// The way from a request to an event.
#[derive(Clone)]
pub struct Desk {
    node: Arc<Node>,
    listings: Arc<Listings>,
    catalogue: Catalogue,
    patience: Duration,
}

impl FromRef<Shared> for Desk {
    fn from_ref(Shared(app): &Shared) -> Self {
        Self {
            node: Arc::clone(&app.node),
            listings: Arc::clone(&app.listings),
            catalogue: app.catalogue.clone(),
            patience: app.settings.decision_deadline,
        }
    }
}

/// One event: what buyers look at, and where it is decided.
pub struct EventDesk {
    /// As listed.
    pub listed: Arc<EventRecord>,
    /// Its owner.
    pub handle: EventHandle,
    patience: Duration,
}

impl Desk {
    /// The event of this id or slug.
    ///
    /// # Errors
    /// `not-found`; `purchases-paused` if it is not in memory and its row cannot be read; `overloaded`.
    pub async fn event(&self, event: &Reference) -> Result<EventDesk, Problem> {
        let listed = self.listings.find(&self.catalogue, event).await?;
        self.at(listed).await
    }

    /// The event of this number, as the ids of its things carry it.
    ///
    /// # Errors
    /// As [`Desk::event`].
    pub async fn numbered(&self, event: EventNumber) -> Result<EventDesk, Problem> {
        self.at(self.listings.numbered(event)).await
    }

    async fn at(&self, listed: Option<Arc<EventRecord>>) -> Result<EventDesk, Problem> {
        let listed = listed.ok_or_else(Problem::not_found)?;
        let event = listed.summary.id.event();
        let handle = match self.node.event(event) {
            Some(handle) => handle,
            None => self.open(event).await?,
        };
        Ok(EventDesk { listed, handle, patience: self.patience })
    }

    /// Takes over an event that is listed and not owned here yet: another process made it, or its terms
    /// could not be read when it was made.
    async fn open(&self, event: EventNumber) -> Result<EventHandle, Problem> {
        let _turn = self.listings.opening(event).await?;
        if let Some(handle) = self.node.event(event) {
            return Ok(handle);
        }
        let terms = self.catalogue.event_terms(event).await;
        let terms = terms.map_err(|error| store_unavailable(&error))?;
        Ok(self.node.open(terms.ok_or_else(Problem::not_found)?))
    }
}

impl EventDesk {
    /// How long a decision is waited for.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Has the command decided; the outcome is no refusal.
    ///
    /// # Errors
    /// The refusal, marked if it is a replay, or why there is no answer.
    pub async fn decide(&self, command: Command) -> Result<Answer, Problem> {
        let answer = self.handle.submit(command, self.patience).await;
        let answer = answer.map_err(|reason| unanswered(&reason, &self.terms()))?;
        match &answer.outcome {
            Outcome::Refused(refusal) => {
                Err(refused(refusal, &self.terms()).replayed(answer.replayed))
            }
            Outcome::Hold(_)
            | Outcome::Holds(_)
            | Outcome::Released
            | Outcome::Order { .. }
            | Outcome::Verdict(_)
            | Outcome::Refunded(_)
            | Outcome::Extension(_)
            | Outcome::Operated(_) => Ok(answer),
        }
    }

    /// The event's id.
    #[must_use]
    pub fn id(&self) -> EventId {
        self.listed.summary.id
    }

    /// The event as it was when this process took it over or it had its present plan, for what never changes:
    /// names of seats, sections and tiers, the currency, the fees. Prices, capacities and the sale may be
    /// others by now.
    #[must_use]
    pub fn terms(&self) -> Arc<Terms> {
        self.handle.terms()
    }

    /// Which seats and sections there are. As of [`EventDesk::terms`], capacities and prices may be
    /// others by now.
    #[must_use]
    pub fn plan(&self) -> Arc<Plan> {
        Arc::clone(&self.terms().plan)
    }
}

/// A command was answered by what answers another one: a bug.
pub fn unexpected(outcome: &Outcome) -> Problem {
    tracing::error!(outcome = outcome.code(), "a command has another one's outcome");
    Problem::internal()
}

/// What rows say of a thing that its owner does not know: they remember for longer.
///
/// # Errors
/// `unknown`, which is what the owner said, if rows do not know it either; any other problem as it is;
/// `purchases-paused` if rows cannot be read.
pub async fn in_rows<T>(
    unknown: Problem,
    row: impl Future<Output = Result<Option<T>, DatabaseError>>,
) -> Result<T, Problem> {
    if !unknown.is_not_found() {
        return Err(unknown);
    }
    row.await.map_err(|error| store_unavailable(&error))?.ok_or(unknown)
}
