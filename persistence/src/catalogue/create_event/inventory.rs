//! What the event's lane works on from now on: its head, a row a seat, a row a general section.

use taquilla_engine::id::EventNumber;
use tokio_postgres::{Client, Error};

use super::super::venue::Venue;

const HEAD: &str = "/* create_event */ INSERT INTO event_heads (event_no) VALUES ($1)";

/// `seat_key` is the event's number times 2^20 plus the seat's index.
const SEATS: &str = "/* create_event */ \
    INSERT INTO seats (seat_key) \
    SELECT $1::integer::bigint * 1048576 + seat_index \
      FROM venue_seats WHERE venue_id = $2 ORDER BY seat_index";

const AREAS: &str = "/* create_event */ \
    INSERT INTO general_areas (event_no, section_no, capacity) \
    SELECT $1, section_no, capacity FROM venue_sections WHERE venue_id = $2 AND kind = 1";

pub(super) async fn insert(
    transaction: &Client,
    event: EventNumber,
    venue: &Venue,
) -> Result<(), Error> {
    transaction.execute(HEAD, &[&event.0]).await?;
    transaction.execute(SEATS, &[&event.0, &venue.id]).await?;
    transaction.execute(AREAS, &[&event.0, &venue.id]).await?;
    Ok(())
}
