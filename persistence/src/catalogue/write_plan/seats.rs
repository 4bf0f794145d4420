//! A new plan's seats, copied in chunks, so that no statement is long and no buffer large.

use std::pin::pin;

use taquilla_engine::id::{SeatIndex, SectionIndex};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::super::new_venue::{NewSeat, NewSection, SectionRoom};
use super::super::seating_plan::category_number;
use crate::columns;

/// Some 0.1 s each.
const CHUNK_SEATS: usize = 20_000;

const COPY: &str = "/* write_plan */ \
    COPY plan_seats (plan_id, seat_index, section_no, category_no, label, row_label, seat_label, \
                      x, y, accessible, dropped) \
    FROM STDIN (FORMAT binary)";

const COLUMNS: [Type; 11] = [
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
    Type::BOOL,
];

/// A seat with its place in the plan.
type Placed<'a> = (SeatIndex, SectionIndex, &'a NewSeat);

pub(super) async fn copy(
    transaction: &Client,
    plan: Uuid,
    sections: &[NewSection],
) -> Result<(), Error> {
    let mut seats = placed(sections).peekable();
    while seats.peek().is_some() {
        copy_chunk(transaction, plan, seats.by_ref().take(CHUNK_SEATS)).await?;
    }
    Ok(())
}

/// All seats, in index order.
fn placed(sections: &[NewSection]) -> impl Iterator<Item = Placed<'_>> {
    let seats = (0..).zip(sections).flat_map(|(section, new)| {
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
    plan: Uuid,
    seats: impl Iterator<Item = Placed<'_>>,
) -> Result<(), Error> {
    let sink = transaction.copy_in(COPY).await?;
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &COLUMNS));
    for (SeatIndex(index), SectionIndex(section), seat) in seats {
        writer
            .as_mut()
            .write(&[
                &plan,
                &columns::integer(index),
                &columns::place(section.into()),
                &category_number(seat.category),
                &seat.label,
                &&*seat.row,
                &seat.seat,
                &seat.x,
                &seat.y,
                &seat.accessible,
                &seat.dropped,
            ])
            .await?;
    }
    writer.finish().await.map(drop)
}
