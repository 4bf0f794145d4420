//! A buyer's orders, newest first, a page at a time.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{EventNumber, OrderId};
use taquilla_engine::moment::Moment;
use tokio_postgres::types::{ToSql, Type};

use super::Orders;
use super::public_status::PublicStatus;
use super::record::{OrderRecord, OrderRows, order_columns};
use crate::database::DatabaseError;
use crate::page::{Page, one_more_than};
use crate::stamp::Stamp;

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

/// The whole table, whoever's they are: operators look seldom, and a key more costs each order.
const LIST_ALL: &str = concat!(
    "/* list_all_orders */ SELECT ",
    order_columns!(),
    " FROM orders o JOIN holds h USING (hold_id) JOIN events e ON e.event_no = o.event_no \
     WHERE ($1::text IS NULL OR o.buyer = $1) \
       AND ($2::integer IS NULL OR o.event_no = $2) \
       AND ($3::timestamptz IS NULL \
            OR (o.created_at <= $3 AND (o.created_at < $3 OR o.order_id > $4::uuid))) \
     ORDER BY o.created_at DESC, o.order_id LIMIT $5"
);

/// What a list of everybody's orders is narrowed to; everything unless said.
#[derive(Clone, Debug, Default)]
pub struct OrderFilter {
    /// Only this buyer's.
    pub buyer: Option<BuyerId>,
    /// Only of this event.
    pub event: Option<EventNumber>,
    /// Only in this status.
    pub status: Option<PublicStatus>,
}

impl OrderFilter {
    fn passes(&self, order: &OrderRecord) -> bool {
        self.status.is_none_or(|status| order.status == status)
    }
}

/// Rows that one page of a status looks at: what few orders have is found over several pages.
const LOOKED_AT_MAX: u16 = 500;

impl Orders {
    /// The next orders after the position that pass the filter, whoever's they are; `limit` at most. A
    /// page may be short, or empty, and still not be the last.
    pub async fn list_all(
        &self,
        filter: &OrderFilter,
        after: Option<OrderPosition>,
        limit: u16,
    ) -> Result<Page<OrderRecord, OrderPosition>, DatabaseError> {
        // A status is derived from more than its row, so it is not asked of the database.
        let looked_at = filter.status.map_or(limit, |_| LOOKED_AT_MAX);
        let buyer = filter.buyer.as_ref().map(BuyerId::as_str);
        let event = filter.event.map(|event| event.0);
        let after_time = after.map(|position| Stamp(position.created_at));
        let after_order = after.map(|position| position.order.uuid());
        let read = self.database.snapshot("list_all_orders", async |transaction| {
            let params: [(&(dyn ToSql + Sync), Type); 5] = [
                (&buyer, Type::TEXT),
                (&event, Type::INT4),
                (&after_time, Type::TIMESTAMPTZ),
                (&after_order, Type::UUID),
                (&one_more_than(looked_at), Type::INT8),
            ];
            let orders = transaction.query_typed(LIST_ALL, &params).await?;
            OrderRows::complete(&transaction, orders).await
        });
        let position =
            |order: &OrderRecord| OrderPosition { created_at: order.created_at, order: order.id };
        let looked_at = Page::cut(read.await?.records()?, looked_at, position);
        let mut passing = Vec::new();
        for order in looked_at.items.into_iter().filter(|order| filter.passes(order)) {
            if passing.len() == usize::from(limit) {
                let next = passing.last().map(position);
                return Ok(Page { items: passing, next });
            }
            passing.push(order);
        }
        Ok(Page { items: passing, next: looked_at.next })
    }

    /// The next `limit` orders of this buyer after the position, of one event or of all.
    pub async fn list(
        &self,
        buyer: &BuyerId,
        event: Option<EventNumber>,
        after: Option<OrderPosition>,
        limit: u16,
    ) -> Result<Page<OrderRecord, OrderPosition>, DatabaseError> {
        let event = event.map(|event| event.0);
        let after_time = after.map(|position| Stamp(position.created_at));
        let after_order = after.map(|position| position.order.uuid());
        let read = self.database.snapshot("list_orders", async |transaction| {
            let params: [(&(dyn ToSql + Sync), Type); 5] = [
                (&buyer.as_str(), Type::TEXT),
                (&event, Type::INT4),
                (&after_time, Type::TIMESTAMPTZ),
                (&after_order, Type::UUID),
                (&one_more_than(limit), Type::INT8),
            ];
            let orders = transaction.query_typed(LIST, &params).await?;
            OrderRows::complete(&transaction, orders).await
        });
        Ok(Page::cut(read.await?.records()?, limit, |order| OrderPosition {
            created_at: order.created_at,
            order: order.id,
        }))
    }
}
