//! Cancelled events: what is left to be given back, and how far that has come.

use taquilla_engine::cancellation::{CancelledEvent, LeftToGiveBack, LeftUnknown};
use taquilla_engine::id::{EventNumber, OrderId};
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::refund::SoldOrder;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::Orders;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::keys;
use crate::outcome;

/// The operator's action in the trail.
pub const CANCEL_EVENT: &str = "cancel_event";

/// With who said so first, and why. Few events are.
const CANCELLED: &str = "/* cancelled_events */ \
    SELECT e.event_no, a.who, a.why FROM events e \
     CROSS JOIN LATERAL (SELECT who, why FROM operator_actions \
                          WHERE event_no = e.event_no AND what = $1 \
                          ORDER BY at, action_id LIMIT 1) a \
     WHERE e.cancelled ORDER BY e.event_no";

/// By the primary key, whose range is the event's.
const IN_FORCE: &str = "/* orders_in_force */ \
    SELECT o.order_id FROM orders o \
     WHERE o.order_id > $1 AND o.order_id < $2 AND o.status = 1 \
       AND EXISTS (SELECT FROM tickets t WHERE t.order_id = o.order_id AND t.status <> 1) \
     ORDER BY o.order_id LIMIT $3";

const PROGRESS: &str = "/* cancellation_progress */ \
    SELECT a.who, a.why, a.at, e.currency, now() AS as_of, h.holds, o.orders, o.done, r.amount, r.paid \
      FROM events e \
     CROSS JOIN LATERAL (SELECT who, why, at FROM operator_actions \
                          WHERE event_no = e.event_no AND what = $4 \
                          ORDER BY at, action_id LIMIT 1) a \
     CROSS JOIN LATERAL (SELECT count(*) AS holds FROM holds \
                          WHERE hold_id >= $2 AND hold_id < $3 AND status = 0) h \
     CROSS JOIN LATERAL (SELECT count(*) AS orders, \
                                count(*) FILTER (WHERE NOT EXISTS ( \
                                    SELECT FROM tickets t \
                                     WHERE t.order_id = s.order_id AND t.status <> 1)) AS done \
                           FROM orders s \
                          WHERE order_id >= $2 AND order_id < $3 AND status = 1) o \
     CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0)::bigint AS amount, \
                                coalesce(sum(amount) FILTER (WHERE status = 'settled'), 0)::bigint AS paid \
                           FROM refunds \
                          WHERE event_no = e.event_no AND cause = 'cancellation' \
                            AND status <> 'none') r \
     WHERE e.event_no = $1 AND e.cancelled";

/// How far a cancellation has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancellationProgress {
    /// Who cancelled the event.
    pub who: String,
    /// Why, in his words.
    pub reason: String,
    /// When.
    pub cancelled_at: Moment,
    /// Holds that have not ended yet.
    pub holds: u64,
    /// Orders that were sold, those given back before among them.
    pub orders: u64,
    /// Those of which no ticket is in force.
    pub done: u64,
    /// What is owed because of the cancellation, or has been paid back since. Not what turned out never to
    /// have been taken.
    pub owed: Money,
    /// What of that has been paid back.
    pub paid_back: Money,
    /// The database's clock at the read.
    pub as_of: Moment,
}

impl CancellationProgress {
    /// Whether nothing is left to be given back.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.holds == 0 && self.done == self.orders
    }
}

impl Orders {
    /// How far the event's cancellation has come; `None` if it is not cancelled.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn cancellation(
        &self,
        event: EventNumber,
    ) -> Result<Option<CancellationProgress>, DatabaseError> {
        let (from, to) = keys::ids(event);
        let row = self.database.read("cancellation_progress", async |client| {
            let parameters: &[(&(dyn tokio_postgres::types::ToSql + Sync), Type)] = &[
                (&event.0, Type::INT4),
                (&from, Type::UUID),
                (&to, Type::UUID),
                (&CANCEL_EVENT, Type::TEXT),
            ];
            client.query_typed_opt(PROGRESS, parameters).await
        });
        Ok(row.await?.as_ref().map(read_progress).transpose()?)
    }

    async fn cancelled_events(&self) -> Result<Vec<CancelledEvent>, DatabaseError> {
        let rows = self.database.read("cancelled_events", async |client| {
            client.query_typed(CANCELLED, &[(&CANCEL_EVENT, Type::TEXT)]).await
        });
        let read = |row: &Row| -> Result<CancelledEvent, BrokenRow> {
            Ok(CancelledEvent {
                event: columns::event(row)?,
                who: columns::get::<String>(row, "who")?.into(),
                reason: columns::get::<String>(row, "why")?.into(),
            })
        };
        Ok(rows.await?.iter().map(read).collect::<Result<_, _>>()?)
    }

    async fn orders_in_force(
        &self,
        event: EventNumber,
        after: Option<OrderId>,
        max: u16,
    ) -> Result<Vec<SoldOrder>, DatabaseError> {
        let (from, to) = keys::ids(event);
        let after: Uuid = after.map_or(from, OrderId::uuid);
        let max = i64::from(max);
        let rows = self.database.read("orders_in_force", async |client| {
            let parameters: &[(&(dyn tokio_postgres::types::ToSql + Sync), Type)] =
                &[(&after, Type::UUID), (&to, Type::UUID), (&max, Type::INT8)];
            client.query_typed(IN_FORCE, parameters).await
        });
        let rows = rows.await?;
        let ids = rows.iter().map(|row| columns::id(row, "order_id", OrderId::parse));
        self.all_sold(&ids.collect::<Result<Vec<_>, BrokenRow>>()?).await
    }
}

fn read_progress(row: &Row) -> Result<CancellationProgress, BrokenRow> {
    let currency = columns::currency(row)?;
    Ok(CancellationProgress {
        who: columns::get(row, "who")?,
        reason: columns::get(row, "why")?,
        cancelled_at: columns::moment(row, "at")?,
        holds: columns::total(row, "holds")?,
        orders: columns::total(row, "orders")?,
        done: columns::total(row, "done")?,
        owed: Money { amount: columns::get(row, "amount")?, currency },
        paid_back: Money { amount: columns::get(row, "paid")?, currency },
        as_of: columns::moment(row, "as_of")?,
    })
}

impl LeftToGiveBack for Orders {
    fn cancelled(&self) -> Later<'_, Result<Vec<CancelledEvent>, LeftUnknown>> {
        Box::pin(async move { self.cancelled_events().await.map_err(|error| unknown(&error)) })
    }

    fn in_force(
        &self,
        event: EventNumber,
        after: Option<OrderId>,
        max: u16,
    ) -> Later<'_, Result<Vec<SoldOrder>, LeftUnknown>> {
        Box::pin(async move {
            self.orders_in_force(event, after, max).await.map_err(|error| unknown(&error))
        })
    }
}

fn unknown(error: &DatabaseError) -> LeftUnknown {
    LeftUnknown(outcome::in_full(error))
}
