//! An order with all that belongs to it, from rows of one snapshot.

use std::collections::HashMap;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::{EventId, HoldId, OrderId};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::order::OrderStatus;
use taquilla_engine::payment::{Attempt, AttemptStatus};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Row};
use uuid::Uuid;

use super::bill::Bill;
use super::hold::hold_status;
use super::public_status::{OrderState, PublicStatus};
use super::ticket::{self, TicketRecord, TicketStatus};
use crate::attempts::row::{attempt_columns, read_attempt};
use crate::codes;
use crate::columns::{self, BrokenRow};
use crate::pool::PooledClient;

/// The columns of an order, from `orders o JOIN holds h JOIN events e`. `now()` is the transaction's
/// start, before its snapshot: a hold that is over by it was over when the rows were seen.
macro_rules! order_columns {
    () => {
        concat!(
            "o.order_id, o.hold_id, e.event_id, o.buyer, o.status, o.created_at, \
             h.status AS hold_status, h.expires_at, now() >= h.expires_at AS hold_over, \
             now() AS as_of, ",
            $crate::orders::bill::bill_columns!()
        )
    };
}
pub(super) use order_columns;

macro_rules! attempts_of {
    ($name:literal, $orders:literal) => {
        concat!(
            "/* ",
            $name,
            " */ SELECT ",
            attempt_columns!(),
            ", came_back FROM payment_attempts WHERE order_id ",
            $orders,
            " ORDER BY created_at, attempt_id"
        )
    };
}

const ATTEMPTS_OF_ORDER: &str = attempts_of!("attempts_of_order", "= $1");
const ATTEMPTS_OF_ORDERS: &str = attempts_of!("attempts_of_orders", "= ANY ($1)");

/// What is owed or was paid for tickets that came back, by order. A capture that failed owes nothing and
/// gives nothing back. What came back once all was paid is owed, and does not make the order another.
macro_rules! refunds_of {
    ($name:literal, $orders:literal) => {
        concat!(
            "/* ",
            $name,
            " */ SELECT order_id, bool_or(status = 'due' AND NOT came_back_ended) AS is_owed, \
                coalesce(sum(amount) FILTER (WHERE status = 'settled'), 0)::bigint AS paid_back \
               FROM refunds WHERE order_id ",
            $orders,
            " AND cause <> 'capture_failed' GROUP BY order_id"
        )
    };
}

const REFUNDS_OF_ORDER: &str = refunds_of!("refunds_of_order", "= $1");
const REFUNDS_OF_ORDERS: &str = refunds_of!("refunds_of_orders", "= ANY ($1)");

/// An order with everything that its buyer is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRecord {
    /// Its id.
    pub id: OrderId,
    /// The hold that it pays for.
    pub hold: HoldId,
    /// Of which event.
    pub event: EventId,
    /// Whose it is.
    pub buyer: BuyerId,
    /// By rows and clock.
    pub status: PublicStatus,
    /// What is bought, and for how much.
    pub bill: Bill,
    /// When it was made.
    pub created_at: Moment,
    /// When its hold ends.
    pub pay_before: Moment,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
    /// In seat order; none before confirmation.
    pub tickets: Vec<TicketRecord>,
    /// What has been paid back, if anything was.
    pub refunded: Option<Money>,
    /// The database's clock at the read.
    pub as_of: Moment,
}

/// The rows of some orders, before they are put together.
pub(super) struct OrderRows {
    orders: Vec<Row>,
    attempts: Vec<Row>,
    tickets: Vec<Row>,
    refunds: Vec<Row>,
}

/// Of the tickets of an order that came back.
#[derive(Clone, Copy, Default)]
struct GivenBack {
    is_owed: bool,
    paid_back: i64,
}

impl OrderRows {
    /// The rows of one order, if `found` has any; all in one snapshot and asked for at once.
    pub(super) async fn of_order(
        transaction: &PooledClient,
        order: Uuid,
        found: impl Future<Output = Result<Vec<Row>, Error>>,
    ) -> Result<OrderRows, Error> {
        let of_it: &[(&(dyn ToSql + Sync), Type)] = &[(&order, Type::UUID)];
        let (orders, attempts, tickets, refunds) = tokio::try_join!(
            found,
            transaction.query_typed(ATTEMPTS_OF_ORDER, of_it),
            transaction.query_typed(ticket::OF_ORDER, of_it),
            transaction.query_typed(REFUNDS_OF_ORDER, of_it),
        )?;
        Ok(OrderRows { orders, attempts, tickets, refunds })
    }

