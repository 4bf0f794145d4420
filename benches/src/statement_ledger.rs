//! What the server's own ledger (`pg_stat_statements`) says of each statement: how often, how long.

use std::fmt;

use tokio_postgres::Client;

use crate::stage::Stage;

/// What a server needs to keep one.
pub const SERVER: &[(&str, &str)] = &[
    ("shared_preload_libraries", "pg_stat_statements"),
    ("pg_stat_statements.track", "all"),
    ("pg_stat_statements.max", "1000"),
];

const START: &str =
    "CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset()";

const READ: &str = "/* ledger */ SELECT calls, total_exec_time, rows, wal_bytes::bigint, \
    shared_blks_hit::bigint, toplevel, left(regexp_replace(query, '\\s+', ' ', 'g'), 100) \
    FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 40";

/// One statement's sums.
#[derive(Clone, Debug)]
pub struct Line {
    /// How often it was executed.
    pub calls: i64,
    /// Milliseconds of all executions.
    pub millis: f64,
    /// Rows of all executions.
    pub rows: i64,
    /// Bytes of log of all executions.
    pub wal_bytes: i64,
    /// Pages that all executions found in memory.
    pub pages: i64,
    /// Whether a client sent it, rather than a function of the database.
    pub sent: bool,
    /// Its beginning.
    pub text: String,
}

/// Begins a new ledger.
pub async fn start(stage: &Stage) -> Client {
    let client = stage.connect("").await;
    client.batch_execute(START).await.expect("the server comes with its extensions");
    client
}

/// What is in it, what took longest first.
pub async fn read(client: &Client) -> Vec<Line> {
    let rows = client.query(READ, &[]).await.expect("a ledger");
    let read = |row: &tokio_postgres::Row| Line {
        calls: row.get(0),
        millis: row.get(1),
        rows: row.get(2),
        wal_bytes: row.get(3),
        pages: row.get(4),
        sent: row.get(5),
        text: row.get(6),
    };
    rows.iter().map(read).collect()
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, millis, rows, wal_bytes, pages, sent, text } = self;
        let each = |sum: f64| sum / *calls as f64;
        let from = if *sent { ' ' } else { '>' };
        write!(
            f,
            "{calls:>8} calls,{millis:>9.0} ms,{:>7.1} us each,{:>6.1} rows,{:>7.0} B of log,{:>6.1} pages {from} {text}",
            each(1e3 * millis),
            each(*rows as f64),
            each(*wal_bytes as f64),
            each(*pages as f64),
        )
    }
}
