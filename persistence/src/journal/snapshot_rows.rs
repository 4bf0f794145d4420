//! An event's rows as the engine's things: each query with the reading of its columns, in order.

use std::fmt;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::event::{Places, Receipt, ReceiptResult};
use taquilla_engine::hold::{Claim, Hold, Remarks};
use taquilla_engine::id::{
    AttemptId, Epoch, HoldId, OrderId, PlanId, ReceiptId, RefundId, SeatIndex, SectionIndex,
    Sequence, TicketId,
};
use taquilla_engine::journal::TakeOverError;
use taquilla_engine::moment::Moment;
use taquilla_engine::order::{Order, Verdict};
use taquilla_engine::pricing::Quote;
use taquilla_engine::refund::{Cause, Refund};
use taquilla_engine::sale::Sale;
use taquilla_engine::section::SeatState;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use uuid::Uuid;

use crate::catalogue::read_sale;
use crate::stamp::Stamp;
use crate::{codes, keys, remarks};

pub(super) const HEAD: &str = "/* snapshot_head */ \
    SELECT epoch, seq, decided_at, clock_timestamp() FROM event_heads WHERE event_no = $1";

pub(super) const SEATS: &str = "/* snapshot_seats */ \
    SELECT seat_key, state, hold_id FROM seats \
    WHERE seat_key >= $1 AND seat_key < $2 AND state <> 0";

pub(super) const GENERAL_AREAS: &str = "/* snapshot_general_areas */ \
    SELECT section_no, held, sold, capacity FROM general_areas WHERE event_no = $1";

/// What operators may have changed since the event's terms were read for the first time.
pub(super) const SALE: &str = "/* snapshot_sale */ \
    SELECT opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, waiting_room, paused, \
           verifying_extension_seconds, cancelled \
      FROM events WHERE event_no = $1";

pub(super) const PLAN: &str = "/* snapshot_plan */ SELECT plan_id FROM events WHERE event_no = $1";

pub(super) const PRICES: &str = "/* snapshot_prices */ \
    SELECT tier_no, price FROM event_tiers WHERE event_no = $1";

pub(super) const BUYERS: &str = "/* snapshot_buyers */ \
    SELECT buyer, seats FROM buyers WHERE event_no = $1 AND seats > 0";

/// The columns of a hold and its order, from `holds h LEFT JOIN orders o`.
macro_rules! hold_columns {
    () => {
        "h.hold_id, h.buyer, h.fingerprint, h.seats, \
           CASE WHEN h.quantity > cardinality(h.seats) THEN ( \
               SELECT array_agg(section_no::integer ORDER BY place) FROM hold_places p \
                WHERE p.hold_id = h.hold_id) END, \
           CASE WHEN h.quantity > cardinality(h.seats) THEN ( \
               SELECT array_agg(quantity ORDER BY place) FROM hold_places p \
                WHERE p.hold_id = h.hold_id) END, \
           h.quantity, h.unit_prices, h.fees, h.total, h.status, h.created_at, h.expires_at, h.extended, \
           h.remarks, \
           o.order_id, o.status, o.total, o.created_at "
    };
}

/// The columns of a refund.
macro_rules! refund_columns {
    () => {
        "refund_id, order_id, fingerprint, cause, reason, who, amount, tickets, created_at "
    };
}

/// Attempts about which the lane has decided; [`codes::verdict`] says what.
macro_rules! decided {
    () => {
        "status IN ('confirmed', 'capture_failed', 'return_due', 'captured', \
                    'void_due', 'voided', 'refund_due', 'refunded') "
    };
}
pub(super) use {decided, hold_columns, refund_columns};

/// Active holds, young ones, those asked for, and those whose orders are still needed: by money on
/// its way, by a key that is remembered, or by tickets that came back.
pub(super) const HOLDS: &str = concat!(
    "/* snapshot_holds */ SELECT ",
    hold_columns!(),
    "\
    FROM holds h LEFT JOIN orders o ON o.hold_id = h.hold_id \
    WHERE h.hold_id >= $1 AND h.hold_id < $2 \
      AND (h.status = 0 OR h.created_at > $4 OR h.hold_id = ANY ($5) \
           OR o.order_id IN (SELECT a.order_id FROM payment_attempts a \
                WHERE a.attempt_id >= $1 AND a.attempt_id < $2 \
                  AND a.status NOT IN ('captured', 'declined', 'voided', 'refunded', 'failed')) \
           OR o.order_id IN (SELECT r.order_id FROM receipts r \
                WHERE r.event_no = $3 AND r.operation = 0 AND r.created_at > $4) \
           OR o.order_id IN (SELECT b.order_id FROM refunds b \
                WHERE b.event_no = $3 AND b.created_at > $4))"
);

