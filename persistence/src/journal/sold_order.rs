//! Sold orders as their rows have them, for an owner that may have forgotten them.

use std::collections::HashMap;

use taquilla_engine::id::OrderId;
use taquilla_engine::journal::TakeOverError;
use taquilla_engine::refund::SoldOrder;
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};
use uuid::Uuid;

use super::snapshot_rows::{self as rows, decided, hold_columns, refund_columns};
use crate::pool::PooledClient;

const ORDERS: &str = concat!(
    "/* sold_orders */ SELECT ",
    hold_columns!(),
    "FROM orders o JOIN holds h USING (hold_id) WHERE o.order_id = ANY ($1) ORDER BY o.order_id"
);

const VERDICTS: &str = concat!(
    "/* sold_order_verdicts */ SELECT order_id, attempt_id, status FROM payment_attempts \
     WHERE order_id = ANY ($1) AND ",
    decided!(),
    "ORDER BY created_at, attempt_id"
);

const REFUNDS: &str = concat!(
    "/* sold_order_refunds */ SELECT ",
    refund_columns!(),
    "FROM refunds WHERE order_id = ANY ($1) ORDER BY created_at, refund_id"
);

/// Their rows, from one snapshot.
pub(crate) struct SoldOrderRows {
    orders: Vec<Row>,
    verdicts: Vec<Row>,
    refunds: Vec<Row>,
}

impl SoldOrderRows {
    pub(crate) async fn read(transaction: &PooledClient, orders: &[Uuid]) -> Result<Self, Error> {
        let all = async |sql| transaction.query_typed(sql, &[(&orders, Type::UUID_ARRAY)]).await;
        let (orders, verdicts) = (all(ORDERS).await?, all(VERDICTS).await?);
        Ok(Self { orders, verdicts, refunds: all(REFUNDS).await? })
    }

    pub(crate) fn orders(self) -> Result<Vec<SoldOrder>, TakeOverError> {
        let mut sold = Vec::with_capacity(self.orders.len());
        for row in &self.orders {
            let (hold, order) = rows::hold(row)?;
            sold.extend(order.map(|order| SoldOrder { hold, order }));
        }
        let places: HashMap<OrderId, usize> =
            sold.iter().enumerate().map(|(place, it)| (it.order.id, place)).collect();
        for row in &self.verdicts {
            let (order, attempt, verdict) = rows::verdict(row)?;
            if let Some(place) = places.get(&order) {
                sold[*place].order.verdicts.push((attempt, verdict));
            }
        }
        for row in &self.refunds {
            let refund = rows::refund(row)?;
            if let Some(place) = places.get(&refund.order) {
                sold[*place].order.refunds.push(refund);
            }
        }
        Ok(sold)
    }
}
