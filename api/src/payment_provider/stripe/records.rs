//! Stripe's books, as reconciliation reads them.

use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::payment::ProviderRecord;
use uuid::Uuid;

use super::amount::from_stripe;
use super::client::{ATTEMPT_ID, ORDER_ID};
use super::intent::{IntentStatus, LatestCharge, PaymentIntent};

/// The record; none if it is of no money that we know.
pub(super) fn record(intent: &PaymentIntent) -> Option<ProviderRecord> {
    let id = |key| Uuid::parse_str(intent.metadata(key)?).ok();
    let money = |amount| from_stripe(amount, &intent.currency);
    let minor = |amount: Option<i64>| Some(money(amount.unwrap_or_default())?.amount);
    let charge = match &intent.latest_charge {
        Some(LatestCharge::Charge(charge)) => Some(charge),
        Some(LatestCharge::Id(_)) | None => None,
    };
    let asked: Money = money(intent.amount)?;
    let taken = intent.status == IntentStatus::Succeeded;
    let lapses = charge.and_then(|charge| charge.capture_before());
    Some(ProviderRecord {
        reference: intent.id.clone(),
        attempt: id(ATTEMPT_ID).and_then(AttemptId::parse),
        order: id(ORDER_ID).and_then(OrderId::parse),
        money: asked,
        is_reserved: intent.status == IntentStatus::RequiresCapture,
        lapses_at: lapses.map(seconds),
        captured: if taken { minor(intent.amount_received)? } else { 0 },
        refunded: minor(charge.and_then(|charge| charge.amount_refunded))?,
        // Stripe lists disputes apart, and tells of each by an event.
        charged_back: None,
        created_at: Some(seconds(intent.created)),
    })
}

fn seconds(at: i64) -> Moment {
    Moment(at.saturating_mul(1_000_000))
}
