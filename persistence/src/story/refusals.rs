//! The refusals of a story: of its buyer, of its seat, or about its holds and orders. The database picks
//! them out of the pages.

use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use tokio_postgres::types::{Json, Type};
use uuid::Uuid;

use super::Interrupted;
use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::root::Root;
use super::thread::Thread;
use crate::chronicle::RefusalRecord;
use crate::columns;
use crate::pool::PooledClient;

/// Pages looked through by one statement: a full one takes some 20 ms.
const AHEAD: &str = "/* story_refusals */ \
    SELECT max(page) AS page FROM (SELECT page FROM refusals \
     WHERE event_no = $1 AND page > $2 ORDER BY page LIMIT 100) AS ahead";

const FOUND: &str = "/* story_refusals */ \
    SELECT page, place, refusal \
      FROM refusals r \
     CROSS JOIN LATERAL jsonb_array_elements(r.refusals) WITH ORDINALITY AS it (refusal, place) \
     WHERE event_no = $1 \
       AND page >= $2 AND (page > $2 OR place > $3) AND page <= $4 \
       AND (refusal ->> 'buyer' = $5 \
            OR refusal -> 'seats' @> to_jsonb($6::integer) \
            OR (refusal ->> 'hold')::uuid = ANY ($7) \
            OR (refusal ->> 'order')::uuid = ANY ($8)) \
     ORDER BY page, place LIMIT 2000";

/// Whose refusals.
struct Wanted<'a> {
    event: EventNumber,
    buyer: Option<&'a str>,
    seat: Option<i32>,
    holds: Vec<Uuid>,
    orders: Vec<Uuid>,
}

pub(super) async fn read(
    client: &PooledClient,
    event: EventNumber,
    thread: &Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    let (buyer, seat) = match &thread.root {
        Root::Buyer(name) => (Some(name.as_str()), None),
        Root::Seat(seat) => (None, i32::try_from(*seat).ok()),
        Root::Hold(_) => (None, None),
    };
    let holds = thread.holds.keys().copied().collect();
    let orders = thread.orders.keys().copied().collect();
    let wanted = Wanted { event, buyer, seat, holds, orders };
    let mut read_to: i64 = 0;
    loop {
        let params = [(&event.0 as _, Type::INT4), (&read_to as _, Type::INT8)];
        let ahead = client.query_typed_one(AHEAD, &params).await?;
        let Some(last) = columns::get::<Option<i64>>(&ahead, "page")? else { return Ok(()) };
        wanted.read(client, read_to, last, collected).await?;
        read_to = last;
    }
}

impl Wanted<'_> {
    /// In the pages after `read_to`, up to `last`.
    async fn read(
        &self,
        client: &PooledClient,
        read_to: i64,
        last: i64,
        collected: &mut Collected,
    ) -> Result<(), Interrupted> {
        // Beyond all places of a page that has been read.
        let (mut page, mut place): (i64, i64) = (read_to, i64::MAX);
        loop {
            let params = [
                (&self.event.0 as _, Type::INT4),
                (&page as _, Type::INT8),
                (&place as _, Type::INT8),
                (&last as _, Type::INT8),
                (&self.buyer as _, Type::TEXT),
                (&self.seat as _, Type::INT4),
                (&self.holds as _, Type::UUID_ARRAY),
                (&self.orders as _, Type::UUID_ARRAY),
            ];
            let found = client.query_planned(FOUND, &params).await?;
            for row in &found {
                (page, place) = (columns::get(row, "page")?, columns::get(row, "place")?);
                let Json(refusal): Json<RefusalRecord> = columns::get(row, "refusal")?;
                collected.add(entry(page, place, refusal));
            }
            if found.is_empty() {
                return Ok(());
            }
        }
    }
}

fn entry(page: i64, place: i64, refusal: RefusalRecord) -> Entry {
    Entry {
        position: Position {
            at: Moment(refusal.at),
            source: source::REFUSALS,
            major: page,
            minor: u32::try_from(place).unwrap_or(u32::MAX),
        },
        who: Who::Buyer(refusal.buyer.clone()),
        what: What::Refused(Box::new(refusal)),
    }
}
