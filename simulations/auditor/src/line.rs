//! A waiting room's line in rows, and what must be so of it: each rule is one statement that counts what
//! contradicts it.

use chrono::{DateTime, Utc};
use tokio_postgres::{Client, NoTls};
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::rows::ReadError;

/// What a line came to.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// How many took part in the draw.
    pub present: i32,
    /// Places that were given.
    pub joined: i32,
    /// Each time that more were called: how many then had been, and when. In order.
    pub calls: Vec<(i32, DateTime<Utc>)>,
    /// The rules that are broken, and how often.
    pub broken: Vec<(&'static str, i64)>,
}

impl Line {
    /// When this position was called.
    #[must_use]
    pub fn called_at(&self, position: u32) -> Option<DateTime<Utc>> {
        let served = i32::try_from(position).ok()?;
        let nth = self.calls.partition_point(|(called, _)| *called <= served);
        self.calls.get(nth).map(|(_, at)| *at)
    }
}

const HEAD: &str = "/* audit_line */
SELECT q.event_no, coalesce(q.present, -1), q.joined FROM queue_heads q
  JOIN events e USING (event_no) WHERE e.event_id = $1";

const CALLS: &str = "/* audit_calls */
SELECT served, at FROM queue_calls WHERE event_no = $1 ORDER BY served";

/// Counts of `$1`, the event's number.
const RULES: &[(&str, &str)] = &[
    (
        "numbers count from 0 without a gap",
        "SELECT abs(q.joined - count(t.number)) + coalesce(max(t.number) + 1, 0) - count(t.number)
           FROM queue_heads q LEFT JOIN queue_tickets t USING (event_no)
          WHERE q.event_no = $1 GROUP BY q.joined",
    ),
    (
        "a buyer has one place among those present at the draw",
        "SELECT count(*) FROM (SELECT 1 FROM queue_tickets JOIN queue_heads q USING (event_no)
          WHERE event_no = $1 AND number < q.present GROUP BY buyer HAVING count(*) > 1) it",
    ),
    (
        "a buyer has one place in the line at a time",
        "SELECT count(*) FROM (SELECT 1 FROM queue_tickets JOIN queue_heads q USING (event_no)
          WHERE event_no = $1 AND turn IS NULL AND number >= q.served AND number >= q.present
          GROUP BY buyer HAVING count(*) > 1) it",
    ),
    (
        "a ticket is one buyer's, and a buyer's tickets are one",
        "SELECT count(*) FROM (SELECT 1 FROM queue_tickets WHERE event_no = $1
          GROUP BY buyer HAVING count(DISTINCT ticket_id) > 1
          UNION ALL SELECT 1 FROM queue_tickets WHERE event_no = $1
          GROUP BY ticket_id HAVING count(DISTINCT buyer) > 1) it",
    ),
    (
        "who was present had joined by the opening, and later ones after it",
        "SELECT count(*) FROM queue_tickets t JOIN queue_heads q USING (event_no)
          JOIN events e USING (event_no)
          WHERE event_no = $1 AND (t.number < q.present) <> (t.joined_at < e.opens_at)",
    ),
    (
        "more are called later",
        "SELECT count(*) FROM (SELECT at < lag(at) OVER (ORDER BY served) AS back
           FROM queue_calls WHERE event_no = $1) it WHERE back",
    ),
    (
        "nobody came before the first call",
        "SELECT count(*) FROM queue_tickets WHERE event_no = $1 AND turn IN (0, 2)
            AND turned_at < (SELECT min(at) FROM queue_calls WHERE event_no = $1)",
    ),
    (
        "a buyer has one admission at a time",
        "SELECT count(*) FROM (SELECT turned_at - lag(turned_at) OVER (PARTITION BY buyer
                                      ORDER BY turned_at) AS since
           FROM queue_tickets WHERE event_no = $1 AND turn IN (0, 2)) it
          WHERE since < make_interval(secs => $2)",
    ),
];

/// Reads the line of this event, whose admissions last so many seconds, in the database at `url`.
///
/// # Errors
/// [`ReadError`].
pub async fn read_line(
    url: &str,
    event: Uuid,
    admission_seconds: f64,
) -> Result<Option<Line>, ReadError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    let _driven = AbortOnDropHandle::new(tokio::spawn(connection));
    let Some(head) = client.query_opt(HEAD, &[&event]).await? else { return Ok(None) };
    let number: i32 = head.get(0);
    let calls = client.query(CALLS, &[&number]).await?;
    let calls = calls.iter().map(|row| (row.get(0), row.get(1))).collect();
    let mut line = Line { present: head.get(1), joined: head.get(2), calls, broken: Vec::new() };
    for (rule, sql) in RULES {
        let count = broken(&client, sql, number, admission_seconds).await?;
        if count != 0 {
            line.broken.push((rule, count));
        }
    }
    Ok(Some(line))
}

async fn broken(
    client: &Client,
    sql: &str,
    number: i32,
    admission_seconds: f64,
) -> Result<i64, ReadError> {
    let row = if sql.contains("$2") {
        client.query_one(sql, &[&number, &admission_seconds]).await?
    } else {
        client.query_one(sql, &[&number]).await?
    };
    Ok(row.get(0))
}
