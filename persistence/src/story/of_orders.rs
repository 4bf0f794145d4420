//! What other tables have of a story's orders.

use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::Interrupted;
use super::thread::Thread;
use crate::columns::BrokenRow;
use crate::pool::PooledClient;

/// Orders asked about at a time; each has a handful of attempts, postings and scans.
const CHUNK: usize = 1_000;

/// Tells each row that the statement finds of the orders `$1`.
pub(super) async fn read(
    client: &PooledClient,
    thread: &Thread,
    sql: &'static str,
    mut tell: impl FnMut(&Row) -> Result<(), BrokenRow>,
) -> Result<(), Interrupted> {
    let orders: Vec<Uuid> = thread.orders.keys().copied().collect();
    for some in orders.chunks(CHUNK) {
        for row in client.query_planned(sql, &[(&some, Type::UUID_ARRAY)]).await? {
            tell(&row)?;
        }
    }
    Ok(())
}
