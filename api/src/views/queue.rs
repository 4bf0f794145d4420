//! A place in the line, and the line, as buyers see them.

use std::time::Duration;

use serde::Serialize;
use taquilla_engine::id::QueueTicketId;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::Regulated;
use taquilla_engine::waiting_room::line::{Line, Standing};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::instant::Instant;

/// A place in a waiting room's line.
#[derive(Serialize, ToSchema)]
#[schema(as = QueueTicket)]
pub struct QueueTicketView {
    ticket_id: Uuid,
    /// Counted from 0 in the order of joining.
    index: u32,
    /// `pre_sale`, `waiting`, `admitted`, `expired` or `left`.
    #[schema(example = "waiting")]
    state: &'static str,
    /// From 0; null before the draw, then fixed.
    position: Option<u32>,
    /// How many positions before this one have not been called.
    ahead: Option<u32>,
    /// How long it is likely to take.
    eta_seconds: Option<EtaView>,
    /// Why there is no such estimate, or why it may grow.
    #[serde(skip_serializing_if = "Option::is_none")]
    eta_reason: Option<&'static str>,
    /// Whether something is likely to be left: `good`, `uncertain` or `unlikely`.
    #[schema(example = "good")]
    outlook: &'static str,
    /// Ask again after so long.
    poll_after_ms: u64,
    /// The server's time.
    as_of: Instant,
    /// Goes into the header `Admission-Token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    admission_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    admission_expires_at: Option<Instant>,
}

/// A range of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = QueueEta)]
pub struct EtaView {
    low: u64,
    high: u64,
}

/// How far the line is.
#[derive(Serialize, ToSchema)]
#[schema(as = NowServing)]
pub struct NowServingView {
    event_id: Uuid,
    /// Positions below this have been called; null before the draw.
    served: Option<u32>,
    /// Places that there are, those given up among them.
    joined: u32,
    opens_at: Instant,
    /// The server's time.
    as_of: Instant,
}

/// What is told of a place besides where it is.
pub struct Told<'a> {
    /// The line.
    pub line: &'a Line,
    /// How many are let in, and why no more.
    pub admission: Option<Regulated>,
    /// When the sale opens.
    pub opens_at: Moment,
    /// The server's time.
    pub now: Moment,
    /// A number below 1 that spreads those who ask.
    pub spread: f64,
}

/// Seats that one who is admitted buys, about.
const SEATS_A_BUYER: u32 = 2;
const POLL_MIN: Duration = Duration::from_secs(2);
const POLL_MAX: Duration = Duration::from_secs(60);

impl QueueTicketView {
    /// Of this place.
    #[must_use]
    pub fn of(ticket: QueueTicketId, number: u32, standing: Standing, told: &Told<'_>) -> Self {
        let (state, position, ahead) = match standing {
            Standing::PreSale => ("pre_sale", None, None),
            Standing::Waiting { position, ahead } => ("waiting", Some(position), Some(ahead)),
            Standing::Called { position, .. } => ("waiting", Some(position), Some(0)),
            Standing::Admitted { position, .. } => ("admitted", Some(position), Some(0)),
            Standing::Expired { position } => ("expired", Some(position), Some(0)),
            Standing::Left { position } => ("left", position, None),
        };
        let (eta_seconds, eta_reason) = told.eta(standing);
        Self {
            ticket_id: ticket.uuid(),
            index: number,
            state,
            position,
            ahead,
            eta_seconds,
            eta_reason,
            outlook: told.outlook(ahead.unwrap_or(0)),
            poll_after_ms: told.poll_after(standing, eta_seconds),
            as_of: Instant(told.now),
            admission_token: None,
            admission_expires_at: None,
        }
    }

    /// The same, with the token of its admission.
    #[must_use]
    pub fn with_token(mut self, token: String, until: Moment) -> Self {
        self.admission_token = Some(token);
        self.admission_expires_at = Some(Instant(until));
        self
    }
}

impl Told<'_> {
    /// From half as fast to half as slow again as the line has moved of late.
    fn eta(&self, standing: Standing) -> (Option<EtaView>, Option<&'static str>) {
        let ahead = match standing {
            Standing::PreSale => {
                let left = self.opens_at.since(self.now).as_secs();
                return (None, (left > 0).then_some("positions are drawn when the sale opens"));
            }
            Standing::Waiting { ahead, .. } => f64::from(ahead),
            Standing::Called { .. }
            | Standing::Admitted { .. }
            | Standing::Expired { .. }
            | Standing::Left { .. } => return (None, None),
        };
        let is_slow = self.admission.is_some_and(|it| it.decided.rate <= 0.0);
        match self.line.pace().filter(|pace| *pace > 0.0) {
            None => (None, Some("nobody is let in at the moment")),
            Some(pace) => {
                let seconds = |factor: f64| (ahead / pace * factor).ceil() as u64;
                let eta = EtaView { low: seconds(0.66), high: seconds(1.5) + 1 };
                (Some(eta), is_slow.then_some("nobody is let in at the moment"))
            }
        }
    }

    fn outlook(&self, ahead: u32) -> &'static str {
        let Some(stock) = self.admission.map(|it| it.signals.sale.stock) else {
            return "uncertain";
        };
        let wanted = ahead.saturating_mul(SEATS_A_BUYER);
        if stock == 0 || ahead > stock {
            "unlikely"
        } else if wanted > stock {
            "uncertain"
        } else {
            "good"
        }
    }

    /// A tenth of what is left to wait, spread by a fifth: who stands far behind asks seldom.
    fn poll_after(&self, standing: Standing, eta: Option<EtaView>) -> u64 {
        let left = match standing {
            Standing::PreSale => self.opens_at.since(self.now),
            Standing::Waiting { .. } => eta.map_or(POLL_MAX, |eta| Duration::from_secs(eta.low)),
            Standing::Called { .. } => Duration::ZERO,
            Standing::Admitted { .. } | Standing::Expired { .. } | Standing::Left { .. } => {
                POLL_MAX * 10
            }
        };
        let pause = (left / 10).clamp(POLL_MIN, POLL_MAX);
        let spread = pause.mul_f64(0.9 + 0.2 * self.spread.clamp(0.0, 1.0));
        u64::try_from(spread.as_millis()).unwrap_or(u64::MAX)
    }
}

impl NowServingView {
    /// Of this event's line; none before its first owner.
    #[must_use]
    pub fn of(event_id: Uuid, line: Option<&Line>, opens_at: Moment, now: Moment) -> Self {
        let drawn = line.filter(|line| line.draw().is_some());
        Self {
            event_id,
            served: drawn.map(Line::served),
            joined: line.map_or(0, Line::joined),
            opens_at: Instant(opens_at),
            as_of: Instant(now),
        }
    }
}
