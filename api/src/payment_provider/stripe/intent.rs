//! Stripe's records, as far as they are read. Everything that one of Stripe's versions might leave out is
//! optional.

use std::collections::HashMap;

use secrecy::SecretString;
use serde::Deserialize;

/// Stripe's record of one payment: opened, confirmed, captured or cancelled.
#[derive(Clone, Debug, Deserialize)]
pub struct PaymentIntent {
    /// `pi_…`, Stripe's name for it.
    pub id: String,
    /// How far it has come.
    pub status: IntentStatus,
    /// Stripe's units of the currency.
    pub amount: i64,
    /// How much of it may be captured.
    pub amount_capturable: Option<i64>,
    /// How much of it was captured.
    pub amount_received: Option<i64>,
    /// Three lower-case letters.
    pub currency: String,
    /// Seconds since 1970.
    pub created: i64,
    /// With which the buyer's page may go on with it.
    pub client_secret: Option<SecretString>,
    metadata: Option<HashMap<String, String>>,
    /// The last try to charge it.
    pub latest_charge: Option<LatestCharge>,
    /// What the buyer has to do.
    pub next_action: Option<IntentAction>,
    /// Why the last try failed.
    pub last_payment_error: Option<PaymentError>,
}

impl PaymentIntent {
    /// What was written beside it when it was created.
    #[must_use]
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.as_ref()?.get(key).map(String::as_str)
    }
}

/// How far a payment intent has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentStatus {
    /// The last try failed, or there is nothing to pay with.
    RequiresPaymentMethod,
    /// Opened.
    RequiresConfirmation,
    /// The buyer has to do something first.
    RequiresAction,
    /// Stripe is at work.
    Processing,
    /// The money is reserved.
    RequiresCapture,
    /// Nothing is reserved any more.
    Canceled,
    /// The money is taken.
    Succeeded,
    /// One that we have not heard of.
    #[serde(other)]
    Unheard,
}

/// Expanded or not.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum LatestCharge {
    /// Only its name.
    Id(String),
    /// All of it.
    Charge(Charge),
}

/// One try to charge.
#[derive(Clone, Debug, Deserialize)]
pub struct Charge {
    /// What was given back of it.
    pub amount_refunded: Option<i64>,
    payment_method_details: Option<MethodDetails>,
}

#[derive(Clone, Debug, Deserialize)]
struct MethodDetails {
    card: Option<CardDetails>,
}

#[derive(Clone, Debug, Deserialize)]
struct CardDetails {
    capture_before: Option<i64>,
}

impl Charge {
    /// Until when the money stays reserved: seconds since 1970.
    #[must_use]
    pub fn capture_before(&self) -> Option<i64> {
        self.payment_method_details.as_ref()?.card.as_ref()?.capture_before
    }
}

/// What the buyer has to do.
#[derive(Clone, Debug, Deserialize)]
pub struct IntentAction {
    /// To go there; none where Stripe's own script does it.
    pub redirect_to_url: Option<RedirectToUrl>,
}

/// Where to go.
#[derive(Clone, Debug, Deserialize)]
pub struct RedirectToUrl {
    /// The bank's page.
    pub url: Option<String>,
}

/// Why a try to charge failed.
#[derive(Clone, Debug, Deserialize)]
pub struct PaymentError {
    /// Stripe's code.
    pub code: Option<String>,
    /// The bank's.
    pub decline_code: Option<String>,
    /// In words, for the buyer.
    pub message: Option<String>,
}

/// Money on its way back.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Refund {
    pub(super) id: String,
    /// `pending`, `requires_action`, `succeeded`, `failed` or `canceled`; none in old versions.
    pub(super) status: Option<String>,
    pub(super) failure_reason: Option<String>,
    metadata: Option<HashMap<String, String>>,
}

impl Refund {
    pub(super) fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.as_ref()?.get(key).map(String::as_str)
    }
}

/// A part of a list, newest first.
#[derive(Clone, Debug, Deserialize)]
pub struct Page<T> {
    /// At most a hundred.
    pub data: Vec<T>,
    /// Whether older ones follow.
    pub has_more: bool,
}
