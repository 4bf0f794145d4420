//! From the engine's word to a problem: one match over refusals, one over being left without one.

use taquilla_engine::answer::{PauseReason, Unanswered};
use taquilla_engine::event::Terms;
use taquilla_engine::refusal::Refusal;
use taquilla_persistence::database::DatabaseError;

use super::conflict::{conflicts_with_sales, terms_error};
use super::too_many::holds_dropped;
use super::{FormError, Problem, malformed, table};
use crate::instant::Instant;

/// A decided no. Seats and sections are named as `terms` name them.
#[must_use]
pub fn refused(refusal: &Refusal, terms: &Terms) -> Problem {
    match refusal {
        Refusal::NotFound => Problem::not_found(),
        Refusal::KeyReused => Problem::new(
            &table::IDEMPOTENCY_KEY_REUSED,
            "this Idempotency-Key was used for another request",
        ),
        Refusal::UnknownSeats(unknown) => {
            let error = |place: &String| FormError::at(place, no_such(place));
            malformed(unknown.iter().map(error).collect())
        }
        Refusal::PartTooLarge { has, .. } => {
            let detail = match has {
                1 => "this hold has 1 place there".to_owned(),
                has => format!("this hold has {has} places there"),
            };
            malformed(vec![FormError::at("?quantity", detail)])
        }
        Refusal::UnknownTickets(tickets) => {
            let error = |ticket| format!("the order has no ticket {ticket}");
            let errors = tickets.iter().map(error);
            malformed(errors.map(|detail| FormError::at("/tickets", detail)).collect())
        }
        Refusal::TermsInvalid(defects) => {
            malformed(defects.iter().map(|defect| terms_error(defect, terms)).collect())
        }
        Refusal::PurchasesPaused(why) => paused_by_operator(why),
        Refusal::ConflictsWithSales(conflict) => conflicts_with_sales(conflict, terms),
        Refusal::SaleNotOpen { opens_at, status } => {
            Problem::new(&table::SALE_NOT_OPEN, format!("the sale is {}", status.code()))
                .with("opens_at", Instant(*opens_at))
                .with("sale_status", status.code())
        }
        Refusal::AdmissionRequired => Problem::new(
            &table::ADMISSION_REQUIRED,
            "the sale has a waiting room, and this buyer is not admitted",
        ),
        Refusal::HoldsDropped { quota, window, wait } => holds_dropped(*quota, *window, *wait),
        Refusal::HoldNotActive(status) => {
            Problem::new(&table::HOLD_NOT_ACTIVE, format!("the hold is {}", status.code()))
                .with("hold_status", status.code())
        }
        Refusal::OrderNotCancellable => Problem::new(
            &table::ORDER_NOT_CANCELLABLE,
            "an order that is confirmed stays, and so do all items of a hold that has an order",
        ),
        Refusal::RefundNotPossible => Problem::new(
            &table::REFUND_NOT_POSSIBLE,
            "the order is not confirmed, or what is asked for has come back already",
        ),
        Refusal::BuyerLimitExceeded { limit, held } => Problem::new(
            &table::BUYER_LIMIT_EXCEEDED,
            format!("one buyer may have {limit} seats here, and this one has {held}"),
        )
        .with("limit", limit)
        .with("held", held),
        Refusal::SeatsUnavailable { seats, sections } => {
            let detail = "these seats or places cannot be had; nothing was taken";
            let problem = Problem::new(&table::SEATS_UNAVAILABLE, detail);
            let labels: Vec<_> = seats.iter().map(|seat| terms.plan.seat(*seat).label()).collect();
            let names: Vec<_> =
                sections.iter().map(|section| &terms.plan.section(*section).name).collect();
            match (labels.is_empty(), names.is_empty()) {
                (_, true) => problem.with("seats", labels),
                (true, false) => problem.with("sections", names),
                (false, false) => problem.with("seats", labels).with("sections", names),
            }
        }
    }
}

