//! Whether the house could have chosen such seats: those that nobody can have had, all the while.

use serde_json::Value;

use crate::answers::Asked;
use crate::index::Index;
use crate::rows::{Event, Seat};
use crate::tenures::Tenures;

/// How many seats for this wish were surely there between question and answer: side by side, where that
/// was asked for. `None` for wishes that the rows read here do not explain.
pub(crate) fn surely_there(
    index: &Index<'_>,
    tenures: &Tenures<'_>,
    event: &Event,
    wish: &Value,
    asked: Asked,
) -> Option<i64> {
    if wish.get("tier").is_some_and(|tier| !tier.is_null()) || wish["accessible"] == true {
        return None;
    }
    let named = wish["section"].as_str();
    let is_free = |seat: &&Seat| {
        let tenures = tenures.of_seat((event.number, seat.index));
        seat.event == event.number
            && !seat.accessible
            && named.is_none_or(|name| is_in(seat, name))
            && !tenures.iter().any(|tenure| tenure.may_touch(asked))
    };
    let mut free: Vec<&Seat> = index.rows.seats.iter().filter(is_free).collect();
    free.sort_unstable_by_key(|seat| seat.index);
    if wish["adjacent"] != true {
        return i64::try_from(free.len()).ok();
    }
    let (mut best, mut run) = (0, 0);
    let mut last: Option<&Seat> = None;
    for seat in free {
        let beside = last.is_some_and(|last| are_neighbours(last, seat));
        run = if beside { run + 1 } else { 1 };
        best = best.max(run);
        last = Some(seat);
    }
    Some(best)
}

/// Labels begin with their section's name.
fn is_in(seat: &Seat, section: &str) -> bool {
    seat.label.strip_prefix(section).is_some_and(|rest| rest.starts_with('-'))
}

/// The halls here have rows without gaps, whose seats follow each other.
fn are_neighbours(one: &Seat, other: &Seat) -> bool {
    (one.section, &one.row) == (other.section, &other.row) && one.index + 1 == other.index
}
