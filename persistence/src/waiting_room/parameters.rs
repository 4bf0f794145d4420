//! A room's batch as the parameters of `append_queue_batch`.

use serde_json::Value;
use taquilla_engine::moment::Moment;
use taquilla_engine::waiting_room::batch::{QueueBatch, Turn};
use tokio_postgres::types::Json;
use uuid::Uuid;

use crate::journal::lane::Values;
use crate::operator_action::detail;
use crate::stamp::Stamp;

/// All of them, in the statement's order.
pub(super) fn of(batch: &QueueBatch, sent_at: Moment) -> Values<'_> {
    let QueueBatch { event, epoch, sequence, places, turns, opening, call, round, .. } = batch;
    let QueueBatch { control, deeds, .. } = batch;
    let mut it = Values::default();
    it.push(event.0);
    it.push(epoch.0);
    it.push(sequence.0);
    it.push(Stamp(sent_at));

    it.push(places.first().map(|place| number(place.number)));
    it.push(places.iter().map(|place| place.ticket.uuid()).collect::<Vec<Uuid>>());
    it.push(places.iter().map(|place| place.buyer.as_str()).collect::<Vec<&str>>());
    it.push(places.iter().map(|place| Stamp(place.at)).collect::<Vec<Stamp>>());
    // A place that was given up and taken up again in one batch is in the line.
    let of_new = places.iter().map(|place| place.turn.filter(|turn| *turn != Turn::Returned));
    let of_new: Vec<Option<Turn>> = of_new.collect();
    it.push(of_new.iter().map(|turn| turn.map(code)).collect::<Vec<Option<i16>>>());
    let turned_at = |turn: Turn| Stamp(at(turn, sent_at));
    it.push(of_new.iter().map(|turn| turn.map(turned_at)).collect::<Vec<Option<Stamp>>>());

    it.push(turns.keys().map(|of| number(*of)).collect::<Vec<i32>>());
    it.push(turns.values().map(|turn| code(*turn)).collect::<Vec<i16>>());
    it.push(turns.values().map(|turn| turned_at(*turn)).collect::<Vec<Stamp>>());

    it.push(opening.map(|opening| number(opening.present)));
    it.push(opening.map(|opening| opening.value.0.to_vec()));
    it.push(opening.map(|opening| Stamp(opening.at)));
    it.push(call.map(|call| number(call.served)));
    it.push(call.map(|call| Stamp(call.at)));
    it.push(*round);

    it.push(control.map(|control| control.paused));
    it.push(control.map(|control| control.ceiling.unwrap_or(NO_CEILING)));
    it.push(deeds.iter().map(|deed| deed.id).collect::<Vec<Uuid>>());
    it.push(deeds.iter().map(|deed| &*deed.who).collect::<Vec<&str>>());
    it.push(deeds.iter().map(|deed| deed.what).collect::<Vec<&str>>());
    it.push(deeds.iter().map(|deed| &*deed.why).collect::<Vec<&str>>());
    it.push(deeds.iter().map(|deed| Json(detail(deed))).collect::<Vec<Json<Value>>>());
    it
}

/// As `append_queue_batch` takes it.
const NO_CEILING: f64 = -1.0;

/// Rooms are bounded far below 2^31.
fn number(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// As `append_queue_batch` takes it.
fn code(turn: Turn) -> i16 {
    match turn {
        Turn::Came(_) => 0,
        Turn::Left => 1,
        Turn::Bought => 2,
        Turn::Returned => 3,
        Turn::Renewed(_) => 4,
    }
}

fn at(turn: Turn, sent_at: Moment) -> Moment {
    match turn {
        Turn::Came(at) | Turn::Renewed(at) => at,
        Turn::Left | Turn::Bought | Turn::Returned => sent_at,
    }
}
