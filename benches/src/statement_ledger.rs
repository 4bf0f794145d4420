//! What the server's own ledger (`pg_stat_statements`) says of each statement: how often, how long.

use std::fmt;

use tokio_postgres::Client;

/// What a server needs to keep one.
pub const SERVER: &[(&str, &str)] = &[
    ("shared_preload_libraries", "pg_stat_statements"),
    ("pg_stat_statements.track", "all"),
    ("pg_stat_statements.track_planning", "on"),
    ("pg_stat_statements.max", "1000"),
];

const START: &str =
    "CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset()";

const READ: &str = "/* ledger */ SELECT calls, plans, total_plan_time, total_exec_time, wal_bytes::bigint, \
    toplevel, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) \
    FROM pg_stat_statements ORDER BY total_plan_time + total_exec_time DESC LIMIT 40";

/// One statement's sums.
#[derive(Clone, Debug)]
pub struct Line {
    /// How often it was executed.
    pub calls: i64,
    /// How often it was planned.
    pub plans: i64,
    /// Milliseconds of all plannings.
    pub planned: f64,
    /// Milliseconds of all executions.
    pub executed: f64,
    /// Bytes of log of all executions.
    pub wal_bytes: i64,
    /// Whether a client sent it, rather than a function of the database.
    pub sent: bool,
    /// Its beginning.
    pub text: String,
}

/// Begins a new ledger.
pub async fn start(client: &Client) {
    client.batch_execute(START).await.expect("the server comes with its extensions");
}

/// What is in it, what took longest first.
pub async fn read(client: &Client) -> Vec<Line> {
    let rows = client.query(READ, &[]).await.expect("a ledger");
    let read = |row: &tokio_postgres::Row| Line {
        calls: row.get(0),
        plans: row.get(1),
        planned: row.get(2),
        executed: row.get(3),
        wal_bytes: row.get(4),
        sent: row.get(5),
        text: row.get(6),
    };
    rows.iter().map(read).collect()
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, plans, planned, executed, wal_bytes, sent, text } = self;
        let wal = *wal_bytes as f64 / *calls as f64;
        let from = if *sent { ' ' } else { '>' };
        write!(
            f,
            "{calls:>8} times,{executed:>8.0} ms executed,{plans:>8} planned in{planned:>8.0} ms,{wal:>7.0} B of log \
             {from} {text}"
        )
    }
}
