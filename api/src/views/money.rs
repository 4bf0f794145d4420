//! Money on the wire.

use serde::Serialize;
use taquilla_engine::money::Money;
use utoipa::ToSchema;

/// Integer minor units of an ISO 4217 currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Money)]
pub struct MoneyView {
    /// Cents of a euro, whole yen, fils of a dinar.
    pub amount: i64,
    /// Three capital letters.
    #[schema(example = "EUR")]
    pub currency: String,
}

impl From<Money> for MoneyView {
    fn from(money: Money) -> Self {
        Self { amount: money.amount, currency: money.currency.as_str().to_owned() }
    }
}
