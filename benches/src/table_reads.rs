//! What was read of which table, by the server's own count.

use std::fmt;
use std::time::Duration;

use tokio_postgres::Client;

use crate::stage::Stage;

/// Whoever is still there after so long does not end by itself.
const ALONE_MAX: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Sessions count when they end, or now and then; so only the asking one may be left.
const OTHERS: &str = "/* others */ SELECT count(*) FROM pg_stat_activity \
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";

const READS: &str = "/* reads */ SELECT schemaname::text, relname::text, seq_scan, seq_tup_read, \
    coalesce(idx_tup_fetch, 0), n_tup_upd FROM pg_stat_user_tables \
    WHERE n_tup_ins + n_tup_upd + coalesce(idx_scan, 0) > 0 ORDER BY 1, 2";

/// One table's counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableReads {
    /// With its schema.
    pub table: String,
    /// Sequential scans.
    pub scans: i64,
    /// Rows that these read.
    pub scanned: i64,
    /// Rows that were found by an index.
    pub fetched: i64,
    /// Rows that were updated.
    pub updated: i64,
}

/// Sets all counts to nothing.
pub async fn reset(stage: &Stage) {
    let client = stage.connect("").await;
    client.execute("SELECT pg_stat_reset()", &[]).await.expect("a superuser may");
}

/// The counts since, once every other session has ended.
pub async fn count(stage: &Stage) -> Vec<TableReads> {
    let client = alone(stage).await;
    let rows = client.query(READS, &[]).await.expect("statistics");
    let read = |row: &tokio_postgres::Row| TableReads {
        table: format!("{}.{}", row.get::<_, &str>(0), row.get::<_, &str>(1)),
        scans: row.get(2),
        scanned: row.get(3),
        fetched: row.get(4),
        updated: row.get(5),
    };
    rows.iter().map(read).collect()
}

async fn alone(stage: &Stage) -> Client {
    let client = stage.connect("").await;
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let alone = async {
        loop {
            looks.tick().await;
            let others: i64 = client.query_one(OTHERS, &[]).await.expect("statistics").get(0);
            if others == 0 {
                return;
            }
        }
    };
    tokio::time::timeout(ALONE_MAX, alone).await.expect("every other session ends");
    client
}

impl fmt::Display for TableReads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, scans, scanned, fetched, updated } = self;
        write!(
            f,
            "{table:<28}{scans:>8} scans of {scanned:>9} rows,{fetched:>9} rows by index,{updated:>9} updated"
        )
    }
}
