//! Our side of attempts' money: what we recorded as reserved, and what the ledger says of the rest.

use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::reconciliation::{Settlement, Settlements};
use taquilla_engine::payment::{AttemptStatus, StoreUnavailable};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::Reconciliations;
use crate::attempts::row::reserved;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::stamp::Stamp;

macro_rules! settlements {
    ($condition:literal) => {
        concat!(
            "/* read_settlements */ \
             SELECT attempt_id, order_id, reference, status, reserved, reserved_in, a.created_at, \
                    refunded, charged_back, coalesce(due, false) AS refund_due, \
                    greatest(a.created_at, a.resolved_at, booked_at, returned_at) AS moved_at \
               FROM payment_attempts a \
              CROSS JOIN LATERAL ( \
                    SELECT coalesce(-sum(amount) FILTER (WHERE kind = 'refund'), 0)::bigint AS refunded, \
                           coalesce(-sum(amount) FILTER (WHERE kind = 'chargeback'), 0)::bigint \
                                AS charged_back, \
                           max(at) AS booked_at \
                      FROM ledger l \
                     WHERE l.attempt_id = a.attempt_id AND l.account = 'provider') l \
              CROSS JOIN LATERAL ( \
                    SELECT bool_or(r.status = 'due' AND r.again_at IS NULL) AS due, \
                           max(greatest(r.created_at, r.resolved_at)) AS returned_at \
                      FROM refunds r WHERE r.order_id = a.order_id) r \
              WHERE provider = $1 AND ",
            $condition
        )
    };
}

const OF: &str = settlements!("attempt_id = ANY ($2)");

/// Every status for which money had to be reserved, and that is final.
const WITH_MONEY: &str = settlements!(
    "a.status IN ('captured', 'capture_failed', 'voided', 'refunded') AND a.created_at >= $2 \
       AND (a.created_at, attempt_id) > ($3, $4) ORDER BY a.created_at, attempt_id LIMIT $5"
);

const OF_OTHERS: &str = "/* settlements_of_others */ \
    SELECT provider, count(*) AS attempts FROM payment_attempts \
     WHERE provider <> $1 AND created_at >= $2 GROUP BY provider ORDER BY provider";

impl Reconciliations {
    /// How many attempts of other providers than this one were recorded since then: no run of this one's books
    /// compares them.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn of_others(
        &self,
        provider: &str,
        since: Moment,
    ) -> Result<Vec<(String, u64)>, DatabaseError> {
        let rows = self.database.read("settlements_of_others", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 2] =
                [(&provider, Type::TEXT), (&Stamp(since), Type::TIMESTAMPTZ)];
            client.query_planned(OF_OTHERS, &params).await
        });
        let other = |row| Ok((columns::get(row, "provider")?, columns::total(row, "attempts")?));
        Ok(rows.await?.iter().map(other).collect::<Result<_, BrokenRow>>()?)
    }
}

impl Reconciliations {
    async fn read_settlements(
        &self,
        sql: &'static str,
        params: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Settlement>, StoreUnavailable> {
        // A record of ours that is not durable yet would differ from nothing.
        let rows = self.database.read_durable("read_settlements", sql, params).await?;
        let read = rows.iter().map(read).collect::<Result<_, BrokenRow>>();
        Ok(read.map_err(DatabaseError::from)?)
    }
}

impl Settlements for Reconciliations {
    fn of<'a>(
        &'a self,
        provider: &'a str,
        attempts: &'a [AttemptId],
    ) -> Later<'a, Result<Vec<Settlement>, StoreUnavailable>> {
        Box::pin(async move {
            let ids: Vec<Uuid> = attempts.iter().map(|attempt| attempt.uuid()).collect();
            self.read_settlements(OF, &[(&provider, Type::TEXT), (&ids, Type::UUID_ARRAY)]).await
        })
    }

    fn with_money<'a>(
        &'a self,
        provider: &'a str,
        since: Moment,
        after: Option<(Moment, AttemptId)>,
        max: u32,
    ) -> Later<'a, Result<Vec<Settlement>, StoreUnavailable>> {
        Box::pin(async move {
            let (at, id) = Stamp::behind(after.map(|(at, attempt)| (at, attempt.uuid())));
            let (since, max) = (Stamp(since), i64::from(max));
            let params: &[(&(dyn ToSql + Sync), Type)] = &[
                (&provider, Type::TEXT),
                (&since, Type::TIMESTAMPTZ),
                (&at, Type::TIMESTAMPTZ),
                (&id, Type::UUID),
                (&max, Type::INT8),
            ];
            self.read_settlements(WITH_MONEY, params).await
        })
    }
}

fn read(row: &Row) -> Result<Settlement, BrokenRow> {
    Ok(Settlement {
        attempt: columns::id(row, "attempt_id", AttemptId::parse)?,
        order: columns::id(row, "order_id", OrderId::parse)?,
        reference: columns::get(row, "reference")?,
        status: columns::parse(row, "status", AttemptStatus::parse)?,
        reserved: reserved(row)?,
        refunded: columns::get(row, "refunded")?,
        charged_back: columns::get(row, "charged_back")?,
        refund_due: columns::get(row, "refund_due")?,
        created_at: columns::moment(row, "created_at")?,
        moved_at: columns::moment(row, "moved_at")?,
    })
}
