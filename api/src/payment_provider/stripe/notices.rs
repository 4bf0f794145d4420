//! What Stripe tells by itself: its events. Their shape is that of the account's or the endpoint's own
//! version of the API, so only what every version has is read.

use std::collections::HashMap;

use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use taquilla_engine::id::AttemptId;
use taquilla_engine::moment::Moment;
use taquilla_persistence::inbox::{Notice, NoticeKind};
use uuid::Uuid;

use super::STRIPE;
use super::amount::from_stripe;
use super::client::ATTEMPT_ID;
use super::intent::came_to_nothing;
use crate::payment_provider::{Forged, NoticeReader, SignedWith, Unreadable};

const SIGNATURE: &str = "stripe-signature";

/// Reads its events.
pub struct StripeNotices(SignedWith);

impl StripeNotices {
    /// Signed with any of these (`whsec_…`, as they are).
    #[must_use]
    pub fn new(secrets: SignedWith) -> Self {
        Self(secrets)
    }
}

#[derive(Deserialize)]
struct Event<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    data: Data<'a>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    object: &'a RawValue,
}

/// A payment intent, a charge, a refund or a dispute, as far as they have something in common.
#[derive(Deserialize)]
struct Object {
    id: Option<String>,
    payment_intent: Option<String>,
    metadata: Option<HashMap<String, String>>,
    amount: Option<i64>,
    currency: Option<String>,
    status: Option<String>,
}

/// What an event is about.
enum About {
    Intent,
    OfAnIntent(NoticeKind),
    Refund,
    Nothing,
}

impl NoticeReader for StripeNotices {
    fn look(&self, headers: &HeaderMap, now: Moment) -> Result<(), Forged> {
        self.0.look(headers.get(SIGNATURE).map(|value| value.as_bytes()), now)
    }

    fn read(&self, headers: &HeaderMap, body: &[u8], now: Moment) -> Result<Notice, Unreadable> {
        self.0.check(headers.get(SIGNATURE).map(|value| value.as_bytes()), body, now)?;
        let event: Event = serde_json::from_slice(body).map_err(malformed)?;
        let about = about(&event.kind);
        let mut notice = Notice {
            provider: STRIPE.into(),
            id: event.id,
            kind: NoticeKind::Other,
            attempt: None,
            reference: None,
            money: None,
        };
        let object = || serde_json::from_str::<Object>(event.data.object.get()).map_err(malformed);
        let (kind, object, is_intent) = match about {
            About::Nothing => return Ok(notice),
            About::Intent => (NoticeKind::News, object()?, true),
            About::OfAnIntent(kind) => (kind, object()?, false),
            About::Refund => {
                let object = object()?;
                (refund_became(object.status.as_deref()), object, false)
            }
        };
        notice.reference = if is_intent { object.id } else { object.payment_intent };
        // A charge without a payment intent is none of ours.
        if notice.reference.is_none() {
            return Ok(notice);
        }
        notice.kind = kind;
        let attempt = object.metadata.as_ref().and_then(|it| it.get(ATTEMPT_ID));
        let attempt = attempt.and_then(|id| Uuid::parse_str(id).ok());
        notice.attempt = attempt.and_then(AttemptId::parse);
        let money = object.amount.zip(object.currency);
        notice.money = money.and_then(|(amount, currency)| from_stripe(amount, &currency));
        Ok(notice)
    }
}

/// By the event's name. Of a dispute, the money goes when it is withdrawn: one that is only opened may be
/// a question, and one that is both would count twice. It is ours again when it is reinstated. That a refund
/// failed is told by several events, of which accounts have some or others.
fn about(kind: &str) -> About {
    match kind {
        "charge.dispute.funds_withdrawn" => About::OfAnIntent(NoticeKind::ChargedBack),
        "charge.dispute.funds_reinstated" => About::OfAnIntent(NoticeKind::Reinstated),
        "refund.failed" => About::OfAnIntent(NoticeKind::RefundFailed),
        _ if kind.starts_with("payment_intent.") => About::Intent,
        _ if kind.starts_with("refund.") || kind.starts_with("charge.refund.") => About::Refund,
        _ if kind.starts_with("charge.") => About::OfAnIntent(NoticeKind::News),
        _ => About::Nothing,
    }
}

fn refund_became(status: Option<&str>) -> NoticeKind {
    if came_to_nothing(status) { NoticeKind::RefundFailed } else { NoticeKind::News }
}

fn malformed(error: serde_json::Error) -> Unreadable {
    Unreadable::Malformed(format!("not an event: {error}"))
}
