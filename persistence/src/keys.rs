//! Where an event's rows lie: its number is the high part of every key of them.

use taquilla_engine::id::{EventNumber, SeatIndex};
use uuid::Uuid;

/// A seat's index takes this many bits of its key.
const SEAT_BITS: u32 = 20;

/// `seats.seat_key`.
pub(crate) fn seat_key(event: EventNumber, seat: SeatIndex) -> i64 {
    (i64::from(event.0) << SEAT_BITS) | i64::from(seat.0)
}

/// The reverse of [`seat_key`], for an event's own key.
pub(crate) fn seat_index(key: i64) -> SeatIndex {
    let index = key & ((1 << SEAT_BITS) - 1);
    SeatIndex(u32::try_from(index).expect("twenty bits fit"))
}

/// The first seat key of the event, and the first beyond it.
pub(crate) fn seat_keys(event: EventNumber) -> (i64, i64) {
    let first = seat_key(event, SeatIndex(0));
    (first, first + (1 << SEAT_BITS))
}

/// The lowest id of the event's things, and the lowest beyond them: one range of each primary key.
pub(crate) fn ids(event: EventNumber) -> (Uuid, Uuid) {
    let from = |number: u32| Uuid::from_u128(u128::from(number) << 96);
    let number = u32::try_from(event.0).expect("event numbers are positive");
    (from(number), from(number + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_one_event_lie_between_its_bounds() {
        let event = EventNumber(7);
        let last = SeatIndex((1 << SEAT_BITS) - 1);
        let (from, to) = seat_keys(event);
        assert_eq!(seat_key(event, last) + 1, to);
        assert_eq!(seat_keys(EventNumber(8)).0, to);
        assert_eq!((seat_index(from), seat_index(to - 1)), (SeatIndex(0), last));
    }

    #[test]
    fn ids_of_one_event_lie_between_its_bounds() {
        let (from, to) = ids(EventNumber(7));
        assert_eq!(from.as_bytes()[..5], [0, 0, 0, 7, 0]);
        assert_eq!(ids(EventNumber(8)).0, to);
    }
}
