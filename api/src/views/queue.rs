//! A place in the line, and the line, as buyers see them.

mod words;

use std::time::Duration;

use serde::Serialize;
use taquilla_engine::id::QueueTicketId;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::Regulated;
use taquilla_engine::waiting_room::line::{Line, Patience, Standing};
use taquilla_engine::waiting_room::rate::{Decided, LimitedBy};
use utoipa::ToSchema;
use uuid::Uuid;

pub use self::words::{Outlook, PlaceState};
use crate::instant::Instant;

/// A place in a waiting room's line.
#[derive(Serialize, ToSchema)]
#[schema(as = QueueTicket)]
pub struct QueueTicketView {
    ticket_id: Uuid,
    /// Counted from 0 in the order of joining.
    index: u32,
    /// `pre_sale`, `waiting`, `admitted`, `expired` or `left`.
    #[schema(value_type = String, example = "waiting")]
    state: PlaceState,
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
    #[schema(value_type = String, example = "good")]
    outlook: Outlook,
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
    /// `pre_sale`, `open`, `stopped` (nobody is let in at the moment), `sold_out` (nothing is left, but for what is
    /// held and likely to be bought) or `over`.
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
    /// The line.
    pub line: &'a Line,
    /// How many are let in, and why no more.
    pub admission: Option<Regulated>,
    /// When the sale opens.
    pub opens_at: Moment,
    /// Nothing is sold any more.
    pub is_over: bool,
    /// The server's time.
    pub now: Moment,
}

/// Seats that one who is admitted buys, about.
const SEATS_A_BUYER: u32 = 2;
const POLL_MIN: Duration = Duration::from_secs(2);
const POLL_MAX: Duration = Duration::from_secs(60);
/// However short the grace is: a second is how often the line moves.
const POLL_LEAST: Duration = Duration::from_secs(1);

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
        let (position, ahead) = match standing {
            Standing::PreSale => (None, None),
            Standing::Waiting { position, ahead } => (Some(position), Some(ahead)),
            Standing::Called { position, .. }
            | Standing::Admitted { position, .. }
            | Standing::Expired { position } => (Some(position), Some(0)),
            Standing::Left { position } => (position, None),
        };
        let outlook = told.outlook(ahead);
        let (eta_seconds, eta_reason) = told.eta(standing, outlook);
        Self {
            ticket_id: ticket.uuid(),
            index: number,
            state: standing.into(),
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

    /// Where he stands.
    #[must_use]
    pub fn state(&self) -> PlaceState {
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
    fn eta(&self, standing: Standing, outlook: Outlook) -> (Option<EtaView>, Option<&'static str>) {
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
        let sold_out = match outlook {
            Outlook::Good | Outlook::Uncertain => None,
            Outlook::Unlikely => Some("sold out is likely"),
        };
        if self.is_over {
            return (None, Some("the sale is over"));
        }
        let decided = self.admission.map(|it| it.decided);
        let why = sold_out.or_else(|| slower(decided?.limited_by));
        // Before anybody was called it is as fast as is meant; while nobody is let in, nothing can be said.
        let rate = decided.map_or(0.0, |it| it.rate);
        let pace = self.line.pace().filter(|pace| *pace > 0.0).unwrap_or(rate);
        match (pace > 0.0 && rate > 0.0).then_some(pace) {
            None => (None, why.or(Some(NOBODY))),
            Some(pace) => {
                let seconds = |factor: f64| (ahead / pace * factor).ceil() as u64;
                (Some(EtaView { low: seconds(0.66), high: seconds(1.5) + 1 }), why)
            }
        }
    }

    /// `ahead`: null before the draw, when anybody may be the first.
    fn outlook(&self, ahead: Option<u32>) -> Outlook {
        if self.is_over {
            return Outlook::Unlikely;
        }
        let Some(signals) = self.admission.map(|it| it.signals) else { return Outlook::Uncertain };
        let stock = signals.sale.stock;
        let before = ahead.unwrap_or(self.line.joined()).saturating_add(signals.active);
        let wanted = before.saturating_mul(SEATS_A_BUYER);
        // Each before this one takes one at least.
        if stock == 0 || ahead.is_some() && before > stock {
            Outlook::Unlikely
        } else if wanted > stock {
            Outlook::Uncertain
        } else {
            Outlook::Good
        }
    }

    /// A tenth of what is left to wait, spread by a fifth: who stands far behind asks seldom. But whoever obeys it
    /// is there within a third of his grace, though the line moves or the sale opens sooner than it seemed to; and
    /// once he is in he asks at least once while his admission may be renewed, which is in its second half.
    fn poll_after(&self, standing: Standing, eta: Option<EtaView>, spread: f64) -> u64 {
        let Patience { grace, admission } = self.line.patience();
        let far_off = POLL_MAX * 10;
        let (left, most) = match standing {
            Standing::PreSale => (self.opens_at.since(self.now), grace / 3),
            Standing::Waiting { .. } if self.is_over => (far_off, grace / 3),
            Standing::Waiting { ahead, .. } => {
                // Where nothing can be said, as if ten a second were let in: soon they may be.
                let unsaid = Duration::from_secs(u64::from(ahead / 10));
                (eta.map_or(unsaid, |eta| Duration::from_secs(eta.low)), grace / 3)
            }
            Standing::Called { .. } => (Duration::ZERO, grace / 3),
            Standing::Admitted { .. } => (far_off, admission / 4),
            Standing::Expired { .. } | Standing::Left { .. } => (far_off, POLL_MAX * 2),
        };
        // Spread, it is no longer than the most.
        let most = most.max(POLL_LEAST).div_f64(1.1);
        let pause = (left / 10).clamp(POLL_MIN.min(most), POLL_MAX.min(most));
        let pause = pause.mul_f64(0.9 + 0.2 * spread.clamp(0.0, 1.0)).max(POLL_LEAST);
        u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)
    }
}

const NOBODY: &str = "nobody is let in at the moment";

/// Why a wait may grow, in words for whoever waits; none where it does not.
fn slower(limited_by: LimitedBy) -> Option<&'static str> {
    match limited_by {
        LimitedBy::NotOpen => Some("the sale has just opened"),
        LimitedBy::Stopped | LimitedBy::Paused => Some(NOBODY),
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
        let drawn = told.line.draw().is_some();
        let state = match (drawn, told.admission.map(|it| it.decided)) {
            _ if told.is_over => "over",
            (false, _) => "pre_sale",
            // In the first second nothing has been decided yet.
            (true, Some(Decided { limited_by: LimitedBy::NotOpen, .. })) => "open",
            (true, Some(Decided { limited_by: LimitedBy::Stock, .. })) => "sold_out",
            (true, Some(Decided { rate, .. })) if rate > 0.0 => "open",
            (true, Some(_) | None) => "stopped",
        };
        Self {
            event_id,
            state,
            served: drawn.then(|| told.line.served()),
            joined: told.line.joined(),
            pace_per_second: told.line.pace(),
            opens_at: Instant(told.opens_at),
            as_of: Instant(told.now),
        }
    }
}
