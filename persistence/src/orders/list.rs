//! A buyer's orders, newest first, a page at a time.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{EventNumber, OrderId};
use taquilla_engine::moment::Moment;

use super::Orders;
use super::record::{OrderRecord, OrderRows, order_columns};
use crate::database::DatabaseError;
use crate::page::{Page, one_more_than};
use crate::rows;

/// In the order of the index `orders_by_buyer_and_age`.
const LIST: &str = concat!(
    "/* list_orders */ SELECT ",
    order_columns!(),
    " FROM orders o JOIN holds h USING (hold_id) JOIN events e ON e.event_no = o.event_no \
     WHERE o.buyer = $1 \
       AND ($2::integer IS NULL OR o.event_no = $2) \
       AND ($3::timestamptz IS NULL \
            OR (o.created_at <= $3 AND (o.created_at < $3 OR o.order_id > $4::uuid))) \
     ORDER BY o.created_at DESC, o.order_id LIMIT $5"
);

/// Where a page of orders begins: after this one. Stable while orders come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderPosition {
    /// Orders are listed by this, newest first,
    pub created_at: Moment,
    /// and those of one instant by this.
    pub order: OrderId,
}

impl Orders {
    /// The next `limit` orders of this buyer after the position, of one event or of all.
    pub async fn list(
        &self,
        buyer: &BuyerId,
        event: Option<EventNumber>,
        after: Option<OrderPosition>,
        limit: u16,
    ) -> Result<Page<OrderRecord, OrderPosition>, DatabaseError> {
        let event = event.map(|event| event.0);
        let after_time = after.map(|position| rows::timestamp(position.created_at));
        let after_order = after.map(|position| position.order.uuid());
        let read = self.database.snapshot("list_orders", async |transaction| {
            let params: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
                [&buyer.as_str(), &event, &after_time, &after_order, &one_more_than(limit)];
            let orders = transaction.query(LIST, &params).await?;
            OrderRows::complete(&transaction, orders).await
        });
        Ok(Page::cut(read.await?.records()?, limit, |order| OrderPosition {
            created_at: order.created_at,
            order: order.id,
        }))
    }
}
