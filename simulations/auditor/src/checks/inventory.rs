//! Seats, places and buyers against the holds that account for them.

use std::collections::HashMap;

use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{Hold, HoldStatus, SeatState};

pub(crate) fn check(index: &Index<'_>, report: &mut Report) {
    seats_say_what_holds_say(index, report);
    holds_say_what_seats_say(index, report);
    seats_are_all_there(index, report);
    places_are_the_sum_of_holds(index, report);
    buyers_are_the_sum_of_holds(index, report);
    quantities_are_sums(index, report);
    totals_are_sums(index, report);
}

fn seats_say_what_holds_say(index: &Index<'_>, report: &mut Report) {
    for seat in &index.rows.seats {
        let name = (seat.event, seat.index);
        let hold = seat.hold.and_then(|id| index.holds.get(&id));
        let owned_as = hold.filter(|hold| has_seat(index, hold, seat.index)).map(|it| it.status);
        let agrees = match seat.state {
            SeatState::Available | SeatState::Blocked => seat.hold.is_none(),
            SeatState::Held => owned_as == Some(HoldStatus::Active),
            SeatState::Sold => owned_as == Some(HoldStatus::Converted),
        };
        if !agrees {
            report.find(
                Rule::SeatDisagrees,
                format!(
                    "seat {name:?} is {:?} to {:?}, whose row says {owned_as:?}",
                    seat.state, seat.hold
                ),
            );
        }
        let owners = index.holds_of_seat(name).iter();
        let owners = owners.filter(|it| is_living(it) && has_seat(index, it, seat.index)).count();
        if owners > 1 {
            report.find(Rule::SeatOwnedTwice, format!("seat {name:?} is in {owners} living holds"));
        }
    }
}

fn holds_say_what_seats_say(index: &Index<'_>, report: &mut Report) {
    for hold in &index.rows.holds {
        let expected = match hold.status {
            HoldStatus::Active => SeatState::Held,
            HoldStatus::Converted => SeatState::Sold,
            HoldStatus::Released | HoldStatus::Expired => continue,
        };
        for seat in hold.seats.iter().filter(|seat| has_seat(index, hold, **seat)) {
            let row = index.seats.get(&(hold.event, *seat));
            if !row.is_some_and(|row| row.state == expected && row.hold == Some(hold.id)) {
                report.find(
                    Rule::SeatDisagrees,
                    format!(
                        "hold {} has seat {seat} as {expected:?}; the seat says {row:?}",
                        hold.id
                    ),
                );
            }
        }
    }
}

/// Each seat has one state, so available, held, sold and blocked add up if the seats do.
fn seats_are_all_there(index: &Index<'_>, report: &mut Report) {
    for event in &index.rows.events {
        let seats = index.seats.keys().filter(|(number, _)| *number == event.number).count();
        let rows = index.rows.seats.iter().filter(|seat| seat.event == event.number).count();
        let planned = usize::try_from(event.planned_seats).ok();
        if planned != Some(seats) || seats != rows {
            report.find(
                Rule::ConservationBroken,
                format!("{}: {planned:?} seats planned, {seats} there in {rows} rows", event.slug),
            );
        }
    }
}

fn places_are_the_sum_of_holds(index: &Index<'_>, report: &mut Report) {
    for area in &index.rows.areas {
        let sum = |status| -> i64 {
            let holds = index.holds_of_section(area.event, area.section).iter();
            let kept = |hold: &&Hold| {
                hold.places_in(area.section) - index.places_returned(hold.id, area.section)
            };
            holds.filter(|hold| hold.status == status).map(kept).sum()
        };
        let (held, sold) = (sum(HoldStatus::Active), sum(HoldStatus::Converted));
        let kept = (i64::from(area.held), i64::from(area.sold));
        if kept != (held, sold) || held + sold > i64::from(area.capacity) {
            report.find(
                Rule::GeneralCountWrong,
                format!(
                    "{} of event {}: counts {kept:?}, holds say {:?}, capacity {}",
                    area.name,
                    area.event,
                    (held, sold),
                    area.capacity
                ),
            );
        }
    }
}

fn buyers_are_the_sum_of_holds(index: &Index<'_>, report: &mut Report) {
    let mut sums: HashMap<(i32, &str), i64> = HashMap::new();
    for hold in index.rows.holds.iter().filter(|hold| is_living(hold)) {
        let returned = i64::try_from(index.returned_of(hold.id).count()).unwrap_or(i64::MAX);
        *sums.entry((hold.event, &hold.buyer)).or_default() += i64::from(hold.quantity) - returned;
    }
    for ((event, buyer), seats) in &sums {
        let limit = index.event(*event).map(|it| i64::from(it.buyer_seats_max));
        if limit.is_none_or(|limit| *seats > limit) {
            report.find(
                Rule::BuyerOverLimit,
                format!("{buyer} has {seats} seats in event {event}, which allows {limit:?}"),
            );
        }
    }
    for buyer in &index.rows.buyers {
        let sum = sums.remove(&(buyer.event, buyer.name.as_str())).unwrap_or(0);
        if i64::from(buyer.seats) != sum {
            let detail = format!("{} is counted {}, holds say {sum}", buyer.name, buyer.seats);
            report.find(Rule::BuyerCountWrong, detail);
        }
    }
    for ((event, buyer), sum) in sums {
        let detail = format!("{buyer} is not counted in event {event}, holds say {sum}");
        report.find(Rule::BuyerCountWrong, detail);
    }
}

fn quantities_are_sums(index: &Index<'_>, report: &mut Report) {
    for hold in &index.rows.holds {
        let places: i64 = hold.places.iter().map(|(_, quantity)| i64::from(*quantity)).sum();
        let seats = i64::try_from(hold.seats.len()).unwrap_or(i64::MAX);
        let prices = i64::try_from(hold.unit_prices.len()).unwrap_or(i64::MAX);
        let quantity = i64::from(hold.quantity);
        if seats + places != quantity || prices != quantity {
            let detail = format!(
                "hold {} counts {quantity}: {seats} seats, {places} places, {prices} prices",
                hold.id
            );
            report.find(Rule::QuantityWrong, detail);
        }
    }
}

fn totals_are_sums(index: &Index<'_>, report: &mut Report) {
    for hold in &index.rows.holds {
        let sum: i64 = hold.unit_prices.iter().chain(&hold.fees).sum();
        if sum != hold.total {
            let detail = format!("hold {} costs {}, its parts {sum}", hold.id, hold.total);
            report.find(Rule::TotalWrong, detail);
        }
    }
}

/// Whether it is one of its seats whose ticket, if it was sold, has not come back.
fn has_seat(index: &Index<'_>, hold: &Hold, seat: i32) -> bool {
    hold.seats.contains(&seat) && index.returned_at(hold.id, seat).is_none()
}

fn is_living(hold: &Hold) -> bool {
    matches!(hold.status, HoldStatus::Active | HoldStatus::Converted)
}