pub(super) const VERDICTS: &str = concat!(
    "/* snapshot_verdicts */ SELECT order_id, attempt_id, status FROM payment_attempts \
     WHERE attempt_id >= $1 AND attempt_id < $2 AND ",
    decided!(),
    "ORDER BY created_at, attempt_id"
);

/// All of the event; those of orders that are not read are passed over.
pub(super) const REFUNDS: &str = concat!(
    "/* snapshot_refunds */ SELECT ",
    refund_columns!(),
    "FROM refunds WHERE event_no = $1 ORDER BY created_at, refund_id"
);

pub(super) const RECEIPTS: &str = "/* snapshot_receipts */ \
    SELECT receipt_id, fingerprint, result, order_id, detail, created_at FROM receipts \
    WHERE event_no = $1 AND operation = 0 AND created_at > $2";

/// Which plan the event has.
pub(super) fn plan(row: &Row) -> Result<PlanId, TakeOverError> {
    Columns::of(row).next().map(PlanId)
}

/// The head as the transaction sees it.
pub(super) struct Head {
    pub(super) epoch: Epoch,
    pub(super) sequence: Sequence,
    pub(super) decided_at: Moment,
    pub(super) database_time: Moment,
}

pub(super) fn raised_epoch(row: &Row) -> Result<Epoch, TakeOverError> {
    let raised: Option<i64> = Columns::of(row).next()?;
    raised.map(Epoch).ok_or(TakeOverError::Overtaken)
}

pub(super) fn head(row: &Row) -> Result<Head, TakeOverError> {
    let mut columns = Columns::of(row);
    Ok(Head {
        epoch: Epoch(columns.next()?),
        sequence: Sequence(columns.next()?),
        decided_at: columns.moment()?,
        database_time: columns.moment()?,
    })
}

pub(super) fn seat(row: &Row) -> Result<(SeatIndex, SeatState), TakeOverError> {
    let mut columns = Columns::of(row);
    let seat = keys::seat_index(columns.next()?);
    let (code, owner): (i16, Option<Uuid>) = (columns.next()?, columns.next()?);
    let state = match (code, owner) {
        (1, Some(hold)) => SeatState::Held(known(hold, HoldId::parse)?),
        (2, Some(hold)) => SeatState::Sold(known(hold, HoldId::parse)?),
        (3, None) => SeatState::Blocked,
        _ => return Err(broken(format_args!("{seat:?} is in state {code} of {owner:?}"))),
    };
    Ok((seat, state))
}

/// A general section with its counts and its capacity.
pub(super) fn general_area(row: &Row) -> Result<(SectionIndex, Places, u32), TakeOverError> {
    let mut columns = Columns::of(row);
    let section = columns.section()?;
    let places = Places { held: columns.count()?, sold: columns.count()? };
    Ok((section, places, columns.count()?))
}

pub(super) fn sale(row: &Row) -> Result<Sale, TakeOverError> {
    read_sale(row).map_err(broken)
}

/// A tier and its price.
pub(super) fn price(row: &Row) -> Result<(u16, i64), TakeOverError> {
    let mut columns = Columns::of(row);
    Ok((u16::try_from(columns.next::<i16>()?).map_err(broken)?, columns.next()?))
}

pub(super) fn buyer(row: &Row) -> Result<(BuyerId, u32), TakeOverError> {
    let mut columns = Columns::of(row);
    Ok((columns.buyer()?, columns.count()?))
}

/// A hold, and its order if it has one; that is without verdicts and refunds yet.
pub(super) fn hold(row: &Row) -> Result<(Hold, Option<Order>), TakeOverError> {
    let mut columns = Columns::of(row);
    let mut hold = Hold {
        id: known(columns.next()?, HoldId::parse)?,
        buyer: columns.buyer()?,
        fingerprint: columns.fingerprint()?,
        claim: columns.claim()?,
        unit_prices: columns.next()?,
        quote: Quote { fees: columns.next()?, total: columns.next()? },
        status: known(columns.next()?, codes::hold_status)?,
        created_at: columns.moment()?,
        expires_at: columns.moment()?,
        extended: columns.next()?,
        order: None,
        remarks: columns.remarks()?,
    };
    let Some(order) = columns.next::<Option<Uuid>>()? else { return Ok((hold, None)) };
    let order = Order {
        id: known(order, OrderId::parse)?,
        hold: hold.id,
        buyer: hold.buyer.clone(),
        status: known(columns.next()?, codes::order_status)?,
        total: columns.next()?,
        created_at: columns.moment()?,
        verdicts: Vec::new(),
        refunds: Vec::new(),
    };
    hold.order = Some(order.id);
    Ok((hold, Some(order)))
}

