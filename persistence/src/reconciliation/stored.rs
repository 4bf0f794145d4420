//! A run's differences and counts as its row keeps them.

use serde_json::{Map, Value, json};
use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::reconciliation::{Difference, DifferenceKind, Reconciliation};
use uuid::Uuid;

use crate::columns::BrokenRow;

pub(super) fn stored_counts(found: &Reconciliation) -> Value {
    let count = |(kind, count): (&DifferenceKind, &u64)| (kind.code().to_owned(), json!(count));
    Value::Object(found.counts.iter().map(count).collect())
}

pub(super) fn read_counts(
    counts: &Map<String, Value>,
) -> Result<Vec<(DifferenceKind, u64)>, BrokenRow> {
    let read = |(code, count): (&String, &Value)| {
        DifferenceKind::parse(code).zip(count.as_u64()).ok_or_else(|| broken("counts"))
    };
    let mut counts: Vec<_> = counts.iter().map(read).collect::<Result<_, _>>()?;
    counts.sort_by_key(|(kind, _)| DifferenceKind::ALL.iter().position(|it| it == kind));
    Ok(counts)
}

pub(super) fn stored_differences(differences: &[Difference]) -> Value {
    let money = |it: Money| json!({"amount": it.amount, "currency": it.currency.as_str()});
    let stored = |it: &Difference| {
        json!({
            "kind": it.kind.code(), "unsafe": it.is_unsafe,
            "attempt_id": it.attempt.map(|id| id.uuid()), "order_id": it.order.map(|id| id.uuid()),
            "reference": it.reference, "ours": it.ours.map(money), "theirs": it.theirs.map(money),
            "detail": it.detail,
        })
    };
    differences.iter().map(stored).collect()
}

pub(super) fn read_differences(stored: &Value) -> Result<Vec<Difference>, BrokenRow> {
    let list = stored.as_array().ok_or_else(|| broken("differences"))?;
    list.iter().map(|it| read_difference(it).ok_or_else(|| broken("differences"))).collect()
}

fn read_difference(stored: &Value) -> Option<Difference> {
    let text = |field: &str| stored[field].as_str();
    // Null is none; anything else has to be what it is to be.
    fn optional<T>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
        if value.is_null() { Some(None) } else { read(value).map(Some) }
    }
    let id = |value: &Value| value.as_str().and_then(|text| Uuid::parse_str(text).ok());
    let money = |value: &Value| {
        let currency = Currency::parse(value["currency"].as_str()?)?;
        Some(Money { amount: value["amount"].as_i64()?, currency })
    };
    Some(Difference {
        kind: DifferenceKind::parse(text("kind")?)?,
        is_unsafe: stored["unsafe"].as_bool()?,
        attempt: optional(&stored["attempt_id"], |it| id(it).and_then(AttemptId::parse))?,
        order: optional(&stored["order_id"], |it| id(it).and_then(OrderId::parse))?,
        reference: optional(&stored["reference"], |it| it.as_str().map(str::to_owned))?,
        ours: optional(&stored["ours"], money)?,
        theirs: optional(&stored["theirs"], money)?,
        detail: text("detail")?.to_owned(),
    })
}

fn broken(column: &str) -> BrokenRow {
    BrokenRow::new(column, "not as a reconciliation writes it")
}
