//! One snapshot of everything, with SQL that was written for this auditor.

use tokio_postgres::{IsolationLevel, NoTls, Row, Transaction};
use tokio_util::task::AbortOnDropHandle;

use super::{
    Area, Attempt, AttemptStatus, Buyer, Cause, Event, Hold, HoldStatus, Notice, Order,
    OrderStatus, Posting, Refund, RefundStatus, Rows, Seat, SeatState, Ticket, TicketStatus,
};

/// Seats of an event share the high part of their keys.
const SEATS_AN_EVENT: i64 = 1 << 20;

const EVENTS: &str = "/* audit_events */
SELECT e.event_no, e.event_id, e.slug, e.buyer_seats_max, e.currency,
       (SELECT coalesce(sum(s.seats), 0) FROM plan_sections s
         WHERE s.plan_id = e.plan_id AND s.kind = 0),
       CASE WHEN e.cancelled
            THEN (SELECT min(a.at) FROM operator_actions a
                   WHERE a.event_no = e.event_no AND a.what = 'cancel_event')
       END
  FROM events e";

const SEATS: &str = "/* audit_seats */
SELECT s.seat_key, v.label, v.section_no, s.state, s.hold_id, v.row_label, v.accessible
  FROM seats s
  JOIN events e ON e.event_no = s.seat_key >> 20
  LEFT JOIN plan_seats v ON v.plan_id = e.plan_id AND v.seat_index = s.seat_key & 1048575";

const AREAS: &str = "/* audit_areas */
SELECT g.event_no, g.section_no, s.name, g.capacity, g.held, g.sold
  FROM general_areas g
  JOIN events e USING (event_no)
  JOIN plan_sections s ON s.plan_id = e.plan_id AND s.section_no = g.section_no";

const BUYERS: &str = "/* audit_buyers */ SELECT event_no, buyer, seats FROM buyers";

const HOLDS: &str = "/* audit_holds */
SELECT hold_id, event_no, buyer, seats, quantity, unit_prices, fees, total, status,
       created_at, expires_at, ended_at,
       coalesce(remarks ? 'choice', false),
       ARRAY(SELECT p.section_no FROM hold_places p WHERE p.hold_id = h.hold_id ORDER BY p.place),
       ARRAY(SELECT p.quantity FROM hold_places p WHERE p.hold_id = h.hold_id ORDER BY p.place)
  FROM holds h";

const ORDERS: &str =
    "/* audit_orders */ SELECT order_id, hold_id, buyer, status, total FROM orders";

const TICKETS: &str = "/* audit_tickets */
SELECT ticket_id, order_id, event_no, section_no, seat_key, status FROM tickets";

const ATTEMPTS: &str = "/* audit_attempts */
SELECT attempt_id, order_id, amount, currency, status, reference FROM payment_attempts";

const REFUNDS: &str = "/* audit_refunds */
SELECT refund_id, order_id, amount, currency, tickets, cause, status, created_at
  FROM refunds";

const LEDGER: &str = "/* audit_ledger */
SELECT attempt_id, order_id, kind, name, account, amount, currency FROM ledger";

const NOTICES: &str = "/* audit_notices */
SELECT notice_id, kind, attempt_id, settled_at IS NOT NULL FROM provider_notices";

