//! What holds of the story were declined, and which holds declined the story's seat: their rows say it.

use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::Interrupted;
use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::root::Root;
use super::thread::Thread;
use crate::codec::Taken;
use crate::columns::{self, BrokenRow};
use crate::pool::PooledClient;
use crate::{keys, remarks};

const OF_HOLDS: &str = "/* story_declined */ \
    SELECT hold_id, buyer, created_at, remarks FROM holds \
     WHERE hold_id = ANY ($1) AND remarks IS NOT NULL";

/// Ids of one event lie next to each other: its part of the primary key is read, and no other event's.
const OF_SEAT: &str = "/* story_declined */ \
    SELECT hold_id, buyer, created_at, remarks FROM holds \
     WHERE hold_id > $1 AND hold_id < $2 \
       AND remarks -> 'declined_seats' @> to_jsonb($3::integer) \
     ORDER BY hold_id LIMIT 1000";

/// Holds asked about at a time.
const CHUNK: usize = 1_000;

pub(super) async fn read(
    client: &PooledClient,
    event: EventNumber,
    thread: &Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    match &thread.root {
        Root::Seat(seat) => of_seat(client, event, *seat, collected).await,
        Root::Buyer(_) | Root::Hold(_) => of_holds(client, thread, collected).await,
    }
}

async fn of_holds(
    client: &PooledClient,
    thread: &Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    let holds: Vec<Uuid> = thread.holds.keys().copied().collect();
    for some in holds.chunks(CHUNK) {
        for row in client.query_planned(OF_HOLDS, &[(&some, Type::UUID_ARRAY)]).await? {
            collected_from(&row, collected)?;
        }
    }
    Ok(())
}

async fn of_seat(
    client: &PooledClient,
    event: EventNumber,
    seat: u32,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    let seat = i32::try_from(seat).expect("a seat's index has twenty bits");
    // The lowest is nobody's: an id has a version in it.
    let (mut read_to, end) = keys::ids(event);
    loop {
        let params =
            [(&read_to as _, Type::UUID), (&end as _, Type::UUID), (&seat as _, Type::INT4)];
        let page = client.query_planned(OF_SEAT, &params).await?;
        for row in &page {
            collected_from(row, collected)?;
        }
        let Some(last) = page.last() else { return Ok(()) };
        read_to = columns::get(last, "hold_id")?;
    }
}

/// A remark may be about the choice alone.
fn collected_from(row: &Row, collected: &mut Collected) -> Result<(), BrokenRow> {
    let hold: Uuid = columns::get(row, "hold_id")?;
    let at: Moment = columns::moment(row, "created_at")?;
    let declined = columns::parse(row, "remarks", remarks::of_json)?.declined;
    if declined.is_empty() {
        return Ok(());
    }
    let declined = Taken::of(&declined);
    collected.add(Entry {
        position: Position::of_id(at, source::DECLINED, hold, 0),
        who: Who::Buyer(columns::get(row, "buyer")?),
        what: What::SeatsDeclined { hold, declined },
    });
    Ok(())
}
