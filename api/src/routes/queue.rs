//! The waiting room: joined, looked at, left; how far its line is; how its draw is checked.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRef, FromRequestParts, State};
use axum::http::header::CACHE_CONTROL;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use taquilla_engine::answer::{Outcome, PauseReason};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::Command;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::{QueueError, RoomHandle};
use taquilla_engine::waiting_room::admission::Admission;
use taquilla_engine::waiting_room::line::{Line, Standing};
use taquilla_engine::waiting_room::room::QueueRefusal;
use taquilla_persistence::waiting_room::Draws;

use super::answered::{PRIVATE, private};
use crate::admission::AdmissionTokens;
use crate::app::Shared;
use crate::auth::Buyer;
use crate::challenge::{Challenges, Purpose, Shown};
use crate::desk::{Desk, EventDesk, OWNER_WAIT_MAX};
use crate::draw::DrawProof;
use crate::forms::queue::{JoinsQueue, QueueForm};
use crate::problem::documented::{BuyerReadProblems, JoinQueueProblems, PublicReadProblems};
use crate::problem::{FormError, Problem, outcome_unknown, overloaded, paused, store_unavailable};
use crate::strict::PathName;
use crate::views::{NowServingView, QueueTicketView, Told};
use crate::waiting_rooms::WaitingRooms;

/// The header that shows an admission.
const ADMISSION_TOKEN: &str = "admission-token";

const FOR_A_SECOND: HeaderValue = HeaderValue::from_static("public, max-age=1");

/// One buyer at one event's door.
struct Visit {
    event: EventDesk,
    room: RoomHandle,
    line: Arc<Line>,
    buyer: BuyerId,
}

impl Visit {
    async fn begin(
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

    /// Where he stands; whoever has been called and asks is here.
    async fn show(&self) -> Result<QueueTicketView, Problem> {
        let ticket = self.line.ticket(&self.buyer);
        let mut number = self.line.number(ticket).ok_or_else(Problem::not_found)?;
        let mut standing = self.line.standing(number, self.event.handle.now());
        if let Standing::Called { .. } = standing {
            let came = self.room.come(&self.buyer, self.event.patience()).await;
            number = came.map_err(not_queued)?.number;
            standing = self.line.standing(number, self.event.handle.now());
        }
        if let Standing::Admitted { admission, .. } = standing {
            self.renew(number, admission.until).await;
            standing = self.line.standing(number, self.event.handle.now());
        }
        let told = Told {
            line: &self.line,
            admission: self.room.admission(),
            opens_at: self.event.listed.summary.sale.opens_at,
            now: self.event.handle.now(),
            spread: rand::random(),
        };
        let view = QueueTicketView::of(ticket, number, standing, &told);
        let Standing::Admitted { admission, .. } = standing else { return Ok(view) };
        Ok(view.with_token(self.tokens().sign(&self.buyer, admission), admission.until))
    }

    /// Whether he may have a place: who has one needs no more work for it.
    fn ask_for_work(&self, challenges: &Challenges, shown: &Shown) -> Result<(), Problem> {
        let (ticket, now) = (self.line.ticket(&self.buyer), self.event.handle.now());
        let after = self.line.number(ticket);
        let has_place = |number| match self.line.standing(number, now) {
            Standing::PreSale
            | Standing::Waiting { .. }
            | Standing::Called { .. }
            | Standing::Admitted { .. } => true,
            Standing::Expired { .. } | Standing::Left { .. } => false,
        };
        if after.is_some_and(has_place) {
            return Ok(());
        }
        challenges.check(shown, Purpose { ticket: ticket.uuid(), after }, now)
    }

    /// An admission of which less than half is left lasts longer while its buyer holds something.
    async fn renew(&self, number: u32, until: Moment) {
        let (now, whole) = (self.event.handle.now(), self.line.patience().admission);
        if until.since(now) > whole / 2 {
            return;
        }
        let asked = self.event.decide(Command::ReadHolds { buyer: self.buyer.clone() }).await;
        let holds = match asked.map(|answer| answer.outcome) {
            Ok(Outcome::Holds(holds)) => !holds.is_empty(),
            Ok(_) | Err(_) => false,
        };
        if holds {
            self.line.extend(number, now, now + whole);
        }
    }

    fn tokens(&self) -> AdmissionTokens {
        AdmissionTokens::new(self.line.admission_key(), self.line.round())
    }
}

/// The admission token that a request shows, unread.
pub(super) struct AdmissionShown {
    rooms: Arc<WaitingRooms>,
    token: Option<String>,
}

impl FromRequestParts<Shared> for AdmissionShown {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Infallible> {
        let mut shown = parts.headers.get_all(ADMISSION_TOKEN).iter();
        let token = match (shown.next(), shown.next()) {
            (Some(token), None) => token.to_str().ok().map(str::to_owned),
            (Some(_), Some(_)) | (None, _) => None,
        };
        Ok(Self { rooms: FromRef::from_ref(state), token })
    }
}

impl AdmissionShown {
    /// What it is worth at this event, to this buyer; nothing where the sale has no waiting room.
    pub(super) async fn at(&self, event: &EventDesk, buyer: &BuyerId) -> Option<Admission> {
        let token = self.token.as_deref()?;
        let line = self.rooms.of(event)?.started(OWNER_WAIT_MAX).await?;
        AdmissionTokens::new(line.admission_key(), line.round()).read(buyer, token)
    }
}

/// Joins the line, once a buyer.
#[utoipa::path(
    post,
    path = "/events/{event_id}/queue",
    tag = "waiting room",
    security(("bearer" = [])),
    params(("event_id" = String, Path, description = "Id or slug")),
    request_body = Option<QueueForm>,
    responses(
        (status = 201, body = QueueTicketView),
        (status = 200, body = QueueTicketView, description = "The caller had joined already"),
        JoinQueueProblems
    )
)]
pub(super) async fn join_queue(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    State(challenges): State<Option<Arc<Challenges>>>,
    Buyer(buyer): Buyer,
    event: PathName,
    JoinsQueue(form): JoinsQueue,
) -> Result<Response, Problem> {
    let read = |challenges| {
        let shown = Shown::read(form.challenge_response.as_deref())?;
        Ok::<_, FormError>((challenges, shown))
    };
    let work = challenges.map(read).transpose()?;
    let visit = Visit::begin(&desk, &rooms, &event, buyer).await?;
    if let Some((challenges, shown)) = work {
        visit.ask_for_work(&challenges, &shown)?;
    }
    let joined = visit.room.join(&visit.buyer, visit.event.patience()).await.map_err(not_queued)?;
    let status = if joined.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, [PRIVATE], Json(visit.show().await?)).into_response())
}