pub(super) fn verdict(row: &Row) -> Result<(OrderId, AttemptId, Verdict), TakeOverError> {
    let mut columns = Columns::of(row);
    Ok((
        known(columns.next()?, OrderId::parse)?,
        known(columns.next()?, AttemptId::parse)?,
        known(columns.next()?, codes::verdict)?,
    ))
}

pub(super) fn refund(row: &Row) -> Result<Refund, TakeOverError> {
    let mut columns = Columns::of(row);
    let (id, order) = (columns.next()?, columns.next()?);
    Ok(Refund {
        id: known(id, RefundId::parse)?,
        order: known(order, OrderId::parse)?,
        fingerprint: columns.fingerprint()?,
        cause: known(columns.next::<&str>()?, Cause::parse)?,
        reason: columns.next::<&str>()?.into(),
        who: columns.next::<&str>()?.into(),
        amount: columns.next()?,
        tickets: columns
            .next::<Vec<Uuid>>()?
            .into_iter()
            .map(|ticket| known(ticket, TicketId::parse))
            .collect::<Result<_, _>>()?,
        at: columns.moment()?,
    })
}

pub(super) fn receipt(row: &Row) -> Result<Receipt, TakeOverError> {
    let mut columns = Columns::of(row);
    let id = known(columns.next()?, ReceiptId::parse)?;
    let fingerprint = columns.fingerprint()?;
    let (code, order): (i16, Option<Uuid>) = (columns.next()?, columns.next()?);
    let word: Option<&str> = columns.next()?;
    let result = match (code, order, word) {
        (0 | 1, Some(order), _) => {
            ReceiptResult::Order { order: known(order, OrderId::parse)?, created: code == 0 }
        }
        (2, None, Some(word)) => {
            ReceiptResult::HoldNotActive(known(word, codes::hold_status_by_word)?)
        }
        _ => return Err(broken(format_args!("{id} has result {code} of {order:?}, {word:?}"))),
    };
    Ok(Receipt { id, fingerprint, result, at: columns.moment()? })
}

/// A row's columns, one after the other.
struct Columns<'a> {
    row: &'a Row,
    read: usize,
}

impl<'a> Columns<'a> {
    fn of(row: &'a Row) -> Self {
        Self { row, read: 0 }
    }

    fn next<T: FromSql<'a>>(&mut self) -> Result<T, TakeOverError> {
        let value = self.row.try_get(self.read).map_err(broken)?;
        self.read += 1;
        Ok(value)
    }

    fn moment(&mut self) -> Result<Moment, TakeOverError> {
        self.next().map(|Stamp(moment)| moment)
    }

    fn buyer(&mut self) -> Result<BuyerId, TakeOverError> {
        known(self.next()?, BuyerId::parse)
    }

    fn count(&mut self) -> Result<u32, TakeOverError> {
        u32::try_from(self.next::<i32>()?).map_err(broken)
    }

    fn section(&mut self) -> Result<SectionIndex, TakeOverError> {
        u16::try_from(self.next::<i16>()?).map(SectionIndex).map_err(broken)
    }

    fn fingerprint(&mut self) -> Result<[u8; 32], TakeOverError> {
        self.next::<&[u8]>()?.try_into().map_err(broken)
    }

    /// Seats, places, and how many they are together.
    fn claim(&mut self) -> Result<Claim, TakeOverError> {
        let seats: Vec<i32> = self.next()?;
        let (sections, quantities): (Option<Vec<i32>>, Option<Vec<i32>>) =
            (self.next()?, self.next()?);
        let seats = seats.into_iter().map(|seat| u32::try_from(seat).map(SeatIndex));
        let mut claim = Claim::of_seats(seats.collect::<Result<_, _>>().map_err(broken)?);
        let quantities = quantities.unwrap_or_default();
        for (section, quantity) in sections.unwrap_or_default().into_iter().zip(quantities) {
            let section = u16::try_from(section).map(SectionIndex).map_err(broken)?;
            claim.places.push((section, u32::try_from(quantity).map_err(broken)?));
        }
        let quantity = self.count()?;
        if claim.quantity() == quantity {
            return Ok(claim);
        }
        Err(broken(format_args!("a hold of {quantity} takes {claim:?}")))
    }

    fn remarks(&mut self) -> Result<Option<Box<Remarks>>, TakeOverError> {
        let column: Option<serde_json::Value> = self.next()?;
        let Some(column) = column else { return Ok(None) };
        let remarks = remarks::of_json(column.clone());
        remarks.map(|it| Some(Box::new(it))).ok_or_else(|| broken(column))
    }
}

fn known<V: fmt::Debug + Copy, T>(
    value: V,
    parse: impl Fn(V) -> Option<T>,
) -> Result<T, TakeOverError> {
    parse(value).ok_or_else(|| broken(format_args!("{value:?} is nothing known here")))
}

fn broken(what: impl fmt::Display) -> TakeOverError {
    TakeOverError::Broken(what.to_string())
}
