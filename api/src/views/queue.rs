//! A place in the line, and the line, as buyers see them.

use std::time::Duration;

use serde::Serialize;
use taquilla_engine::id::QueueTicketId;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::Regulated;
use taquilla_engine::waiting_room::line::{Line, Standing};
use taquilla_engine::waiting_room::rate::{Decided, LimitedBy};
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

/// How far the line is, for everybody: whoever knows his position needs no other answer until it is near.
#[derive(Serialize, ToSchema)]
#[schema(as = NowServing)]
pub struct NowServingView {
    event_id: Uuid,
    /// `pre_sale`, `open`, `stopped` (nobody is let in at the moment) or `sold_out` (nothing is left, but for what
    /// is held and likely to be bought).
    #[schema(example = "open")]
    state: &'static str,
    /// Positions below this have been called; null before the draw.
    served: Option<u32>,
    /// Places that there are, those given up among them.
    joined: u32,
    /// How fast the line has moved of late; null before anybody was let in.
    pace_per_second: Option<f64>,
    opens_at: Instant,
    /// The server's time.
    as_of: Instant,
}

/// What is told of a line, and of places in it.
pub struct Told<'a> {
    /// The line; none before its first owner.
    pub line: Option<&'a Line>,
    /// How many are let in, and why no more.
    pub admission: Option<Regulated>,
    /// When the sale opens.
    pub opens_at: Moment,
    /// The server's time.
    pub now: Moment,
}

/// Seats that one who is admitted buys, about.
const SEATS_A_BUYER: u32 = 2;
const POLL_MIN: Duration = Duration::from_secs(2);
const POLL_MAX: Duration = Duration::from_secs(60);

impl QueueTicketView {
    /// Of this place. `spread`, from 0 to 1, keeps those apart who would ask again at once.
    #[must_use]
    pub fn of(
        ticket: QueueTicketId,
        number: u32,
        standing: Standing,
        told: &Told<'_>,
        spread: f64,
    ) -> Self {
        let (state, position, ahead) = match standing {
            Standing::PreSale => ("pre_sale", None, None),
            Standing::Waiting { position, ahead } => ("waiting", Some(position), Some(ahead)),
            Standing::Called { position, .. } => ("waiting", Some(position), Some(0)),
            Standing::Admitted { position, .. } => ("admitted", Some(position), Some(0)),
            Standing::Expired { position } => ("expired", Some(position), Some(0)),
            Standing::Left { position } => ("left", position, None),
        };
        let outlook = told.outlook(ahead);
        let (eta_seconds, eta_reason) = told.eta(standing, outlook);
        Self {
            ticket_id: ticket.uuid(),
            index: number,
            state,
            position,
            ahead,
            eta_seconds,
            eta_reason,
            outlook,
            poll_after_ms: told.poll_after(standing, eta_seconds, spread),
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

    /// `pre_sale`, `waiting`, `admitted`, `expired` or `left`.
    #[must_use]
    pub fn state(&self) -> &'static str {
        self.state
    }

    /// When it is worth asking again.
    #[must_use]
    pub fn poll_after(&self) -> Duration {
        Duration::from_millis(self.poll_after_ms)
    }
}

impl Told<'_> {
    /// From half as fast to half as slow again as the line has moved of late.
    fn eta(&self, standing: Standing, outlook: &str) -> (Option<EtaView>, Option<&'static str>) {
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
        let sold_out = (outlook == "unlikely").then_some("sold out is likely");
        let why = sold_out.or_else(|| slower(self.admission?.decided.limited_by));
        match self.line.and_then(Line::pace).filter(|pace| *pace > 0.0) {
            None => (None, why.or(Some(NOBODY))),
            Some(pace) => {
                let seconds = |factor: f64| (ahead / pace * factor).ceil() as u64;
                (Some(EtaView { low: seconds(0.66), high: seconds(1.5) + 1 }), why)
            }
        }
    }

    /// `ahead`: null before the draw, when anybody may be the first.
    fn outlook(&self, ahead: Option<u32>) -> &'static str {
        let Some(signals) = self.admission.map(|it| it.signals) else { return "uncertain" };
        let stock = signals.sale.stock;
        let joined = self.line.map_or(0, Line::joined);
        let before = ahead.unwrap_or(joined).saturating_add(signals.active);
        let wanted = before.saturating_mul(SEATS_A_BUYER);
        // Each before this one takes one at least.
        if stock == 0 || ahead.is_some() && before > stock {
            "unlikely"
        } else if wanted > stock {
            "uncertain"
        } else {
            "good"
        }
    }

    /// A tenth of what is left to wait, spread by a fifth: who stands far behind asks seldom.
    fn poll_after(&self, standing: Standing, eta: Option<EtaView>, spread: f64) -> u64 {
        let left = match standing {
            Standing::PreSale => self.opens_at.since(self.now),
            Standing::Waiting { .. } => {
                eta.map_or(POLL_MAX * 10, |eta| Duration::from_secs(eta.low))
            }
            Standing::Called { .. } => Duration::ZERO,
            Standing::Admitted { .. } | Standing::Expired { .. } | Standing::Left { .. } => {
                POLL_MAX * 10
            }
        };
        let pause = (left / 10).clamp(POLL_MIN, POLL_MAX);
        let spread = pause.mul_f64(0.9 + 0.2 * spread.clamp(0.0, 1.0));
        u64::try_from(spread.as_millis()).unwrap_or(u64::MAX)
    }
}

const NOBODY: &str = "nobody is let in at the moment";

/// Why a wait may grow, in words for whoever waits; none where it does not.
fn slower(limited_by: LimitedBy) -> Option<&'static str> {
    match limited_by {
        LimitedBy::NotOpen | LimitedBy::Stopped | LimitedBy::Paused => Some(NOBODY),
        LimitedBy::Stock => Some("nothing is left, but for what others hold and may not buy"),
        LimitedBy::Active | LimitedBy::OpenHolds => {
            Some("as many are buying as can be served; others follow as they finish")
        }
        LimitedBy::Payments | LimitedBy::ProviderErrors => Some("payments take longer than usual"),
        LimitedBy::Holds
        | LimitedBy::CommitLatency
        | LimitedBy::DecisionLatency
        | LimitedBy::TurnedAway => Some("fewer are let in, so that all who are in can be served"),
        LimitedBy::Ceiling | LimitedBy::Growth => None,
    }
}

impl NowServingView {
    /// Of this event's line.
    #[must_use]
    pub fn of(event_id: Uuid, told: &Told<'_>) -> Self {
        let drawn = told.line.filter(|line| line.draw().is_some());
        let state = match (drawn, told.admission.map(|it| it.decided)) {
            (None, _) => "pre_sale",
            (Some(_), Some(Decided { limited_by: LimitedBy::Stock, .. })) => "sold_out",
            (Some(_), Some(Decided { rate, .. })) if rate > 0.0 => "open",
            (Some(_), Some(_) | None) => "stopped",
        };
        Self {
            event_id,
            state,
            served: drawn.map(Line::served),
            joined: told.line.map_or(0, Line::joined),
            pace_per_second: told.line.and_then(Line::pace),
            opens_at: Instant(told.opens_at),
            as_of: Instant(told.now),
        }
    }
}
