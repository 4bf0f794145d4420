//! One order, and what belongs to it.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::OrderId;
use tokio_postgres::types::Type;

use super::Orders;
use super::record::{OrderRecord, OrderRows, order_columns};
use crate::database::DatabaseError;

const FIND: &str = concat!(
    "/* find_order */ SELECT ",
    order_columns!(),
    " FROM orders o JOIN holds h USING (hold_id) JOIN events e ON e.event_no = o.event_no \
     WHERE o.order_id = $1 AND o.buyer = $2"
);

impl Orders {
    /// The order with its attempts and tickets, if there is one and it is this buyer's.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn order(
        &self,
        order: OrderId,
        buyer: &BuyerId,
    ) -> Result<Option<OrderRecord>, DatabaseError> {
        let read = self.database.snapshot("find_order", async |transaction| {
            let order = order.uuid();
            let of_buyer = &[(&order as _, Type::UUID), (&buyer.as_str() as _, Type::TEXT)];
            let found = transaction.query_typed(FIND, of_buyer);
            OrderRows::of_order(&transaction, order, found).await
        });
        Ok(read.await?.records()?.pop())
    }
}
