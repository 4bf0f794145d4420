//! Orders, newest first, a page at a time: a buyer's own, and everybody's for operators.

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

/// Planned with its parameters: a buyer's are read in the order of the index `orders_by_buyer_and_age`;
/// for everybody's, the whole table is, since operators look seldom, and a key more costs each order.
const LIST: &str = concat!(
    "/* list_orders */ SELECT ",
    order_columns!(),
    " FROM orders o JOIN holds h USING (hold_id) JOIN events e ON e.event_no = o.event_no \
     WHERE ($1::text IS NULL OR o.buyer = $1) \
       AND ($2::integer IS NULL OR o.event_no = $2) \
       AND ($3::timestamptz IS NULL \
            OR (o.created_at <= $3 AND (o.created_at < $3 OR o.order_id > $4::uuid))) \
     ORDER BY o.created_at DESC, o.order_id LIMIT $5"
);

/// Rows that one page of a status looks at: what few orders have is found over several pages.
const LOOKED_AT_MAX: u16 = 500;

/// Where a page of orders begins: after this one. Stable while orders come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderPosition {
    /// Orders are listed by this, newest first,
    pub created_at: Moment,
    /// and those of one instant by this.
    pub order: OrderId,
}

impl OrderPosition {
    fn of(order: &OrderRecord) -> OrderPosition {
        OrderPosition { created_at: order.created_at, order: order.id }
    }
}

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

impl Orders {
    /// The next `limit` orders of this buyer after the position, of one event or of all.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn list(
        &self,
        buyer: &BuyerId,
        event: Option<EventNumber>,
        after: Option<OrderPosition>,
        limit: u16,
    ) -> Result<Page<OrderRecord, OrderPosition>, DatabaseError> {
        self.page("list_orders", Some(buyer), event, after, limit).await
    }

    /// The next orders after the position that pass the filter, whoever's they are; `limit` at most. A
    /// page may be short, or empty, and still not be the last.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn list_all(
        &self,
        filter: &OrderFilter,
        after: Option<OrderPosition>,
        limit: u16,
    ) -> Result<Page<OrderRecord, OrderPosition>, DatabaseError> {
        let OrderFilter { buyer, event, status } = filter;
        // A status is derived from more than its row, so it is not asked of the database.
        let looked_at = status.map_or(limit, |_| LOOKED_AT_MAX);
        let looked_at =
            self.page("list_all_orders", buyer.as_ref(), *event, after, looked_at).await?;
        let mut passing = Vec::new();
        for order in looked_at.items.into_iter().filter(|order| filter.passes(order)) {
            if passing.len() == usize::from(limit) {
                let next = passing.last().map(OrderPosition::of);
                return Ok(Page { items: passing, next });
            }
            passing.push(order);
        }
        Ok(Page { items: passing, next: looked_at.next })
    }

    async fn page(
        &self,
        name: &'static str,
        buyer: Option<&BuyerId>,
        event: Option<EventNumber>,
        after: Option<OrderPosition>,
        limit: u16,
    ) -> Result<Page<OrderRecord, OrderPosition>, DatabaseError> {
        let (buyer, event) = (buyer.map(BuyerId::as_str), event.map(|event| event.0));
        let after_time = after.map(|position| Stamp(position.created_at));
        let after_order = after.map(|position| position.order.uuid());
        let read = self.database.snapshot(name, async |transaction| {
            let params: [(&(dyn ToSql + Sync), Type); 5] = [
                (&buyer, Type::TEXT),
                (&event, Type::INT4),
                (&after_time, Type::TIMESTAMPTZ),
                (&after_order, Type::UUID),
                (&one_more_than(limit), Type::INT8),
            ];
            let orders = transaction.query_planned(LIST, &params).await?;
            OrderRows::complete(&transaction, orders).await
        });
        Ok(Page::cut(read.await?.records()?, limit, OrderPosition::of))
    }
}
