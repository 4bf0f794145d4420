//! A row of `payment_attempts` as the engine's attempt.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempt, AttemptStatus, Failure, NextAction};
use tokio_postgres::Row;

use crate::columns::{self, BrokenRow};

/// Every column that [`read_attempt`] needs, of `payment_attempts` under its own name.
macro_rules! attempt_columns {
    () => {
        "attempt_id, order_id, buyer, fingerprint, method, provider, amount, currency, status, \
         reference, failure_code, failure_detail, next_redirect, next_secret, errors, reserved, \
         reserved_in, lapses_at, created_at, resolved_at, \
         coalesce(payment_attempts.again_at > clock_timestamp(), false) AS is_put_off, \
         (SELECT h.expires_at FROM orders o JOIN holds h USING (hold_id) \
           WHERE o.order_id = payment_attempts.order_id AND o.status = 0 AND h.status = 0) \
         AS wanted_until"
    };
}
pub(crate) use attempt_columns;

pub(crate) fn read_attempt(row: &Row) -> Result<Attempt, BrokenRow> {
    let code: Option<String> = columns::get(row, "failure_code")?;
    let detail: Option<String> = columns::get(row, "failure_detail")?;
    Ok(Attempt {
        id: columns::id(row, "attempt_id", AttemptId::parse)?,
        order: columns::id(row, "order_id", OrderId::parse)?,
        buyer: columns::parse(row, "buyer", BuyerId::parse)?,
        fingerprint: columns::parse(row, "fingerprint", |bytes: &[u8]| bytes.try_into().ok())?,
        method: columns::get(row, "method")?,
        provider: columns::get(row, "provider")?,
        money: Money { amount: columns::get(row, "amount")?, currency: columns::currency(row)? },
        status: columns::parse(row, "status", AttemptStatus::parse)?,
        reference: columns::get(row, "reference")?,
        failure: code.zip(detail).map(|(code, detail)| Failure { code, detail }),
        next_action: next_action(row)?,
        errors: columns::count::<i32>(row, "errors")?,
        reserved: reserved(row)?,
        lapses_at: columns::moment_if_any(row, "lapses_at")?,
        wanted_until: columns::moment_if_any(row, "wanted_until")?,
        created_at: columns::moment(row, "created_at")?,
        resolved_at: columns::moment_if_any(row, "resolved_at")?,
        is_put_off: columns::get(row, "is_put_off")?,
    })
}

fn next_action(row: &Row) -> Result<Option<NextAction>, BrokenRow> {
    let redirect: Option<String> = columns::get(row, "next_redirect")?;
    let secret: Option<String> = columns::get(row, "next_secret")?;
    Ok(redirect.map(NextAction::Redirect).or_else(|| secret.map(NextAction::ClientSecret)))
}

/// What the provider has set aside or taken, if anything.
pub(crate) fn reserved(row: &Row) -> Result<Option<Money>, BrokenRow> {
    let Some(amount) = columns::get::<Option<i64>>(row, "reserved")? else { return Ok(None) };
    let currency = columns::parse(row, "reserved_in", Currency::parse)?;
    Ok(Some(Money { amount, currency }))
}
