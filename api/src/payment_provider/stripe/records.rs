//! Stripe's books, as reconciliation reads them.

use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::money::Money;
use taquilla_engine::payment::{ProviderRecord, UnreadableRecord};

use super::amount::from_stripe;
use super::client::{ATTEMPT_ID, ORDER_ID};
use super::intent::{Charge, IntentStatus, PaymentIntent};

/// The record; none if it is of no money that we know, which [`unreadable`] tells.
pub(super) fn record(intent: &PaymentIntent) -> Option<ProviderRecord> {
    let money = |amount| from_stripe(amount, &intent.currency);
    let minor = |amount| Some(money(amount)?.amount);
    let charge = intent.charge();
    let asked: Money = money(intent.amount)?;
    let taken = intent.status == IntentStatus::Succeeded;
    Some(ProviderRecord {
        reference: intent.id.clone(),
        attempt: intent.id_in_metadata(ATTEMPT_ID).and_then(AttemptId::parse),
        order: intent.id_in_metadata(ORDER_ID).and_then(OrderId::parse),
        money: asked,
        is_reserved: intent.status == IntentStatus::RequiresCapture,
        lapses_at: charge.and_then(Charge::capture_before),
        // All of it where the version leaves out how much: as an attempt's standing is read.
        captured: if taken { minor(intent.amount_received.unwrap_or(intent.amount))? } else { 0 },
        refunded: minor(charge.and_then(|charge| charge.amount_refunded).unwrap_or_default())?,
        // Stripe lists disputes apart, and tells of each by an event.
        charged_back: None,
        created_at: Some(intent.created_at()),
    })
}

/// What is told of a record that is none.
pub(super) fn unreadable(intent: &PaymentIntent) -> UnreadableRecord {
    let received = intent.amount_received.unwrap_or_default();
    let refunded = intent.charge().and_then(|charge| charge.amount_refunded).unwrap_or_default();
    // All of it where the version leaves out how much, as above; what has been given back is nobody's loss.
    let kept = intent.amount_received.unwrap_or(intent.amount).saturating_sub(refunded);
    UnreadableRecord {
        reference: intent.id.clone(),
        attempt: intent.id_in_metadata(ATTEMPT_ID).and_then(AttemptId::parse),
        order: intent.id_in_metadata(ORDER_ID).and_then(OrderId::parse),
        may_be_taken: match intent.status {
            IntentStatus::Succeeded | IntentStatus::Unheard => kept > 0,
            IntentStatus::RequiresPaymentMethod
            | IntentStatus::RequiresConfirmation
            | IntentStatus::RequiresAction
            | IntentStatus::Processing
            | IntentStatus::RequiresCapture
            | IntentStatus::Canceled => false,
        },
        created_at: Some(intent.created_at()),
        says: format!(
            "{:?}, {} of {:?}, {received} received, {refunded} refunded, in Stripe's units",
            intent.status, intent.amount, intent.currency
        ),
    }
}