/// Why the rows could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The database, or a column that is not there.
    #[error("the rows cannot be read")]
    Database(#[from] tokio_postgres::Error),
    /// A number that the schema does not explain.
    #[error("{0} has the unknown number {1}")]
    Unexplained(&'static str, i16),
    /// A word that the schema does not explain.
    #[error("{0} has the unknown word {1}")]
    Unheard(&'static str, String),
}

/// Reads everything in one `REPEATABLE READ` snapshot of the database at `url`.
///
/// # Errors
/// [`ReadError`].
pub async fn read_rows(url: &str) -> Result<Rows, ReadError> {
    let (mut client, connection) = tokio_postgres::connect(url, NoTls).await?;
    let _driven = AbortOnDropHandle::new(tokio::spawn(connection));
    let snapshot = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    Ok(Rows {
        events: all(&snapshot, EVENTS, event).await?,
        seats: all(&snapshot, SEATS, seat).await?,
        areas: all(&snapshot, AREAS, area).await?,
        buyers: all(&snapshot, BUYERS, buyer).await?,
        holds: all(&snapshot, HOLDS, hold).await?,
        orders: all(&snapshot, ORDERS, order).await?,
        tickets: all(&snapshot, TICKETS, ticket).await?,
        attempts: all(&snapshot, ATTEMPTS, attempt).await?,
        refunds: all(&snapshot, REFUNDS, refund).await?,
        ledger: all(&snapshot, LEDGER, posting).await?,
        notices: all(&snapshot, NOTICES, notice).await?,
    })
}

async fn all<T>(
    snapshot: &Transaction<'_>,
    sql: &str,
    read: fn(&Row) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    snapshot.query(sql, &[]).await?.iter().map(read).collect()
}

fn explain<T>(
    what: &'static str,
    number: i16,
    meaning: fn(i16) -> Option<T>,
) -> Result<T, ReadError> {
    meaning(number).ok_or(ReadError::Unexplained(what, number))
}

fn spelt<T>(
    what: &'static str,
    word: &str,
    meaning: fn(&str) -> Option<T>,
) -> Result<T, ReadError> {
    meaning(word).ok_or_else(|| ReadError::Unheard(what, word.to_owned()))
}

fn place(seat_key: i64) -> (i32, i32) {
    // Both halves fit by the schema's own bounds; a key that breaks them is found as a stranger.
    let half = |number| i32::try_from(number).unwrap_or(i32::MAX);
    (half(seat_key / SEATS_AN_EVENT), half(seat_key % SEATS_AN_EVENT))
}

fn event(row: &Row) -> Result<Event, ReadError> {
    Ok(Event {
        number: row.try_get(0)?,
        id: row.try_get(1)?,
        slug: row.try_get(2)?,
        buyer_seats_max: row.try_get(3)?,
        currency: row.try_get(4)?,
        planned_seats: row.try_get(5)?,
        cancelled_at: row.try_get(6)?,
    })
}

fn seat(row: &Row) -> Result<Seat, ReadError> {
    let (event, index) = place(row.try_get(0)?);
    Ok(Seat {
        event,
        index,
        label: row.try_get::<_, Option<String>>(1)?.unwrap_or_default(),
        // A seat that the plan does not have is a stranger to every section, too.
        section: row.try_get::<_, Option<i16>>(2)?.unwrap_or(-1),
        state: explain("a seat", row.try_get(3)?, SeatState::of)?,
        hold: row.try_get(4)?,
        row: row.try_get::<_, Option<String>>(5)?.unwrap_or_default(),
        accessible: row.try_get::<_, Option<bool>>(6)?.unwrap_or_default(),
    })
}

fn area(row: &Row) -> Result<Area, ReadError> {
    Ok(Area {
        event: row.try_get(0)?,
        section: row.try_get(1)?,
        name: row.try_get(2)?,
        capacity: row.try_get(3)?,
        held: row.try_get(4)?,
        sold: row.try_get(5)?,
    })
}

fn buyer(row: &Row) -> Result<Buyer, ReadError> {
    Ok(Buyer { event: row.try_get(0)?, name: row.try_get(1)?, seats: row.try_get(2)? })
}

fn hold(row: &Row) -> Result<Hold, ReadError> {
    let (sections, quantities): (Vec<i16>, Vec<i32>) = (row.try_get(13)?, row.try_get(14)?);
    Ok(Hold {
        id: row.try_get(0)?,
        event: row.try_get(1)?,
        buyer: row.try_get(2)?,
        seats: row.try_get(3)?,
        places: sections.into_iter().zip(quantities).collect(),
        quantity: row.try_get(4)?,
        unit_prices: row.try_get(5)?,
        fees: row.try_get(6)?,
        total: row.try_get(7)?,
        status: explain("a hold", row.try_get(8)?, HoldStatus::of)?,
        is_chosen: row.try_get(12)?,
        created_at: row.try_get(9)?,
        expires_at: row.try_get(10)?,
        ended_at: row.try_get(11)?,
    })
}

fn order(row: &Row) -> Result<Order, ReadError> {
    Ok(Order {
        id: row.try_get(0)?,
        hold: row.try_get(1)?,
        buyer: row.try_get(2)?,
        status: explain("an order", row.try_get(3)?, OrderStatus::of)?,
        total: row.try_get(4)?,
    })
}

fn ticket(row: &Row) -> Result<Ticket, ReadError> {
    let seat_key: Option<i64> = row.try_get(4)?;
    Ok(Ticket {
        id: row.try_get(0)?,
        order: row.try_get(1)?,
        event: row.try_get(2)?,
        section: row.try_get(3)?,
        seat: seat_key.map(|key| place(key).1),
        status: explain("a ticket", row.try_get(5)?, TicketStatus::of)?,
    })
}

fn attempt(row: &Row) -> Result<Attempt, ReadError> {
    Ok(Attempt {
        id: row.try_get(0)?,
        order: row.try_get(1)?,
        amount: row.try_get(2)?,
        currency: row.try_get(3)?,
        status: spelt("an attempt", row.try_get(4)?, AttemptStatus::of)?,
        reference: row.try_get(5)?,
    })
}

fn refund(row: &Row) -> Result<Refund, ReadError> {
    Ok(Refund {
        id: row.try_get(0)?,
        order: row.try_get(1)?,
        amount: row.try_get(2)?,
        currency: row.try_get(3)?,
        tickets: row.try_get(4)?,
        cause: spelt("the cause of a refund", row.try_get(5)?, Cause::of)?,
        status: spelt("a refund", row.try_get(6)?, RefundStatus::of)?,
        created_at: row.try_get(7)?,
    })
}

fn posting(row: &Row) -> Result<Posting, ReadError> {
    Ok(Posting {
        attempt: row.try_get(0)?,
        order: row.try_get(1)?,
        kind: row.try_get(2)?,
        name: row.try_get(3)?,
        account: row.try_get(4)?,
        amount: row.try_get(5)?,
        currency: row.try_get(6)?,
    })
}

fn notice(row: &Row) -> Result<Notice, ReadError> {
    Ok(Notice {
        id: row.try_get(0)?,
        kind: row.try_get(1)?,
        attempt: row.try_get(2)?,
        is_settled: row.try_get(3)?,
    })
}
