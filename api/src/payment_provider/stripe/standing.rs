//! What a payment intent says of an attempt.

use std::time::Duration;

use secrecy::ExposeSecret;
use taquilla_engine::id::OrderId;
use taquilla_engine::money::Money;
use taquilla_engine::payment::{Authorisation, Failure, NextAction, ProviderAnswer};

use super::amount::from_stripe;
use super::client::ORDER_ID;
use super::failure::declined;
use super::intent::{Charge, IntentStatus, PaymentIntent};

/// How long a card's reservation lasts at the most where the charge does not say so.
const RESERVED: Duration = Duration::from_secs(7 * 24 * 3_600);

/// What became of it.
pub(super) fn standing(intent: PaymentIntent) -> ProviderAnswer {
    match intent.status {
        IntentStatus::RequiresConfirmation => ProviderAnswer::Opened { reference: intent.id },
        IntentStatus::RequiresAction => action_required(intent),
        IntentStatus::RequiresPaymentMethod => ProviderAnswer::Declined(
            intent.last_payment_error.as_ref().map_or_else(without_method, declined),
        ),
        IntentStatus::Processing => ProviderAnswer::InProgress,
        IntentStatus::RequiresCapture => {
            let amount = intent.amount_capturable.unwrap_or(intent.amount);
            booked(&intent, amount).map_or_else(unreadable, ProviderAnswer::Authorised)
        }
        IntentStatus::Succeeded => {
            let amount = intent.amount_received.unwrap_or(intent.amount);
            booked(&intent, amount).map_or_else(unreadable, ProviderAnswer::Captured)
        }
        IntentStatus::Canceled => ProviderAnswer::Cancelled { reserved: None },
        IntentStatus::Unheard => {
            ProviderAnswer::Unknown(format!("{} has a status we have not heard of", intent.id))
        }
    }
}

/// To go to the bank's page, where there is one; else Stripe's own script goes on in the buyer's page.
fn action_required(intent: PaymentIntent) -> ProviderAnswer {
    let redirect = intent.next_action.and_then(|action| action.redirect_to_url?.url);
    let secret = || Some(intent.client_secret?.expose_secret().to_owned());
    let action =
        redirect.map(NextAction::Redirect).or_else(|| secret().map(NextAction::ClientSecret));
    match action {
        Some(action) => ProviderAnswer::ActionRequired { reference: intent.id, action },
        None => ProviderAnswer::Unknown(format!("{} does not say what is required", intent.id)),
    }
}

fn booked(intent: &PaymentIntent, amount: i64) -> Option<Authorisation> {
    let order = intent.id_in_metadata(ORDER_ID).and_then(OrderId::parse)?;
    let money: Money = from_stripe(amount, &intent.currency)?;
    let lapses_at = intent.charge().and_then(Charge::capture_before);
    let lapses_at = lapses_at.unwrap_or_else(|| intent.created_at() + RESERVED);
    Some(Authorisation { reference: intent.id.clone(), order, money, lapses_at: Some(lapses_at) })
}

/// Somebody changed the metadata by hand, say.
fn unreadable() -> ProviderAnswer {
    ProviderAnswer::Unknown("Stripe's record names no order of ours, or no money".into())
}

fn without_method() -> Failure {
    Failure::new("payment_method_required", "there is nothing to pay with any more")
}
