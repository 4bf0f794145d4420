//! What each simulated payment method does: one row a method.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::authorisation::Failure;
use super::idempotency_key::IdempotencyKey;

/// A payment method that this provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) enum PaymentMethod {
    Prompt,
    Slow,
    Decline,
}

/// How an authorisation with a method goes, told before it starts.
#[derive(Debug, Clone)]
pub(super) struct Script {
    /// From the request to the moment when the money is set aside and the books say so.
    pub(super) booked_after: Duration,
    /// From that moment to the answer. A process killed in between has booked and not answered.
    pub(super) answered_after: Duration,
    /// Why it is declined; `None` authorises.
    pub(super) failure: Option<Failure>,
}

impl PaymentMethod {
    const ALL: [Self; 3] = [Self::Prompt, Self::Slow, Self::Decline];

    fn name(self) -> &'static str {
        match self {
            Self::Prompt => "sim_ok",
            Self::Slow => "sim_slow",
            Self::Decline => "sim_decline",
        }
    }

    /// The script of the authorisation that `key` names. The same key always draws the same.
    pub(super) fn script(self, key: &IdempotencyKey) -> Script {
        match self {
            Self::Prompt => Script::taking(drawn_50_to_300_ms(key), None),
            Self::Slow => Script::taking(Duration::from_secs(3), None),
            Self::Decline => Script::taking(drawn_50_to_300_ms(key), Some(card_declined())),
        }
    }
}

impl Script {
    /// Books half-way, as a card network does: the issuer decides, then the answer travels back.
    fn taking(whole: Duration, failure: Option<Failure>) -> Self {
        let half = whole / 2;
        Self { booked_after: half, answered_after: half, failure }
    }
}

fn drawn_50_to_300_ms(key: &IdempotencyKey) -> Duration {
    Duration::from_millis(50 + key.draw(251))
}

fn card_declined() -> Failure {
    Failure {
        code: "card_declined".to_owned(),
        detail: "the simulated issuer declined the card".to_owned(),
    }
}

impl From<PaymentMethod> for String {
    fn from(method: PaymentMethod) -> Self {
        method.name().to_owned()
    }
}

impl TryFrom<String> for PaymentMethod {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("unknown payment method `{}`; known are {known}", name.escape_debug())
        })
    }
}
