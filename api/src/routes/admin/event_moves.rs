//! An event moved to a later version of its hall's plan.
//!
//! Not its lane does this, but a transaction that shuts the lane out; its owner is then made anew. Commands meanwhile
//! wait for it, or learn that they do not know.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::id::{EventNumber, PlanId};
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::Node;
use taquilla_engine::sale::SaleStatus;
use taquilla_persistence::catalogue::{Catalogue, EventMove, EventRecord, Moved, Reference};
use taquilla_persistence::operator_action::OperatorAction;
use tokio::time::{Instant, sleep};

use super::{deed, not_written};
use crate::auth::Operator;
use crate::desk::EventDesk;
use crate::forms::event_move::EventMoveForm;
use crate::listings::Listings;
use crate::problem::{Problem, overloaded, plan_in_the_way, read_back, refused, store_unavailable};
use crate::views::OperatorsEventView;

/// A hold that is over is written down as such within so long.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// Two operators at once are two too many.
const TRIES: usize = 3;

/// What a move needs.
pub(super) struct Mover<'a> {
    pub(super) node: &'a Node,
    pub(super) catalogue: &'a Catalogue,
    pub(super) listings: &'a Listings,
    pub(super) event: &'a EventDesk,
}

impl Mover<'_> {
    /// Moves the event, and shows it as it is then. One that has the plan already is left as it is.
    pub(super) async fn carry_out(
        &self,
        form: &EventMoveForm<'_>,
        operator: Operator,
        why: &str,
    ) -> Result<OperatorsEventView, Problem> {
        let action = OperatorAction { why: why.to_owned(), ..deed(operator) };
        for _ in 0..TRIES {
            let listed = self.listed().await?;
            let to = match self.destination(form, &listed).await {
                Ok(Some(to)) => to,
                Ok(None) => return self.shown(PlanId(listed.summary.plan)).await,
                // What was looked at may have been two events: as it was before another's move, and after it.
                Err(_) if self.listed().await?.summary.plan != listed.summary.plan => continue,
                Err(problem) => return Err(problem),
            };
            if self.moved(&to, &action).await? {
                return self.shown(to.to).await;
            }
        }
        Err(overloaded())
    }

    /// As its row is now.
    async fn listed(&self) -> Result<Arc<EventRecord>, Problem> {
        let name = Reference::Id(self.event.id().uuid());
        let listed = self.listings.read(self.catalogue, &name).await;
        listed.map_err(|error| store_unavailable(&error))?.ok_or_else(Problem::not_found)
    }

    /// None, if it is there.
    async fn destination(
        &self,
        form: &EventMoveForm<'_>,
        listed: &EventRecord,
    ) -> Result<Option<EventMove>, Problem> {
        let summary = &listed.summary;
        let plans = self.catalogue.venue_plans(&Reference::Id(summary.venue.id)).await;
        let plan = form.plan(plans.map_err(|error| store_unavailable(&error))?, listed)?;
        if plan.id == summary.plan {
            return Ok(None);
        }
        let sold = self.catalogue.section_tiers(summary.id.event()).await;
        let to = form.to(&plan, listed, &sold.map_err(|error| store_unavailable(&error))?)?;
        if summary.sale.cancelled {
            let opens_at = summary.sale.opens_at;
            let refusal = Refusal::SaleNotOpen { opens_at, status: SaleStatus::Cancelled };
            return Err(refused(&refusal, &self.event.terms()));
        }
        Ok(Some(to))
    }

    /// Whether it stands; not, if the event is another by now than was looked at.
    async fn moved(&self, to: &EventMove, action: &OperatorAction) -> Result<bool, Problem> {
        let until = Instant::now() + self.event.patience();
        loop {
            let mut reopening = Reopening { node: self.node, event: to.event, is_due: true };
            match self.catalogue.move_event(to, action).await.map_err(not_written)? {
                Moved::Done => return Ok(true),
                Moved::HasChanged => {
                    reopening.is_due = false;
                    return Ok(false);
                }
                Moved::Refused(in_the_way) => {
                    reopening.is_due = false;
                    if !in_the_way.overdue || Instant::now() + BETWEEN_LOOKS > until {
                        return Err(plan_in_the_way(&in_the_way));
                    }
                    sleep(BETWEEN_LOOKS).await;
                }
            }
        }
    }

    async fn shown(&self, plan: PlanId) -> Result<OperatorsEventView, Problem> {
        let handle = &self.event.handle;
        if !handle.has_plan(plan, self.event.patience()).await {
            tracing::warn!(event = ?self.event.id(), "an event that was moved has no owner yet");
        }
        let name = Reference::Id(self.event.id().uuid());
        let listed = read_back(self.listings.read(self.catalogue, &name).await)?;
        let at = listed.summary.as_of;
        Ok(OperatorsEventView::of(&listed, Some(&handle.availability()), at, handle.now()))
    }
}

/// Has the event's owner read its rows again, whatever becomes of whoever asked: unless it is certain that nothing
/// was written.
struct Reopening<'a> {
    node: &'a Node,
    event: EventNumber,
    is_due: bool,
}

impl Drop for Reopening<'_> {
    fn drop(&mut self) {
        if self.is_due {
            self.node.reopen(self.event);
        }
    }
}
