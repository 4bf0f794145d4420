//! How many are let in to a sale, and why no more, as operators see it.

use std::time::Duration;

use serde::Serialize;
use taquilla_engine::runtime::Regulated;
use taquilla_engine::waiting_room::line::Line;
use taquilla_engine::waiting_room::rate::Signals;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::instant::Instant;

/// The admission of an event's waiting room.
#[derive(Serialize, ToSchema)]
#[schema(as = AdmissionState)]
pub struct AdmissionView {
    event_id: Uuid,
    /// Admissions a second, decided once a second.
    rate_per_second: f64,
    /// What keeps it from being higher.
    #[schema(example = "holds")]
    limited_by: &'static str,
    /// The same in a sentence.
    why: &'static str,
    /// What it rests on.
    signals: SignalsView,
    /// An operator lets nobody new in.
    paused: bool,
    /// An operator's ceiling; null: as configured.
    ceiling_per_second: Option<f64>,
    /// Admission tokens of earlier rounds are worth nothing.
    round: i32,
    /// Places that there are, those given up among them.
    joined: u32,
    /// Positions below this have been called; 0 before the draw.
    served: u32,
    /// When it was decided.
    as_of: Instant,
}

/// What was measured of the last second.
#[derive(Serialize, ToSchema)]
#[schema(as = AdmissionSignals)]
pub struct SignalsView {
    /// Whether anything may be sold.
    sale_may_go_on: bool,
    /// Admissions alive of buyers who have not bought yet, and calls that may still be followed.
    active: u32,
    /// Of these, those called within 15 s who hold nothing yet.
    coming: u32,
    /// Whether anybody waits to be called.
    somebody_waits: bool,
    /// How many were called.
    let_in: u32,
    /// Holds that became durable.
    holds_per_second: f64,
    /// The part of the time that the event's lane was busy, 0 to 1.
    lane_busy: f64,
    /// What nine of ten commits did not exceed.
    commit_ms: f64,
    /// What nine of ten commands did not exceed in their wait for a decision.
    decision_ms: f64,
    /// Commands that were answered, and of these turned away.
    answered: u32,
    turned_away: u32,
    /// Holds alive.
    open_holds: u32,
    /// Payments under way in this process.
    payments_in_flight: u32,
    /// How long a payment takes of late, on average; 0 before the first.
    payment_ms: f64,
    /// Questions to the payment provider, and of these without a proper answer.
    provider_asked: u32,
    provider_failed: u32,
    /// Seats that can be had, and that are likely to come back from those who hold them.
    stock: u32,
}

impl AdmissionView {
    /// What was decided last.
    #[must_use]
    pub fn of(event_id: Uuid, regulated: &Regulated, line: &Line) -> Self {
        let Regulated { decided, signals, control, at } = regulated;
        Self {
            event_id,
            rate_per_second: decided.rate,
            limited_by: decided.limited_by.code(),
            why: decided.limited_by.sentence(),
            signals: SignalsView::of(signals),
            paused: control.paused,
            ceiling_per_second: control.ceiling,
            round: line.round(),
            joined: line.joined(),
            served: line.served(),
            as_of: Instant(*at),
        }
    }
}

impl SignalsView {
    fn of(signals: &Signals) -> Self {
        let Signals { sale, active, coming, somebody_waits, let_in, paused: _ } = signals;
        let ms = |duration: Duration| duration.as_secs_f64() * 1_000.0;
        Self {
            sale_may_go_on: sale.may_go_on,
            active: *active,
            coming: *coming,
            somebody_waits: *somebody_waits,
            let_in: *let_in,
            holds_per_second: sale.holds,
            lane_busy: sale.lane_busy,
            commit_ms: ms(sale.commit),
            decision_ms: ms(sale.wait),
            answered: sale.answered,
            turned_away: sale.turned_away,
            open_holds: sale.open_holds,
            payments_in_flight: sale.payments,
            payment_ms: ms(sale.payment),
            provider_asked: sale.provider_asked,
            provider_failed: sale.provider_failed,
            stock: sale.stock,
        }
    }
}
