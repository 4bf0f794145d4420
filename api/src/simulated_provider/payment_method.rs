//! What each simulated payment method does: one row a method.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::idempotency_key::IdempotencyKey;

/// A payment method that this provider takes: a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct PaymentMethod(&'static Script);

/// How an authorisation with a method goes, and what comes after it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Script {
    name: &'static str,
    /// From the request to the answer; it is booked half-way, as with a card network: the issuer
    /// decides, then the answer travels back.
    takes: Takes,
    pub(super) issuer: Issuer,
    /// Whether a POST for an authorisation is ever answered.
    pub(super) answers: bool,
    /// How many first POSTs of an attempt end in an error, with nothing booked.
    pub(super) errors: u32,
    pub(super) captures: Captures,
    pub(super) webhooks: Webhooks,
}

#[derive(Debug, PartialEq, Eq)]
enum Takes {
    /// 50 to 300 ms, drawn from the key: the same key always takes as long.
    Drawn,
    Seconds(u64),
}

/// What the issuer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Issuer {
    Authorises,
    Declines,
    /// Whatever the buyer answers at the challenge.
    Challenges,
}

/// What becomes of captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Captures {
    Done,
    /// So many end in an error first, with nothing booked.
    DoneAfterErrors(u32),
    Refused,
}

/// How webhooks are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Webhooks {
    Once,
    Twice,
    /// At the latest when the answer leaves, one delivery has been tried.
    BeforeTheAnswer,
}

const PROMPT: Script = Script {
    name: "sim_ok",
    takes: Takes::Drawn,
    issuer: Issuer::Authorises,
    answers: true,
    errors: 0,
    captures: Captures::Done,
    webhooks: Webhooks::Once,
};

#[rustfmt::skip]
static TABLE: [Script; 11] = [
    PROMPT,
    Script { name: "sim_slow", takes: Takes::Seconds(3), ..PROMPT },
    Script { name: "sim_decline", issuer: Issuer::Declines, ..PROMPT },
    Script { name: "sim_timeout_ok", answers: false, ..PROMPT },
    Script { name: "sim_timeout_decline", answers: false, issuer: Issuer::Declines, ..PROMPT },
    Script { name: "sim_error_ok", errors: 1, ..PROMPT },
    Script { name: "sim_webhook_twice", webhooks: Webhooks::Twice, ..PROMPT },
    Script { name: "sim_webhook_early", webhooks: Webhooks::BeforeTheAnswer, ..PROMPT },
    Script { name: "sim_capture_fails_twice", captures: Captures::DoneAfterErrors(2), ..PROMPT },
    Script { name: "sim_capture_refused", captures: Captures::Refused, ..PROMPT },
    Script { name: "sim_challenge", issuer: Issuer::Challenges, ..PROMPT },
];

impl PaymentMethod {
    pub(super) fn script(self) -> &'static Script {
        self.0
    }
}

impl Script {
    /// From the request to its booking, and once more as long to the answer. A process killed in
    /// between has booked and not answered.
    pub(super) fn half_time(&self, key: &IdempotencyKey) -> Duration {
        let whole = match self.takes {
            Takes::Drawn => Duration::from_millis(50 + key.draw(251)),
            Takes::Seconds(seconds) => Duration::from_secs(seconds),
        };
        whole / 2
    }
}

impl From<PaymentMethod> for String {
    fn from(method: PaymentMethod) -> Self {
        method.0.name.to_owned()
    }
}

impl TryFrom<String> for PaymentMethod {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        TABLE.iter().find(|script| script.name == name).map(Self).ok_or_else(|| {
            let known = TABLE.each_ref().map(|script| script.name).join(", ");
            let name: String = name.chars().take(64).collect();
            format!("unknown payment method `{}`; known are {known}", name.escape_debug())
        })
    }
}
