//! One buyer at one event's room: where he stands, and what he is told of it. Whoever has been called and asks is
//! here, and whoever is inside and holds something may stay.

use std::mem::{self, Discriminant};
use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Outcome, PauseReason};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::Command;
use taquilla_engine::id::QueueTicketId;
use taquilla_engine::moment::Moment;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::{QueueError, RoomHandle};
use taquilla_engine::sale::SaleStatus;
use taquilla_engine::waiting_room::line::{Line, Standing};
use taquilla_engine::waiting_room::room::{PLACES_MAX, QueueRefusal};

use crate::admission::AdmissionTokens;
use crate::challenge::{Challenges, Purpose, Shown};
use crate::desk::{Desk, EventDesk, OWNER_WAIT_MAX, unexpected};
use crate::problem::{Problem, TooMany, outcome_unknown, overloaded, paused, refused};
use crate::strict::PathName;
use crate::views::{QueueTicketView, Told};
use crate::waiting_rooms::WaitingRooms;

/// As much of a place as tells that something about it is new: which place it is, how it stands, and the round of its
/// admission.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Glance(Option<u32>, Option<Discriminant<Standing>>, i32);

/// One buyer at one event's room.
pub(super) struct Visit {
    pub(super) event: EventDesk,
    pub(super) room: RoomHandle,
    line: Arc<Line>,
    pub(super) buyer: BuyerId,
}

impl Visit {
    pub(super) async fn begin(
        desk: &Desk,
        rooms: &WaitingRooms,
        event: &PathName,
        buyer: BuyerId,
    ) -> Result<Self, Problem> {
        let event = desk.event(&event.reference()?).await?;
        let room = rooms.of(&event).ok_or_else(Problem::not_found)?;
        let line = room.started(OWNER_WAIT_MAX).await.ok_or_else(starting)?;
        Ok(Self { event, room, line, buyer })
    }

    /// What his place is called, whether he has one or not.
    pub(super) fn ticket(&self) -> QueueTicketId {
        self.line.ticket(&self.buyer)
    }

    /// Where he stands; whoever has been called and asks is here.
    pub(super) async fn show(&self) -> Result<QueueTicketView, Problem> {
        let ticket = self.ticket();
        let mut number = self.line.number(ticket).ok_or_else(Problem::not_found)?;
        let mut standing = self.line.standing(number, self.event.handle.now());
        if let Standing::Called { .. } = standing {
            let came = self.room.come(&self.buyer, self.event.patience()).await;
            number = came.map_err(not_queued)?.number;
            standing = self.line.standing(number, self.event.handle.now());
        }
        if let Standing::Admitted { admission, .. } = standing {
            self.renew(admission.until).await?;
            standing = self.line.standing(number, self.event.handle.now());
        }
        let told = Told {
            line: &self.line,
            admission: self.room.admission(),
            opens_at: self.event.listed.summary.sale.opens_at,
            is_over: self.status().is_over(),
            now: self.event.handle.now(),
        };
        let view = QueueTicketView::of(ticket, number, standing, &told, rand::random());
        let Standing::Admitted { admission, .. } = standing else { return Ok(view) };
        Ok(view.with_token(self.tokens().sign(&self.buyer, admission), admission.until))
    }

    /// Where he stands, at a glance: nothing is told, and nothing comes of it.
    pub(super) fn glance(&self) -> Glance {
        let number = self.line.number(self.ticket());
        let now = self.event.handle.now();
        let standing = number.map(|number| self.line.standing(number, now));
        Glance(number, standing.as_ref().map(mem::discriminant), self.line.round())
    }

    /// Whether he may have a place: who has one needs no more work for it.
    pub(super) fn ask_for_work(
        &self,
        challenges: &Challenges,
        shown: &Shown,
    ) -> Result<(), Problem> {
        if self.has_place() {
            return Ok(());
        }
        let (ticket, now) = (self.ticket(), self.event.handle.now());
        let purpose = Purpose { ticket: ticket.uuid(), after: self.line.number(ticket) };
        challenges.check(shown, purpose, now)
    }

    /// Whether he has a place that he has neither lost nor given up.
    fn has_place(&self) -> bool {
        let Some(number) = self.line.number(self.ticket()) else { return false };
        match self.line.standing(number, self.event.handle.now()) {
            Standing::PreSale
            | Standing::Waiting { .. }
            | Standing::Called { .. }
            | Standing::Admitted { .. } => true,
            Standing::Expired { .. } | Standing::Left { .. } => false,
        }
    }

    /// Nobody is given a place in the line of a sale that is over; who has one may look at it.
    pub(super) fn refuse_if_over(&self) -> Result<(), Problem> {
        let (sale, status) = (&self.event.listed.summary.sale, self.status());
        if !status.is_over() || self.has_place() {
            return Ok(());
        }
        let refusal = Refusal::SaleNotOpen { opens_at: sale.opens_at, status };
        Err(refused(&refusal, &self.event.terms()))
    }

    fn status(&self) -> SaleStatus {
        self.event.listed.summary.sale.status(self.event.handle.now())
    }

    /// What the room's present owner says from now on.
    pub(super) fn look_again(&mut self) {
        if let Some(line) = self.room.line() {
            self.line = line;
        }
    }

    /// An admission of which less than half is left lasts longer while its buyer holds something.
    async fn renew(&self, until: Moment) -> Result<(), Problem> {
        let (now, whole) = (self.event.handle.now(), self.line.patience().admission);
        if until.since(now) > whole / 2 {
            return Ok(());
        }
        // Whoever is not given longer now asks again.
        let asked = self.event.decide(Command::ReadHolds { buyer: self.buyer.clone() }).await;
        let Ok(answer) = asked else { return Ok(()) };
        let Outcome::Holds(holds) = answer.outcome else { return Err(unexpected(&answer.outcome)) };
        if !holds.is_empty()
            && let Err(error) = self.room.renew(&self.buyer, self.event.patience()).await
        {
            tracing::debug!(?error, "an admission is not renewed");
        }
        Ok(())
    }

    fn tokens(&self) -> AdmissionTokens {
        AdmissionTokens::new(self.line.admission_key(), self.line.round())
    }
}

const DAY: Duration = Duration::from_secs(86_400);

/// Why a room did not do what it was asked.
pub(in crate::routes) fn not_queued(error: QueueError) -> Problem {
    match error {
        QueueError::Refused(QueueRefusal::NotFound) => Problem::not_found(),
        // A day later the sale is another one, mostly.
        QueueError::Refused(QueueRefusal::TooOften) => {
            let detail = "this buyer has given up or lost as many places in this line as one may";
            TooMany { by: "places", quota: PLACES_MAX, window: DAY, wait: DAY }.problem(detail)
        }
        QueueError::Refused(QueueRefusal::Full) | QueueError::Overloaded => overloaded(),
        QueueError::OutcomeUnknown => outcome_unknown(),
    }
}

/// The room has no owner yet.
pub(in crate::routes) fn starting() -> Problem {
    paused(PauseReason::Starting)
}
