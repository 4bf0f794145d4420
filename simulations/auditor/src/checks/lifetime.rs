//! From when to when a hold had its seats, by its row.
//!
//! A hold is over at `expires_at` whatever has been written by then; a sale is over for the seats whose
//! tickets have come back.

use chrono::{DateTime, TimeDelta, Utc};

use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{Hold, HoldStatus};

/// How far apart a client's clock and the times that the server writes may be: the server carries
/// the database's clock as an offset, taken from round trips of 50 ms at most, and both run here.
pub const CLOCK_LEEWAY: TimeDelta = TimeDelta::milliseconds(100);

/// A span of time, its end excluded; without end for a sale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lifetime {
    pub(crate) from: DateTime<Utc>,
    pub(crate) until: Option<DateTime<Utc>>,
}

impl Lifetime {
    pub(crate) fn of(hold: &Hold) -> Self {
        let until = match hold.status {
            HoldStatus::Converted => None,
            HoldStatus::Active => Some(hold.expires_at),
            HoldStatus::Released | HoldStatus::Expired => {
                Some(hold.ended_at.map_or(hold.expires_at, |ended| ended.min(hold.expires_at)))
            }
        };
        Self { from: hold.created_at, until }
    }

    /// Of one of its seats.
    pub(crate) fn of_seat(index: &Index<'_>, hold: &Hold, seat: i32) -> Self {
        let whole = Self::of(hold);
        Self {
            until: whole.until.into_iter().chain(index.returned_at(hold.id, seat)).min(),
            ..whole
        }
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.begins_before_end_of(other) && other.begins_before_end_of(self)
    }

    fn begins_before_end_of(self, other: Self) -> bool {
        other.until.is_none_or(|until| self.from < until)
    }

    /// Whether the hold may have lived at some instant of this span of a client's clock.
    pub(crate) fn may_touch(self, from: DateTime<Utc>, to: DateTime<Utc>) -> bool {
        self.from - CLOCK_LEEWAY <= to
            && self.until.is_none_or(|until| until + CLOCK_LEEWAY >= from)
    }

    /// Whether the hold lived all through this span of a client's clock.
    pub(crate) fn surely_covers(self, from: DateTime<Utc>, to: DateTime<Utc>) -> bool {
        self.from + CLOCK_LEEWAY < from && self.until.is_none_or(|until| until - CLOCK_LEEWAY > to)
    }
}

/// A search takes no longer than its caller waits.
const SEARCH_MAX: TimeDelta = TimeDelta::seconds(3);

impl Hold {
    /// Whether its seats may have been chosen once this was over, though the search began before.
    fn is_chosen_after(&self, other: Lifetime) -> bool {
        self.is_chosen && other.until.is_some_and(|until| until < self.created_at + SEARCH_MAX)
    }
}

/// No two holds had one seat at the same time, ended ones included.
pub(crate) fn check(index: &Index<'_>, report: &mut Report) {
    for ((event, seat), holds) in index.seats_with_holds() {
        let mut by_age: Vec<_> =
            holds.iter().map(|hold| (Lifetime::of_seat(index, hold, seat), hold)).collect();
        by_age.sort_by_key(|(lifetime, hold)| (lifetime.from, hold.id));
        for pair in by_age.windows(2) {
            let [(first, a), (second, b)] = pair else { continue };
            if first.overlaps(*second) && !b.is_chosen_after(*first) {
                report.find(
                    Rule::LifetimesOverlap,
                    format!(
                        "seat {seat} of event {event}: hold {} from {} until {:?}, hold {} from {}",
                        a.id, first.from, first.until, b.id, second.from
                    ),
                );
            }
        }
    }
}
