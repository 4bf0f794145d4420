//! Mail that is due: taken for a while, then settled or postponed.

use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::OrderId;
use taquilla_engine::money::Money;
use taquilla_engine::refund::Cause;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::OrderMail;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;

/// Whoever takes a mail has it to himself for so many seconds; then it is due again. How much was given back
/// is what was told, and whether it still is what the refund's row says now.
const TAKE: &str = "/* take_order_mails */ \
    WITH taken AS ( \
        UPDATE order_mails SET due_at = clock_timestamp() + $2 * interval '1 second' \
         WHERE (order_id, about, version) IN ( \
               SELECT order_id, about, version FROM order_mails \
                WHERE settled_at IS NULL AND due_at <= clock_timestamp() \
                ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) \
        RETURNING order_id, version, refund_id, refusals) \
    SELECT taken.order_id, taken.version, refusals, o.buyer, c.email, refund_id, told.amount, told.currency, \
           r.cause, r.status = 'settled' AS stands, \
           EXISTS (SELECT FROM order_outbox b \
                    WHERE b.order_id = taken.order_id AND b.of = 'refund' AND b.version < taken.version \
                      AND b.name = refund_id::text AND b.status = 'settled') AS anew \
      FROM taken JOIN orders o USING (order_id) LEFT JOIN buyer_contacts c ON c.buyer = o.buyer \
           LEFT JOIN refunds r USING (refund_id) \
           LEFT JOIN order_outbox told \
             ON told.order_id = taken.order_id AND told.version = taken.version AND refund_id IS NOT NULL";

const SETTLE: &str = "/* settle_order_mail */ \
    UPDATE order_mails SET settled_at = clock_timestamp(), outcome = $3, \
                            last_error = coalesce($5, last_error) \
     WHERE order_id = $1 AND about = $4 AND version = $2 AND settled_at IS NULL";

const POSTPONE: &str = "/* postpone_order_mail */ \
    UPDATE order_mails SET due_at = clock_timestamp() + $3 * interval '1 second', \
                            refusals = refusals + $5, last_error = $6 \
     WHERE order_id = $1 AND about = $4 AND version = $2 AND settled_at IS NULL";

/// A mail to be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueMail {
    /// Which order it is about.
    pub order: OrderId,
    /// And what of it.
    pub subject: Subject,
    /// The batch that issued the tickets, or the place in what is told of the order's money; with the
    /// order and the subject it names the mail.
    pub version: i64,
    /// How often a server has answered that it does not take it.
    pub refusals: u32,
    /// Whose order it is.
    pub buyer: BuyerId,
    /// Where he is written to, if he has said so.
    pub email: Option<String>,
}

/// What a mail is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The tickets of the order.
    Tickets,
    /// Money that was given back.
    GivenBack {
        /// How much.
        money: Money,
        /// Why.
        cause: Cause,
        /// Whether it has been given back before, and come back.
        anew: bool,
        /// Whether the buyer still has it, as far as is known.
        stands: bool,
    },
}

impl Subject {
    fn column(self) -> i16 {
        match self {
            Subject::Tickets => 0,
            Subject::GivenBack { .. } => 1,
        }
    }
}

/// What became of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// A server has taken it.
    Sent,
    /// The buyer has named no address that mail can be sent to.
    NobodyToWriteTo,
    /// All its tickets are void, or the money is not with the buyer any more.
    NothingToSend,
    /// It was refused too often.
    GivenUp,
}

impl MailOutcome {
    /// A word for metrics.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            MailOutcome::Sent => "sent",
            MailOutcome::NobodyToWriteTo => "nobody-to-write-to",
            MailOutcome::NothingToSend => "nothing-to-send",
            MailOutcome::GivenUp => "given-up",
        }
    }

    fn column(self) -> i16 {
        match self {
            MailOutcome::Sent => 0,
            MailOutcome::NobodyToWriteTo => 1,
            MailOutcome::NothingToSend => 2,
            MailOutcome::GivenUp => 3,
        }
    }
}

impl OrderMail {
    /// At most so many mails that are due, longest due first. Nobody else gets them for `lease`.
    ///
    /// # Errors
    /// [`DatabaseError`]; what was taken is due again after the lease.
    pub async fn take_due(
        &self,
        limit: u16,
        lease: Duration,
    ) -> Result<Vec<DueMail>, DatabaseError> {
        let taken = self.database.write("take_order_mails", async |transaction| {
            let params: [(&(dyn ToSql + Sync), Type); 2] =
                [(&i64::from(limit), Type::INT8), (&lease.as_secs_f64(), Type::FLOAT8)];
            transaction.query_planned(TAKE, &params).await
        });
        Ok(taken.await?.iter().map(read_due).collect::<Result<_, _>>()?)
    }

    /// There is nothing more to do about this mail. Idempotent; the first outcome stays.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may be due again.
    pub async fn settle(
        &self,
        mail: &DueMail,
        outcome: MailOutcome,
        error: Option<&str>,
    ) -> Result<(), DatabaseError> {
        let order = mail.order.uuid();
        let settled = self.database.write("settle_order_mail", async |transaction| {
            let params: [&(dyn ToSql + Sync); 5] =
                [&order, &mail.version, &outcome.column(), &mail.subject.column(), &error];
            transaction.execute(SETTLE, &params).await.map(drop)
        });
        settled.await
    }

    /// The mail is due again after this time. `refused`: because a server answered that it does not take
    /// it, rather than that there was none.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may be due when its lease ends.
    pub async fn postpone(
        &self,
        mail: &DueMail,
        pause: Duration,
        refused: bool,
        error: &str,
    ) -> Result<(), DatabaseError> {
        let order = mail.order.uuid();
        let (pause, refusals) = (pause.as_secs_f64(), i32::from(refused));
        let postponed = self.database.write("postpone_order_mail", async |transaction| {
            let params: [(&(dyn ToSql + Sync), Type); 6] = [
                (&order, Type::UUID),
                (&mail.version, Type::INT8),
                (&pause, Type::FLOAT8),
                (&mail.subject.column(), Type::INT2),
                (&refusals, Type::INT4),
                (&error, Type::TEXT),
            ];
            transaction.query_typed(POSTPONE, &params).await.map(drop)
        });
        postponed.await
    }
}

fn read_due(row: &Row) -> Result<DueMail, BrokenRow> {
    Ok(DueMail {
        order: columns::id(row, "order_id", OrderId::parse)?,
        subject: read_subject(row)?,
        version: columns::get(row, "version")?,
        refusals: columns::count::<i32>(row, "refusals")?,
        buyer: columns::parse(row, "buyer", BuyerId::parse)?,
        email: columns::get(row, "email")?,
    })
}

fn read_subject(row: &Row) -> Result<Subject, BrokenRow> {
    let refund: Option<Uuid> = columns::get(row, "refund_id")?;
    if refund.is_none() {
        return Ok(Subject::Tickets);
    }
    let money = Money { amount: columns::get(row, "amount")?, currency: columns::currency(row)? };
    Ok(Subject::GivenBack {
        money,
        cause: columns::parse(row, "cause", Cause::parse)?,
        anew: columns::get(row, "anew")?,
        stands: columns::get(row, "stands")?,
    })
}
