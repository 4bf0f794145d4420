//! From what became of orders' money to mail that is due: a refund that is settled is written about.

use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::OrderMail;
use crate::database::DatabaseError;
use crate::order_outbox::{OrderNews, Told};
use crate::orders::RefundStatus;

/// A page.
const NEWS_MAX: u16 = 1_000;

const NOTE: &str = "/* note_refund_mails */ \
    INSERT INTO order_mails (order_id, about, version, refund_id, due_at) \
    SELECT order_id, 1, version, refund_id, clock_timestamp() \
      FROM unnest($1::uuid[], $2::bigint[], $3::uuid[]) AS it (order_id, version, refund_id) \
        ON CONFLICT (order_id, about, version) DO NOTHING";

impl OrderMail {
    pub(super) async fn read_money(&self) -> Result<bool, DatabaseError> {
        let (position, page) = self.money.page(NEWS_MAX).await?;
        let Some(last) = page.last() else { return Ok(false) };
        let (orders, (versions, refunds)): (Vec<_>, (Vec<_>, Vec<_>)) =
            page.iter().filter_map(settled).collect();
        let noted = self.database.write("note_refund_mails", async |transaction| {
            if self.money.move_behind(&transaction, position, last).await? && !orders.is_empty() {
                let params: [(&(dyn ToSql + Sync), Type); 3] = [
                    (&orders, Type::UUID_ARRAY),
                    (&versions, Type::INT8_ARRAY),
                    (&refunds, Type::UUID_ARRAY),
                ];
                transaction.execute_typed(NOTE, &params).await?;
            }
            Ok(())
        });
        noted.await?;
        Ok(page.len() == usize::from(NEWS_MAX))
    }
}

fn settled(news: &OrderNews) -> Option<(Uuid, (i64, Uuid))> {
    match news.told {
        Told::Refund(refund, RefundStatus::Settled) => {
            Some((news.order.uuid(), (news.version, refund.uuid())))
        }
        Told::Refund(_, RefundStatus::Due | RefundStatus::None)
        | Told::Attempt(..)
        | Told::ChargedBack(_)
        | Told::ChargebackReturned(_) => None,
    }
}
