//! A sold order as its rows have it, for an owner that may have forgotten it.

use taquilla_engine::id::OrderId;
use taquilla_engine::journal::TakeOverError;
use taquilla_engine::refund::SoldOrder;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Row};

use super::snapshot_rows::{self as rows, hold_columns, refund_columns};

const ORDER: &str = concat!(
    "/* sold_order */ SELECT ",
    hold_columns!(),
    "FROM orders o JOIN holds h USING (hold_id) WHERE o.order_id = $1"
);

const VERDICTS: &str = "/* sold_order_verdicts */ \
    SELECT order_id, attempt_id, status FROM payment_attempts \
    WHERE order_id = $1 AND status IN ('confirmed', 'captured', 'void_due', 'voided') \
    ORDER BY created_at, attempt_id";

const REFUNDS: &str = concat!(
    "/* sold_order_refunds */ SELECT ",
    refund_columns!(),
    "FROM refunds WHERE order_id = $1 ORDER BY created_at, refund_id"
);

/// Its rows, from one snapshot.
pub(crate) struct SoldOrderRows {
    order: Option<Row>,
    verdicts: Vec<Row>,
    refunds: Vec<Row>,
}

impl SoldOrderRows {
    pub(crate) async fn read(transaction: &Client, order: OrderId) -> Result<Self, Error> {
        let id = order.uuid();
        let order = transaction.query_typed(ORDER, &[(&id, Type::UUID)]).await?.pop();
        let verdicts = transaction.query_typed(VERDICTS, &[(&id, Type::UUID)]).await?;
        let refunds = transaction.query_typed(REFUNDS, &[(&id, Type::UUID)]).await?;
        Ok(Self { order, verdicts, refunds })
    }

    pub(crate) fn order(self) -> Result<Option<SoldOrder>, TakeOverError> {
        let Some(row) = self.order else { return Ok(None) };
        let (hold, order) = rows::hold(&row)?;
        let Some(mut order) = order else { return Ok(None) };
        for row in &self.verdicts {
            let (_, attempt, verdict) = rows::verdict(row)?;
            order.verdicts.push((attempt, verdict));
        }
        order.refunds = self.refunds.iter().map(rows::refund).collect::<Result<_, _>>()?;
        Ok(Some(SoldOrder { hold, order }))
    }
}
