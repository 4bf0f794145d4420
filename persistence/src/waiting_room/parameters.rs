//! A room's batch as the parameters of `append_queue_batch`.

use taquilla_engine::moment::Moment;
use taquilla_engine::waiting_room::batch::{QueueBatch, Turn};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::stamp::Stamp;

/// Values in the order of the statement's parameters.
pub(super) struct Parameters<'a>(Vec<Box<dyn ToSql + Sync + Send + 'a>>);

impl<'a> Parameters<'a> {
    pub(super) fn of(batch: &'a QueueBatch, sent_at: Moment) -> Self {
        let QueueBatch { event, epoch, sequence, places, turns, opening, call, round, .. } = batch;
        let mut it = Self(Vec::with_capacity(18));
        it.value(event.0);
        it.value(epoch.0);
        it.value(sequence.0);
        it.value(Stamp(sent_at));

        it.value(places.first().map(|place| number(place.number)));
        it.value(places.iter().map(|place| place.ticket.uuid()).collect::<Vec<Uuid>>());
        it.value(places.iter().map(|place| place.buyer.as_str()).collect::<Vec<&str>>());
        it.value(places.iter().map(|place| Stamp(place.at)).collect::<Vec<Stamp>>());
        // A place that was given up and taken up again in one batch is in the line.
        let of_new = places.iter().map(|place| place.turn.filter(|turn| *turn != Turn::Returned));
        let of_new: Vec<Option<Turn>> = of_new.collect();
        it.value(of_new.iter().map(|turn| turn.map(code)).collect::<Vec<Option<i16>>>());
        let turned_at = |turn: Turn| Stamp(at(turn, sent_at));
        it.value(of_new.iter().map(|turn| turn.map(turned_at)).collect::<Vec<Option<Stamp>>>());

        it.value(turns.keys().map(|of| number(*of)).collect::<Vec<i32>>());
        it.value(turns.values().map(|turn| code(*turn)).collect::<Vec<i16>>());
        it.value(turns.values().map(|turn| turned_at(*turn)).collect::<Vec<Stamp>>());

        it.value(opening.map(|opening| number(opening.present)));
        it.value(opening.map(|opening| opening.value.0.to_vec()));
        it.value(call.map(|call| number(call.served)));
        it.value(call.map(|call| Stamp(call.at)));
        it.value(*round);
        it
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(dyn ToSql + Sync)> {
        self.0.iter().map(|value| &**value as &(dyn ToSql + Sync))
    }

    fn value(&mut self, value: impl ToSql + Sync + Send + 'a) {
        self.0.push(Box::new(value));
    }
}

/// Rooms are bounded far below 2^31.
fn number(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// As `append_queue_batch` takes it.
fn code(turn: Turn) -> i16 {
    match turn {
        Turn::Came(_) => 0,
        Turn::Left => 1,
        Turn::Returned => 2,
    }
}

fn at(turn: Turn, sent_at: Moment) -> Moment {
    match turn {
        Turn::Came(at) => at,
        Turn::Left | Turn::Returned => sent_at,
    }
}
