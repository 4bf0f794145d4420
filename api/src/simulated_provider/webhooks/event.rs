//! What happened, as an endpoint is told.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::simulated_provider::entry::{Entry, EntryKind};
use crate::simulated_provider::money::{Amount, Currency};
use crate::simulated_provider::payment_method::Webhooks;

/// Something that the books say.
#[derive(Debug, Clone)]
pub(in crate::simulated_provider) struct Event {
    /// Counted over the whole life of the books, from 0.
    pub(in crate::simulated_provider) number: u64,
    pub(in crate::simulated_provider) entry: Arc<Entry>,
    /// Of a refund.
    pub(in crate::simulated_provider) refund_id: Option<Uuid>,
    /// How the payment method wants it sent.
    pub(in crate::simulated_provider) webhooks: Webhooks,
}

#[derive(Serialize)]
struct Body<'a> {
    id: Uuid,
    r#type: &'static str,
    created_at: DateTime<Utc>,
    order_id: Uuid,
    attempt_id: Uuid,
    reference: Uuid,
    /// What this event is about: a refund's own amount, not the authorisation's.
    amount: Amount,
    currency: &'a Currency,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund_id: Option<Uuid>,
}

impl Event {
    /// The same whenever it is sent, and another one for each event of each provider's books.
    pub(super) fn id(&self, instance: Uuid) -> Uuid {
        let mut digest = Sha256::new();
        digest.update(instance.as_bytes());
        digest.update(self.number.to_be_bytes());
        let digest = digest.finalize();
        let mut first = [0; 16];
        first.copy_from_slice(&digest[..16]);
        Builder::from_custom_bytes(first).into_uuid()
    }

    pub(super) fn body(&self, instance: Uuid) -> Vec<u8> {
        let body = Body {
            id: self.id(instance),
            r#type: name(self.entry.kind),
            created_at: self.entry.at,
            order_id: self.entry.order_id,
            attempt_id: self.entry.attempt_id,
            reference: self.entry.reference,
            amount: self.entry.amount,
            currency: &self.entry.currency,
            refund_id: self.refund_id,
        };
        serde_json::to_vec(&body).expect("a body has string keys only")
    }
}

fn name(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Challenge => "authorisation.requires_action",
        EntryKind::Authorisation => "authorisation.authorised",
        EntryKind::Decline => "authorisation.declined",
        EntryKind::Capture => "authorisation.captured",
        EntryKind::Void | EntryKind::Withdrawal => "authorisation.voided",
        EntryKind::Refund => "authorisation.refunded",
        EntryKind::Chargeback => "authorisation.charged_back",
    }
}
