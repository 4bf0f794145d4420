//! The event's batches, from the first to the last, a page at a time.

use taquilla_engine::id::EventNumber;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::Interrupted;
use super::collected::Collected;
use super::entry::{Entry, Position, source};
use super::thread::{Followed, Thread};
use crate::codec;
use crate::columns::{self, BrokenRow};
use crate::pool::PooledClient;

/// At most a thousand batches, and no further one once these have 4 MB. Lengths are known without
/// fetching: payloads are stored uncompressed.
const PAGE: &str = "/* story_history */ \
    SELECT seq, payload, created_at \
      FROM (SELECT seq, payload, created_at, \
                   sum(octet_length(payload)) OVER (ORDER BY seq) - octet_length(payload) AS before \
              FROM (SELECT seq, payload, created_at FROM outbox \
                     WHERE event_no = $1 AND seq > $2 ORDER BY seq LIMIT 1000) AS ahead) AS measured \
     WHERE before < 4194304 ORDER BY seq";

pub(super) async fn read(
    client: &PooledClient,
    event: EventNumber,
    thread: &mut Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    let mut read_to: i64 = 0;
    loop {
        let page =
            client.query_planned(PAGE, &[(&event.0, Type::INT4), (&read_to, Type::INT8)]).await?;
        for row in &page {
            read_to = columns::get(row, "seq")?;
            read_batch(row, read_to, thread, collected)?;
        }
        if page.is_empty() {
            return Ok(());
        }
    }
}

fn read_batch(
    row: &Row,
    sequence: i64,
    thread: &mut Thread,
    collected: &mut Collected,
) -> Result<(), BrokenRow> {
    let broken = |error| BrokenRow::new("payload", format!("batch {sequence}: {error}"));
    let records = codec::decode(columns::get(row, "payload")?).map_err(broken)?;
    for (place, minor) in (0..records.len()).zip(0..) {
        let Some(Followed { at, who, what }) = thread.follow(&records, place) else { continue };
        let at = match at {
            Some(at) => at,
            None => columns::moment(row, "created_at")?,
        };
        let position = Position { at, source: source::HISTORY, major: sequence, minor };
        collected.add(Entry { position, who, what });
    }
    Ok(())
}
