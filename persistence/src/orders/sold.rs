//! What a return of tickets needs to know of its order, however old that is, and what became of it.

use taquilla_engine::id::{OrderId, RefundId, TicketId};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::refund::SoldOrder;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::Orders;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::journal::SoldOrderRows;

const REFUND: &str = "/* find_refund */ \
    SELECT refund_id, order_id, amount, currency, tickets, status, created_at FROM refunds \
     WHERE refund_id = $1";

/// Tickets that came back, and how far their money is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundRecord {
    /// Its id.
    pub id: RefundId,
    /// Whose tickets.
    pub order: OrderId,
    /// What is owed for them.
    pub money: Money,
    /// Which came back.
    pub tickets: Vec<TicketId>,
    /// Whether the money is back.
    pub status: RefundStatus,
    /// When it was decided.
    pub created_at: Moment,
}

/// How far a refund's money is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundStatus {
    /// Owed.
    Due,
    /// Nothing is owed.
    None,
    /// Given back.
    Settled,
}

impl RefundStatus {
    /// The status as operators see it: where nothing is owed, nothing is left to do.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            RefundStatus::Due => "pending",
            RefundStatus::None | RefundStatus::Settled => "settled",
        }
    }

    pub(crate) fn from_column(status: &str) -> Option<RefundStatus> {
        match status {
            "due" => Some(RefundStatus::Due),
            "none" => Some(RefundStatus::None),
            "settled" => Some(RefundStatus::Settled),
            _ => None,
        }
    }
}

impl Orders {
    /// The order with its hold, its attempts' verdicts and its refunds, sold or not.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn sold(&self, order: OrderId) -> Result<Option<SoldOrder>, DatabaseError> {
        Ok(self.all_sold(&[order]).await?.pop())
    }

    /// Those that there are of these, in the order of their ids, as of one instant.
    pub(super) async fn all_sold(
        &self,
        orders: &[OrderId],
    ) -> Result<Vec<SoldOrder>, DatabaseError> {
        let ids: Vec<Uuid> = orders.iter().map(|order| order.uuid()).collect();
        let read = self.database.snapshot("sold_orders", async |transaction| {
            SoldOrderRows::read(&transaction, &ids).await
        });
        let rows = read.await?.orders();
        rows.map_err(|error| BrokenRow::new("sold_orders", error).into())
    }

    /// The refund of this id; `None` if there is none yet.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn refund(&self, id: RefundId) -> Result<Option<RefundRecord>, DatabaseError> {
        let uuid = id.uuid();
        let row = self.database.read("find_refund", async |client| {
            client.query_typed_opt(REFUND, &[(&uuid, Type::UUID)]).await
        });
        let Some(row) = row.await? else { return Ok(None) };
        let tickets = |ids: Vec<Uuid>| ids.into_iter().map(TicketId::parse).collect();
        Ok(Some(RefundRecord {
            id,
            order: columns::id(&row, "order_id", OrderId::parse)?,
            money: Money {
                amount: columns::get(&row, "amount")?,
                currency: columns::currency(&row)?,
            },
            tickets: columns::parse(&row, "tickets", tickets)?,
            status: columns::parse(&row, "status", RefundStatus::from_column)?,
            created_at: columns::moment(&row, "created_at")?,
        }))
    }
}
