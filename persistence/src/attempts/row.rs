//! A row of `payment_attempts` as the engine's attempt.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::money::Money;
use taquilla_engine::payment::{Attempt, AttemptStatus, Failure};
use tokio_postgres::Row;

use crate::rows::{self, BrokenRow};

/// Every column that [`read_attempt`] needs.
macro_rules! attempt_columns {
    () => {
        "attempt_id, order_id, buyer, fingerprint, method, provider, amount, currency, status, \
         reference, failure_code, failure_detail, created_at, resolved_at"
    };
}
pub(crate) use attempt_columns;

pub(crate) fn read_attempt(row: &Row) -> Result<Attempt, BrokenRow> {
    let code: Option<String> = rows::get(row, "failure_code")?;
    let detail: Option<String> = rows::get(row, "failure_detail")?;
    Ok(Attempt {
        id: rows::id(row, "attempt_id", AttemptId::parse)?,
        order: rows::id(row, "order_id", OrderId::parse)?,
        buyer: rows::parse(row, "buyer", BuyerId::parse)?,
        fingerprint: rows::parse(row, "fingerprint", |bytes: &[u8]| bytes.try_into().ok())?,
        method: rows::get(row, "method")?,
        provider: rows::get(row, "provider")?,
        money: Money { amount: rows::get(row, "amount")?, currency: rows::currency(row)? },
        status: rows::parse(row, "status", AttemptStatus::parse)?,
        reference: rows::get(row, "reference")?,
        failure: code.zip(detail).map(|(code, detail)| Failure { code, detail }),
        created_at: rows::moment(row, "created_at")?,
        resolved_at: rows::moment_if_any(row, "resolved_at")?,
    })
}
