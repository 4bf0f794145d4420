//! Whether the grants that clients saw can be put in one order: each at an instant inside its own
//! request, and no seat with two of them at a time.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::answers::{Answers, Ended, HoldShown, Item};
use crate::checks::lifetime::{CLOCK_LEEWAY, Lifetime};
use crate::index::Index;
use crate::report::{Report, Rule};

/// The event's number and the seat's label.
type SeatName<'a> = (Option<i32>, &'a str);

pub(crate) fn check(index: &Index<'_>, answers: &Answers<'_>, report: &mut Report) {
    let mut grants: HashMap<Uuid, &HoldShown<'_>> = HashMap::new();
    for grant in &answers.grants {
        grants.entry(grant.hold).or_insert(grant);
        inside_its_request(grant, report);
    }
    let ends = ends(index, answers);
    let mut by_seat: HashMap<SeatName<'_>, Vec<(Lifetime, Uuid)>> = HashMap::new();
    for grant in grants.values() {
        let event = &grant.record.request["event_id"];
        let event = index.event_named(event).map(|event| event.number);
        let until = surely_until(&ends, grant);
        for item in &grant.items {
            if let Item::Seat(label) = item {
                let seat = (event, label.as_str());
                let back = given_back(answers, grant, item);
                let until =
                    until.into_iter().chain(back).chain(returned(index, event, grant, label));
                let until = until.min();
                let lifetime = Lifetime { from: surely_from(grant), until };
                by_seat.entry(seat).or_default().push((lifetime, grant.hold));
            }
        }
    }
    for (seat, mut lifetimes) in by_seat {
        lifetimes.sort_by_key(|(lifetime, hold)| (lifetime.from, *hold));
        for pair in lifetimes.windows(2) {
            let [(first, a), (second, b)] = pair else { continue };
            if first.overlaps(*second) {
                let detail = format!("{seat:?}: hold {a} {first:?}, hold {b} {second:?}");
                report.find(Rule::GrantedWhileAlive, detail);
            }
        }
    }
}

fn inside_its_request(grant: &HoldShown<'_>, report: &mut Report) {
    let (from, to) = (grant.asked.from - CLOCK_LEEWAY, grant.asked.to + CLOCK_LEEWAY);
    if grant.created_at < from || grant.created_at > to {
        let detail =
            format!("hold {} of {}, asked {:?}", grant.hold, grant.created_at, grant.asked);
        report.find(Rule::GrantOutsideRequest, detail);
    }
}

/// What clients know of the end of a hold.
#[derive(Debug, Default, Clone, Copy)]
struct Known {
    is_sold: bool,
    /// Before this nobody had asked to end it.
    ending_sent_at: Option<DateTime<Utc>>,
}

fn ends(index: &Index<'_>, answers: &Answers<'_>) -> HashMap<Uuid, Known> {
    let mut ends: HashMap<Uuid, Known> = HashMap::new();
    for order in &answers.orders {
        let is_sold = matches!(order.status, "confirmed" | "captured" | "capture_failed");
        ends.entry(order.hold).or_default().is_sold |= is_sold;
    }
    for ending in &answers.endings {
        let hold = match ending.of {
            Ended::Hold(id) => Some(id),
            Ended::Order(id) => index.orders.get(&id).map(|order| order.hold),
        };
        if let Some(hold) = hold {
            let known = &mut ends.entry(hold).or_default().ending_sent_at;
            *known = Some(known.map_or(ending.sent_at, |at| at.min(ending.sent_at)));
        }
    }
    ends
}

/// From when on the seats were surely this hold's. Chosen ones were found after the hold began, and
/// before its answer.
fn surely_from(grant: &HoldShown<'_>) -> DateTime<Utc> {
    if grant.record.answer["choice"].is_null() { grant.created_at } else { grant.record.at_end }
}

/// When somebody first asked to give the item back, if ever.
fn given_back(answers: &Answers<'_>, grant: &HoldShown<'_>, item: &Item) -> Option<DateTime<Utc>> {
    let parts = answers.parts.iter().filter(|it| it.hold == grant.hold && it.item == *item);
    parts.map(|part| part.sent_at - CLOCK_LEEWAY).min()
}

/// Since when the seat's ticket is void, if it was sold and has come back.
fn returned(
    index: &Index<'_>,
    event: Option<i32>,
    grant: &HoldShown<'_>,
    label: &str,
) -> Option<DateTime<Utc>> {
    let seat = index.seat_called(event?, label)?;
    index.returned_at(grant.hold, seat.index).map(|at| at - CLOCK_LEEWAY)
}

/// Until when the seats were surely this hold's, by the clients' account.
fn surely_until(ends: &HashMap<Uuid, Known>, grant: &HoldShown<'_>) -> Option<DateTime<Utc>> {
    let known = ends.get(&grant.hold).copied().unwrap_or_default();
    if known.is_sold {
        return None;
    }
    let sent = known.ending_sent_at.map(|at| at - CLOCK_LEEWAY);
    Some(sent.map_or(grant.expires_at, |at| at.min(grant.expires_at)))
}
