//! A row of `payment_attempts` as the engine's attempt.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::money::Money;
use taquilla_engine::payment::{Attempt, AttemptStatus, Failure};
use tokio_postgres::Row;

use crate::columns::{self, BrokenRow};

/// Every column that [`read_attempt`] needs.
macro_rules! attempt_columns {
    () => {
        "attempt_id, order_id, buyer, fingerprint, method, provider, amount, currency, status, \
         reference, failure_code, failure_detail, created_at, resolved_at"
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
        created_at: columns::moment(row, "created_at")?,
        resolved_at: columns::moment_if_any(row, "resolved_at")?,
    })
}
