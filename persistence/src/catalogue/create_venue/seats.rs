//! A new venue's seats, copied in chunks, so that no statement is long and no buffer large.

use std::pin::pin;

use taquilla_engine::id::{SeatIndex, SectionIndex};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::super::new_venue::{NewSeat, NewVenue, SectionRoom};
use super::super::venue::category_number;
use crate::columns;

/// Some 0.1 s each.
const CHUNK_SEATS: usize = 20_000;

const COPY: &str = "/* create_venue */ \
    COPY venue_seats (venue_id, seat_index, section_no, category_no, label, row_label, seat_label, \
                      x, y, accessible) \
    FROM STDIN (FORMAT binary)";

const COLUMNS: [Type; 10] = [
    Type::UUID,
    Type::INT4,
    Type::INT2,
    Type::INT2,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::FLOAT4,
    Type::FLOAT4,
    Type::BOOL,
];

/// A seat with its place in the plan.
type Placed<'a> = (SeatIndex, SectionIndex, &'a NewSeat);

pub(super) async fn copy(transaction: &Client, venue: &NewVenue) -> Result<(), Error> {
    let mut seats = placed(venue).peekable();
    while seats.peek().is_some() {
        copy_chunk(transaction, venue.id, seats.by_ref().take(CHUNK_SEATS)).await?;
    }
    Ok(())
}

/// All seats, in index order.
fn placed(venue: &NewVenue) -> impl Iterator<Item = Placed<'_>> {
    let seats = (0..).zip(&venue.sections).flat_map(|(section, new)| {
        let seats = match &new.room {
            SectionRoom::Seated(seats) => seats.as_slice(),
            SectionRoom::General { .. } => &[],
        };
        seats.iter().map(move |seat| (SectionIndex(section), seat))
    });
    (0..).zip(seats).map(|(index, (section, seat))| (SeatIndex(index), section, seat))
}

async fn copy_chunk(
    transaction: &Client,
    venue: Uuid,
    seats: impl Iterator<Item = Placed<'_>>,
) -> Result<(), Error> {
    let sink = transaction.copy_in(COPY).await?;
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &COLUMNS));
    for (SeatIndex(index), SectionIndex(section), seat) in seats {
        writer
            .as_mut()
            .write(&[
                &venue,
                &columns::integer(index),
                &columns::place(section.into()),
                &category_number(seat.category),
                &seat.label,
                &&*seat.row,
                &seat.seat,
                &seat.x,
                &seat.y,
                &seat.accessible,
            ])
            .await?;
    }
    writer.finish().await.map(drop)
}
