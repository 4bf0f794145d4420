//! Where a handler takes a command to: finds the event, has the command decided, and makes a problem
//! of every answer that is a no.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRef;
use taquilla_engine::answer::{Answer, Outcome};
use taquilla_engine::command::Command;
use taquilla_engine::event::Terms;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::runtime::{EventHandle, Node};
use taquilla_persistence::catalogue::{Catalogue, EventRecord, Reference};

use crate::app::App;
use crate::listings::Listings;
use crate::problem::{Problem, refused, store_unavailable, unanswered};

/// The way from a request to an event.
#[derive(Clone)]
pub struct Desk {
    node: Arc<Node>,
    listings: Arc<Listings>,
    catalogue: Catalogue,
    patience: Duration,
}

impl FromRef<App> for Desk {
    fn from_ref(app: &App) -> Self {
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
    /// `not-found`; `purchases-paused` if it is not in memory and its row cannot be read.
    pub async fn event(&self, event: &Reference) -> Result<EventDesk, Problem> {
        let listed = self.listings.find(&self.catalogue, event).await;
        let listed = listed.map_err(|error| store_unavailable(&error))?;
        self.at(listed)
    }

    /// The event of this number, as the ids of its things carry it.
    ///
    /// # Errors
    /// `not-found`.
    pub fn numbered(&self, event: EventNumber) -> Result<EventDesk, Problem> {
        self.at(self.listings.numbered(event))
    }

    fn at(&self, listed: Option<Arc<EventRecord>>) -> Result<EventDesk, Problem> {
        let listed = listed.ok_or_else(Problem::not_found)?;
        let handle = self.node.event(listed.summary.id.event()).ok_or_else(Problem::not_found)?;
        Ok(EventDesk { listed, handle, patience: self.patience })
    }
}

impl EventDesk {
    /// Has the command decided; the outcome is no refusal.
    ///
    /// # Errors
    /// The refusal, marked if it is a replay, or why there is no answer.
    pub async fn decide(&self, command: Command) -> Result<Answer, Problem> {
        let answer = self.handle.submit(command, self.patience).await;
        let answer = answer.map_err(|reason| unanswered(&reason, self.terms()))?;
        match &answer.outcome {
            Outcome::Refused(refusal) => {
                Err(refused(refusal, self.terms()).replayed(answer.replayed))
            }
            Outcome::Hold(_)
            | Outcome::Holds(_)
            | Outcome::Released
            | Outcome::Order { .. }
            | Outcome::Verdict(_)
            | Outcome::Operated(_) => Ok(answer),
        }
    }

    /// The event's id.
    #[must_use]
    pub fn id(&self) -> EventId {
        self.listed.summary.id
    }

    /// What the event is and how it sells.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        self.handle.terms()
    }
}
