//! Mail that is due: taken for a while, then settled or postponed.

use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::OrderId;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::TicketMail;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;

/// Whoever takes a mail has it to himself for so many seconds; then it is due again.
const TAKE: &str = "/* take_ticket_mails */ \
    WITH taken AS ( \
        UPDATE ticket_mails SET due_at = clock_timestamp() + $2 * interval '1 second' \
         WHERE (order_id, version) IN ( \
               SELECT order_id, version FROM ticket_mails \
                WHERE settled_at IS NULL AND due_at <= clock_timestamp() \
                ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) \
        RETURNING order_id, version, refusals) \
    SELECT order_id, version, refusals, o.buyer, c.email \
      FROM taken JOIN orders o USING (order_id) LEFT JOIN buyer_contacts c ON c.buyer = o.buyer";

const SETTLE: &str = "/* settle_ticket_mail */ \
    UPDATE ticket_mails SET settled_at = clock_timestamp(), outcome = $3, \
                            last_error = coalesce($4, last_error) \
     WHERE order_id = $1 AND version = $2 AND settled_at IS NULL";

const POSTPONE: &str = "/* postpone_ticket_mail */ \
    UPDATE ticket_mails SET due_at = clock_timestamp() + $3 * interval '1 second', \
                            refusals = refusals + $4, last_error = $5 \
     WHERE order_id = $1 AND version = $2 AND settled_at IS NULL";

/// A mail to be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueMail {
    /// Whose tickets.
    pub order: OrderId,
    /// The batch that issued them; with the order it names the mail.
    pub version: i64,
    /// How often a server has answered that it does not take it.
    pub refusals: u32,
    /// Whose order it is.
    pub buyer: BuyerId,
    /// Where he is written to, if he has said so.
    pub email: Option<String>,
}

/// What became of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// A server has taken it.
    Sent,
    /// The buyer has named no address that mail can be sent to.
    NobodyToWriteTo,
    /// All its tickets are void.
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

impl TicketMail {
    /// At most so many mails that are due, longest due first. Nobody else gets them for `lease`.
    ///
    /// # Errors
    /// [`DatabaseError`]; what was taken is due again after the lease.
    pub async fn take_due(
        &self,
        limit: u16,
        lease: Duration,
    ) -> Result<Vec<DueMail>, DatabaseError> {
        let taken = self.database.write("take_ticket_mails", async |transaction| {
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
        let settled = self.database.write("settle_ticket_mail", async |transaction| {
            let params: [&(dyn ToSql + Sync); 4] =
                [&order, &mail.version, &outcome.column(), &error];
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
        let postponed = self.database.write("postpone_ticket_mail", async |transaction| {
            let params: [(&(dyn ToSql + Sync), Type); 5] = [
                (&order, Type::UUID),
                (&mail.version, Type::INT8),
                (&pause, Type::FLOAT8),
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
        version: columns::get(row, "version")?,
        refusals: columns::count::<i32>(row, "refusals")?,
        buyer: columns::parse(row, "buyer", BuyerId::parse)?,
        email: columns::get(row, "email")?,
    })
}
