//! Stripe's records, as far as they are read. Everything that one of Stripe's versions might leave out is
//! optional.

use std::collections::HashMap;

use secrecy::SecretString;
use serde::Deserialize;
use taquilla_engine::moment::Moment;
use uuid::Uuid;

/// Stripe's record of one payment: opened, confirmed, captured or cancelled.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PaymentIntent {
    /// `pi_…`, Stripe's name for it.
    pub(super) id: String,
    /// How far it has come.
    pub(super) status: IntentStatus,
    /// Stripe's units of the currency.
    pub(super) amount: i64,
    /// How much of it may be captured.
    pub(super) amount_capturable: Option<i64>,
    /// How much of it was captured.
    pub(super) amount_received: Option<i64>,
    /// Three lower-case letters.
    pub(super) currency: String,
    /// Seconds since 1970.
    created: i64,
    /// With which the buyer's page may go on with it.
    pub(super) client_secret: Option<SecretString>,
    metadata: Option<HashMap<String, String>>,
    latest_charge: Option<LatestCharge>,
    /// What the buyer has to do.
    pub(super) next_action: Option<IntentAction>,
    /// Why the last try failed.
    pub(super) last_payment_error: Option<PaymentError>,
}

impl PaymentIntent {
    /// What was written beside it when it was created.
    pub(super) fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.as_ref()?.get(key).map(String::as_str)
    }

    /// An id of ours that was.
    pub(super) fn id_in_metadata(&self, key: &str) -> Option<Uuid> {
        Uuid::parse_str(self.metadata(key)?).ok()
    }

    /// When it was created.
    pub(super) fn created_at(&self) -> Moment {
        moment(self.created)
    }

    /// The last try to charge it, if all of it was asked for.
    pub(super) fn charge(&self) -> Option<&Charge> {
        match &self.latest_charge {
            Some(LatestCharge::Charge(charge)) => Some(charge),
            Some(LatestCharge::Id(_)) | None => None,
        }
    }
}

fn moment(seconds: i64) -> Moment {
    Moment(seconds.saturating_mul(1_000_000))
}

/// How far a payment intent has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum IntentStatus {
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
pub(super) enum LatestCharge {
    /// Only its name.
    Id(#[expect(dead_code, reason = "read to tell a name from a charge")] String),
    /// All of it.
    Charge(Charge),
}

/// One try to charge.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Charge {
    /// What was given back of it.
    pub(super) amount_refunded: Option<i64>,
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
    /// Until when the money stays reserved.
    pub(super) fn capture_before(&self) -> Option<Moment> {
        self.payment_method_details.as_ref()?.card.as_ref()?.capture_before.map(moment)
    }
}

/// What the buyer has to do.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IntentAction {
    /// To go there; none where Stripe's own script does it.
    pub(super) redirect_to_url: Option<RedirectToUrl>,
}

/// Where to go.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct RedirectToUrl {
    /// The bank's page.
    pub(super) url: Option<String>,
}

/// Why a try to charge failed.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PaymentError {
    /// Stripe's code.
    pub(super) code: Option<String>,
    /// The bank's.
    pub(super) decline_code: Option<String>,
    /// `card_error`, or whose fault it is else.
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    /// In words; of a `card_error`, for the buyer.
    pub(super) message: Option<String>,
}

/// Money on its way back.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Refund {
    pub(super) id: String,
    /// In Stripe's units, and its currency in lower case.
    pub(super) amount: i64,
    pub(super) currency: String,
    /// `pending`, `requires_action`, `succeeded`, `failed` or `canceled`; none in old versions.
    pub(super) status: Option<String>,
    pub(super) failure_reason: Option<String>,
    metadata: Option<HashMap<String, String>>,
}

/// Whether a refund of this status is with nobody but us.
pub(super) fn came_to_nothing(status: Option<&str>) -> bool {
    matches!(status, Some("failed" | "canceled"))
}

impl Refund {
    pub(super) fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.as_ref()?.get(key).map(String::as_str)
    }
}

/// A part of a list, newest first.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Page<T> {
    /// At most a hundred.
    pub(super) data: Vec<T>,
    /// Whether older ones follow.
    pub(super) has_more: bool,
}
