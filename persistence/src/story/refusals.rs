//! The refusals of a story: of its buyer, of its seat, or about its holds and orders. The database picks
//! them out of the pages.

use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use tokio_postgres::Client;
use tokio_postgres::types::{Json, Type};
use uuid::Uuid;

use super::Interrupted;
use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::root::Root;
use super::thread::Thread;
use crate::chronicle::RefusalRecord;
use crate::rows;

const PAGE: &str = "/* story_refusals */ \
    SELECT page, place, refusal \
      FROM refusals r \
     CROSS JOIN LATERAL jsonb_array_elements(r.refusals) WITH ORDINALITY AS it (refusal, place) \
     WHERE event_no = $1 \
       AND page >= $2 AND (page > $2 OR place > $3) \
       AND (refusal ->> 'buyer' = $4 \
            OR refusal -> 'seats' @> to_jsonb($5::integer) \
            OR (refusal ->> 'hold')::uuid = ANY ($6) \
            OR (refusal ->> 'order')::uuid = ANY ($7)) \
     ORDER BY page, place LIMIT 2000";

pub(super) async fn read(
    client: &Client,
    event: EventNumber,
    thread: &Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    let (buyer, seat) = match &thread.root {
        Root::Buyer(name) => (Some(name.as_str()), None),
        Root::Seat(seat) => (None, i32::try_from(*seat).ok()),
        Root::Hold(_) => (None, None),
    };
    let holds: Vec<Uuid> = thread.holds.keys().copied().collect();
    let orders: Vec<Uuid> = thread.orders.keys().copied().collect();
    let (mut page, mut place): (i64, i64) = (0, 0);
    loop {
        let params = [
            (&event.0 as _, Type::INT4),
            (&page as _, Type::INT8),
            (&place as _, Type::INT8),
            (&buyer as _, Type::TEXT),
            (&seat as _, Type::INT4),
            (&holds as _, Type::UUID_ARRAY),
            (&orders as _, Type::UUID_ARRAY),
        ];
        let found = client.query_typed(PAGE, &params).await?;
        for row in &found {
            (page, place) = (rows::get(row, "page")?, rows::get(row, "place")?);
            let Json(refusal): Json<RefusalRecord> = rows::get(row, "refusal")?;
            collected.add(Entry {
                position: Position {
                    at: Moment(refusal.at),
                    source: source::REFUSALS,
                    major: page,
                    minor: u32::try_from(place).unwrap_or(u32::MAX),
                },
                who: Who::Buyer(refusal.buyer.clone()),
                what: What::Refused(Box::new(refusal)),
            });
        }
        if found.is_empty() {
            return Ok(());
        }
    }
}
