//! Everything that the decision rests on.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::hold::{Fingerprint, HoldStatus};
use taquilla_engine::moment::Moment;
use taquilla_engine::order::OrderStatus;
use taquilla_engine::payment::{Attempt, AttemptStatus, NewAttempt};
use taquilla_engine::sale::SaleStatus;
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use super::super::row::{attempt_columns, read_attempt};
use super::decide::Remembered;
use crate::columns::{self, BrokenRow};
use crate::orders::{hold_status, order_status};
use crate::pool::PooledClient;

const KEY: &str = concat!(
    "/* open_attempt */ SELECT ",
    attempt_columns!(),
    " FROM payment_attempts WHERE attempt_id = $1"
);

const RECEIPT: &str = "/* open_attempt */ \
    SELECT fingerprint, result, detail FROM receipts WHERE receipt_id = $1 AND operation = 1";

/// `statement_timestamp()` is read before the statement's snapshot is taken: a hold that is over by
/// it was over when the rows were seen.
const ORDER: &str = "/* open_attempt */ \
    SELECT o.buyer, o.status, o.total, h.status AS hold_status, \
           statement_timestamp() >= h.expires_at AS hold_over, \
           e.paused, e.cancelled, e.opens_at, s.purchases_paused, \
           s.payments_closed IS NOT NULL AS payments_closed, \
           ARRAY(SELECT status FROM payment_attempts a WHERE a.order_id = o.order_id \
                  ORDER BY created_at, attempt_id) AS attempts \
      FROM orders o JOIN holds h USING (hold_id) JOIN events e ON e.event_no = o.event_no \
     CROSS JOIN site s WHERE order_id = $1";

/// What the key stands for, and what the order is.
pub(super) struct Seen {
    pub(super) attempt: Option<Attempt>,
    pub(super) receipt: Option<(Fingerprint, Remembered)>,
    pub(super) order: Option<SeenOrder>,
}

pub(super) struct SeenOrder {
    pub(super) buyer: BuyerId,
    pub(super) status: OrderStatus,
    pub(super) total: i64,
    /// By the clock.
    pub(super) hold: HoldStatus,
    pub(super) attempts: Vec<AttemptStatus>,
    /// Why the sale takes no payment. One that has closed does.
    pub(super) sale_stopped: Option<SaleStatus>,
    pub(super) opens_at: Moment,
    /// Why nothing is sold on the whole site, if nothing is.
    pub(super) purchases_paused: Option<String>,
    /// Whether a reconciliation has closed new payments.
    pub(super) payments_closed: bool,
}

impl Seen {
    pub(super) async fn read(
        transaction: &PooledClient,
        new: &NewAttempt,
    ) -> Result<Result<Seen, BrokenRow>, Error> {
        let (key, order) = (new.id.uuid(), new.order.uuid());
        let (key, order) = ([(&key as _, Type::UUID)], [(&order as _, Type::UUID)]);
        let (attempt, receipt, order) = tokio::try_join!(
            transaction.query_typed_opt(KEY, &key),
            transaction.query_typed_opt(RECEIPT, &key),
            transaction.query_typed_opt(ORDER, &order),
        )?;
        Ok(Seen::from_rows(attempt.as_ref(), receipt.as_ref(), order.as_ref()))
    }

    fn from_rows(
        attempt: Option<&Row>,
        receipt: Option<&Row>,
        order: Option<&Row>,
    ) -> Result<Seen, BrokenRow> {
        Ok(Seen {
            attempt: attempt.map(read_attempt).transpose()?,
            receipt: receipt.map(read_receipt).transpose()?,
            order: order.map(read_order).transpose()?,
        })
    }
}

fn read_receipt(row: &Row) -> Result<(Fingerprint, Remembered), BrokenRow> {
    let fingerprint = columns::parse(row, "fingerprint", |bytes: &[u8]| bytes.try_into().ok())?;
    let detail: String = columns::get(row, "detail")?;
    let refusal = columns::parse(row, "result", |result| Remembered::from_columns(result, detail))?;
    Ok((fingerprint, refusal))
}

fn read_order(row: &Row) -> Result<SeenOrder, BrokenRow> {
    let attempts: Vec<String> = columns::get(row, "attempts")?;
    let attempts = attempts.iter().map(|code| AttemptStatus::parse(code)).collect::<Option<_>>();
    Ok(SeenOrder {
        buyer: columns::parse(row, "buyer", BuyerId::parse)?,
        status: order_status(row, "status")?,
        total: columns::get(row, "total")?,
        hold: hold_status(row, "hold_status", "hold_over")?,
        attempts: attempts.ok_or_else(|| BrokenRow::new("attempts", "a status is not ours"))?,
        sale_stopped: read_stop(row)?,
        opens_at: columns::moment(row, "opens_at")?,
        purchases_paused: columns::get(row, "purchases_paused")?,
        payments_closed: columns::get(row, "payments_closed")?,
    })
}

fn read_stop(row: &Row) -> Result<Option<SaleStatus>, BrokenRow> {
    Ok(if columns::get(row, "cancelled")? {
        Some(SaleStatus::Cancelled)
    } else if columns::get(row, "paused")? {
        Some(SaleStatus::Paused)
    } else {
        None
    })
}
