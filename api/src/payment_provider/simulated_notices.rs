//! What the simulated provider tells by itself.

use axum::http::HeaderMap;
use serde::Deserialize;
use taquilla_engine::id::AttemptId;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_persistence::inbox::{Notice, NoticeKind};
use uuid::Uuid;

use super::{Forged, NoticeReader, SIMULATED, SignedWith, Unreadable};

const SIGNATURE: &str = "simulated-signature";

/// Reads its notices.
pub struct SimulatedNotices(SignedWith);

impl SimulatedNotices {
    /// Signed with any of these.
    #[must_use]
    pub fn new(secrets: SignedWith) -> Self {
        Self(secrets)
    }
}

#[derive(Deserialize)]
struct Body {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    attempt_id: Uuid,
    reference: Option<String>,
    amount: i64,
    currency: String,
}

impl NoticeReader for SimulatedNotices {
    fn look(&self, headers: &HeaderMap, now: Moment) -> Result<(), Forged> {
        self.0.look(headers.get(SIGNATURE).map(|value| value.as_bytes()), now)
    }

    fn read(&self, headers: &HeaderMap, body: &[u8], now: Moment) -> Result<Notice, Unreadable> {
        self.0.check(headers.get(SIGNATURE).map(|value| value.as_bytes()), body, now)?;
        let body: Body = serde_json::from_slice(body)
            .map_err(|error| Unreadable::Malformed(format!("not a notice: {error}")))?;
        let kind = match body.kind.as_str() {
            "authorisation.charged_back" => NoticeKind::ChargedBack,
            kind if kind.starts_with("authorisation.") => NoticeKind::News,
            _ => NoticeKind::Other,
        };
        let currency = Currency::parse(&body.currency);
        Ok(Notice {
            provider: SIMULATED.into(),
            id: body.id,
            kind,
            attempt: AttemptId::parse(body.attempt_id),
            reference: body.reference,
            money: currency.map(|currency| Money { amount: body.amount, currency }),
        })
    }
}