/// Where the caller stands.
#[utoipa::path(
    get,
    path = "/events/{event_id}/queue",
    tag = "waiting room",
    security(("bearer" = [])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = QueueTicketView), BuyerReadProblems)
)]
pub(super) async fn show_place(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    Buyer(buyer): Buyer,
    event: PathName,
) -> Result<Response, Problem> {
    let visit = Visit::begin(&desk, &rooms, &event, buyer).await?;
    Ok(private(visit.show().await?))
}

/// Gives the caller's place up.
#[utoipa::path(
    delete,
    path = "/events/{event_id}/queue",
    tag = "waiting room",
    security(("bearer" = [])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 204), BuyerReadProblems)
)]
pub(super) async fn leave_queue(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    Buyer(buyer): Buyer,
    event: PathName,
) -> Result<StatusCode, Problem> {
    let visit = Visit::begin(&desk, &rooms, &event, buyer).await?;
    visit.room.leave(&visit.buyer, visit.event.patience()).await.map_err(not_queued)?;
    Ok(StatusCode::NO_CONTENT)
}

/// How far the line is, for everybody and for a second.
#[utoipa::path(
    get,
    path = "/events/{event_id}/queue/now-serving",
    tag = "waiting room",
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = NowServingView), PublicReadProblems)
)]
pub(super) async fn show_now_serving(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    event: PathName,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let room = rooms.of(&event).ok_or_else(Problem::not_found)?;
    let summary = &event.listed.summary;
    let (line, now) = (room.line(), event.handle.now());
    let view = NowServingView::of(summary.id.uuid(), line.as_deref(), summary.sale.opens_at, now);
    Ok(([(CACHE_CONTROL, FOR_A_SECOND)], Json(view)).into_response())
}

/// What anybody needs to compute every position again.
#[utoipa::path(
    get,
    path = "/events/{event_id}/queue/proof",
    tag = "waiting room",
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = DrawProof), PublicReadProblems)
)]
pub(super) async fn show_proof(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    State(draws): State<Draws>,
    event: PathName,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let room = rooms.of(&event).ok_or_else(Problem::not_found)?;
    room.started(OWNER_WAIT_MAX).await;
    let id = event.listed.summary.id;
    let draw = draws.published(id).await.map_err(|error| store_unavailable(&error))?;
    let draw = draw.ok_or_else(starting)?;
    let view = DrawProof::of(id, draw);
    Ok(([(CACHE_CONTROL, FOR_A_SECOND)], Json(view)).into_response())
}

fn not_queued(error: QueueError) -> Problem {
    match error {
        QueueError::Refused(QueueRefusal::NotFound) => Problem::not_found(),
        QueueError::Refused(QueueRefusal::Full) | QueueError::Overloaded => overloaded(),
        QueueError::OutcomeUnknown => outcome_unknown(),
    }
}

/// The room has no owner yet.
fn starting() -> Problem {
    paused(PauseReason::Starting)
}
