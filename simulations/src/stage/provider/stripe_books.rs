//! localstripe's listing of payment intents and their refunds, as the entries of a provider's books.

use serde_json::Value;
use taquilla_auditor::{Entry, EntryKind};

use crate::DrillError;

/// More than a drill makes; localstripe takes any number.
const ALL: u32 = 1_000_000;

pub(super) async fn read(url: &str, key: &str) -> Result<Vec<Entry>, DrillError> {
    let listed = format!("{url}/v1/payment_intents?limit={ALL}");
    let answer = reqwest::Client::new().get(listed).bearer_auth(key).send().await?;
    let listed: Value = answer.error_for_status()?.json().await?;
    let mut entries = Vec::new();
    for intent in listed["data"].as_array().unwrap_or(&Vec::new()) {
        let read = entries_of(intent, &mut entries);
        read.ok_or_else(|| DrillError::Broken(format!("nothing we know of: {intent}")))?;
    }
    Ok(entries)
}

/// What was reserved, let go, taken and given back of it; none if it is no intent of the server's.
fn entries_of(intent: &Value, entries: &mut Vec<Entry>) -> Option<()> {
    let charge = &intent["latest_charge"];
    // Opened, or refused by the bank: no money.
    if charge["status"] != "succeeded" {
        return Some(());
    }
    let named = |name: &str| intent["metadata"][name].as_str()?.parse().ok();
    let entry = |kind, key: String, amount: &Value| {
        Some(Entry {
            kind,
            reference: intent["id"].as_str()?.to_owned(),
            idempotency_key: key,
            order_id: named("order_id")?,
            attempt_id: named("attempt_id")?,
            amount: amount.as_i64()?,
            currency: intent["currency"].as_str()?.to_uppercase(),
        })
    };
    let whole = |kind| entry(kind, String::new(), &intent["amount"]);
    entries.push(whole(EntryKind::Authorisation)?);
    if charge["captured"].as_bool()? {
        entries.push(whole(EntryKind::Capture)?);
    }
    if intent["status"] == "canceled" {
        entries.push(whole(EntryKind::Void)?);
    }
    let refunds = charge["refunds"]["data"].as_array()?.iter();
    // What came back was given to nobody.
    for refund in refunds.filter(|it| it["status"] != "failed" && it["status"] != "canceled") {
        let name = refund["metadata"]["refund_id"].as_str()?;
        entries.push(entry(EntryKind::Refund, format!("{name}-refund"), &refund["amount"])?);
    }
    Some(())
}