/// What the event does not have, by the place of the request that names it.
fn no_such(pointer: &str) -> &'static str {
    match pointer.rsplit(['/', '?']).next() {
        Some("tier") => "the event has no such tier",
        Some("section") if pointer.starts_with("/best_available") => {
            "the event has no such section with seats"
        }
        Some("section") => "the event has no such general section",
        Some(_) | None => "the event has no such seat",
    }
}

/// An operator has stopped all purchases of the site.
#[must_use]
pub fn paused_by_operator(why: &str) -> Problem {
    Problem::new(&table::PURCHASES_PAUSED, "nothing is sold at the moment").with("reason", why)
}

/// The reason that buyers are told once a reconciliation has closed new payments.
pub const RECONCILIATION_UNSAFE: &str = "reconciliation-unsafe";

/// A reconciliation has closed new payments.
#[must_use]
pub fn payments_closed() -> Problem {
    let detail = "no new payment is taken until the payment provider's records and ours agree";
    Problem::new(&table::PURCHASES_PAUSED, detail).with("reason", RECONCILIATION_UNSAFE)
}

/// No decision to report.
#[must_use]
pub fn unanswered(unanswered: &Unanswered, terms: &Terms) -> Problem {
    match unanswered {
        Unanswered::Overloaded | Unanswered::LineFull | Unanswered::HoldsFull => overloaded(),
        Unanswered::KeyInUse => {
            let detail = "many requests wait already for the first of this key to be decided";
            Problem::new(&table::IDEMPOTENCY_KEY_IN_USE, detail)
        }
        Unanswered::OutcomeUnknown => outcome_unknown(),
        Unanswered::PurchasesPaused(reason) => paused(*reason),
        Unanswered::Quarantined(sections) => {
            let names: Vec<_> =
                sections.iter().map(|section| &terms.plan.section(*section).name).collect();
            Problem::new(&table::PURCHASES_PAUSED, "these sections are being looked into")
                .with("reason", "section-quarantined")
                .with("sections", names)
        }
        Unanswered::Broken => Problem::internal(),
    }
}

/// Nothing is sold of this event.
#[must_use]
pub fn paused(reason: PauseReason) -> Problem {
    Problem::new(&table::PURCHASES_PAUSED, "nothing is sold at the moment")
        .with("reason", reason.code())
}

/// Turned away before anything was decided.
#[must_use]
pub fn overloaded() -> Problem {
    Problem::new(&table::OVERLOADED, "too much is asked at once; nothing was decided")
}

/// The rows could not be read or written, so the answer to a purchase cannot be learnt.
#[must_use]
pub fn outcome_unknown() -> Problem {
    Problem::new(
        &table::OUTCOME_UNKNOWN,
        "the outcome could not be learnt in time; repeat with the same key",
    )
}

/// What has just been written, read back. That it is written is known; if it cannot be read, the same
/// request tells it later.
///
/// # Errors
/// `outcome-unknown`. Logged here, since nobody further out knows more.
pub fn read_back<T>(read: Result<Option<T>, DatabaseError>) -> Result<T, Problem> {
    match read {
        Ok(Some(record)) => return Ok(record),
        Ok(None) => tracing::error!("a row that was written is not there"),
        Err(error) => {
            let source = std::error::Error::source(&error).map(tracing::field::display);
            tracing::warn!(%error, source, "a row that was written cannot be read back");
        }
    }
    Err(outcome_unknown())
}

/// Rows could not be read. Logged here, since nobody further out knows more.
#[must_use]
pub fn store_unavailable(error: &DatabaseError) -> Problem {
    if error.is_overload() {
        return overloaded();
    }
    if let DatabaseError::Broken(row) = error {
        tracing::error!(%row, "a row is not what this program writes");
        return Problem::internal();
    }
    let source = std::error::Error::source(error).map(tracing::field::display);
    tracing::warn!(%error, source, "the database does not answer");
    Problem::new(&table::PURCHASES_PAUSED, "the database does not answer at the moment")
        .with("reason", PauseReason::DatabaseUnavailable.code())
}