    /// Reads what belongs to these orders, in the same snapshot as they. Planned for as many as they are.
    pub(super) async fn complete(
        transaction: &PooledClient,
        orders: Vec<Row>,
    ) -> Result<OrderRows, Error> {
        let ids: Vec<Uuid> =
            orders.iter().map(|row| row.try_get("order_id")).collect::<Result<_, _>>()?;
        if ids.is_empty() {
            let (attempts, tickets, refunds) = Default::default();
            return Ok(OrderRows { orders, attempts, tickets, refunds });
        }
        let of_them: &[(&(dyn ToSql + Sync), Type)] = &[(&ids, Type::UUID_ARRAY)];
        let (attempts, tickets, refunds) = tokio::try_join!(
            transaction.query_planned(ATTEMPTS_OF_ORDERS, of_them),
            transaction.query_planned(ticket::OF_ORDERS, of_them),
            transaction.query_planned(REFUNDS_OF_ORDERS, of_them),
        )?;
        Ok(OrderRows { orders, attempts, tickets, refunds })
    }

    /// The records, in the order of their rows.
    pub(super) fn records(&self) -> Result<Vec<OrderRecord>, BrokenRow> {
        let mut attempts: HashMap<OrderId, Vec<Attempt>> = HashMap::new();
        let mut statuses: HashMap<OrderId, Vec<AttemptStatus>> = HashMap::new();
        for row in &self.attempts {
            let attempt = read_attempt(row)?;
            statuses.entry(attempt.order).or_default().push(status_for_its_order(&attempt, row)?);
            attempts.entry(attempt.order).or_default().push(attempt);
        }
        let mut tickets: HashMap<OrderId, Vec<TicketRecord>> = HashMap::new();
        for row in &self.tickets {
            let (order, ticket) = ticket::read(row)?;
            tickets.entry(order).or_default().push(ticket);
        }
        let mut refunds: HashMap<OrderId, GivenBack> = HashMap::new();
        for row in &self.refunds {
            let order = columns::id(row, "order_id", OrderId::parse)?;
            let is_owed = columns::get(row, "is_owed")?;
            let paid_back = columns::get(row, "paid_back")?;
            refunds.insert(order, GivenBack { is_owed, paid_back });
        }
        let record = |row: &Row| {
            let id = columns::id(row, "order_id", OrderId::parse)?;
            let attempts = attempts.remove(&id).unwrap_or_default();
            let tickets = tickets.remove(&id).unwrap_or_default();
            let statuses = statuses.remove(&id).unwrap_or_default();
            read_order(row, id, (attempts, &statuses), tickets, refunds.remove(&id))
        };
        self.orders.iter().map(record).collect()
    }
}

/// What was given back once has ended its order, even if it came back and is owed anew.
fn status_for_its_order(attempt: &Attempt, row: &Row) -> Result<AttemptStatus, BrokenRow> {
    let came_back: bool = columns::get(row, "came_back")?;
    let is_owed_anew = came_back && attempt.status == AttemptStatus::RefundDue;
    Ok(if is_owed_anew { AttemptStatus::Refunded } else { attempt.status })
}

fn read_order(
    row: &Row,
    id: OrderId,
    (attempts, statuses): (Vec<Attempt>, &[AttemptStatus]),
    tickets: Vec<TicketRecord>,
    refunds: Option<GivenBack>,
) -> Result<OrderRecord, BrokenRow> {
    let bill = Bill::read(row)?;
    let status = PublicStatus::of(OrderState {
        status: order_status(row, "status")?,
        free: bill.total.amount == 0,
        hold_over: hold_status(row, "hold_status", "hold_over")? != HoldStatus::Active,
        attempts: statuses,
        given_back: refunds.is_some_and(|refunds| !refunds.is_owed)
            && (bill.total.amount == 0 || statuses.contains(&AttemptStatus::Captured))
            && tickets.iter().all(|ticket| ticket.status == TicketStatus::Void),
    });
    let currency = bill.total.currency;
    let paid_back = refunds.map_or(0, |refunds| refunds.paid_back);
    Ok(OrderRecord {
        id,
        hold: columns::id(row, "hold_id", HoldId::parse)?,
        event: columns::id(row, "event_id", EventId::parse)?,
        buyer: columns::parse(row, "buyer", BuyerId::parse)?,
        status,
        bill,
        created_at: columns::moment(row, "created_at")?,
        pay_before: columns::moment(row, "expires_at")?,
        attempts,
        tickets,
        refunded: (paid_back > 0).then_some(Money { amount: paid_back, currency }),
        as_of: columns::moment(row, "as_of")?,
    })
}

/// The lane's part of an order's state.
pub(crate) fn order_status(row: &Row, column: &str) -> Result<OrderStatus, BrokenRow> {
    columns::parse(row, column, codes::order_status)
}
