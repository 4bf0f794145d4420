//! Whether an answer is true: of some durable state between the call and the answer, at some instant
//! between them. It looks only at the history and at what was asked.

use super::history::{Condition, Held, History};
use super::plain::{Said, Seen, Telling};
use crate::model::scenario::{Ask, Wanted};
use crate::model::world::Told;

/// Whether this is true after this history, at one of these instants.
pub(in crate::model) fn is_true(
    history: &History,
    (number, ask): (u8, &Ask),
    seats_max: u32,
    times: std::ops::RangeInclusive<u8>,
    said: &Said,
) -> bool {
    times.into_iter().any(|time| is_true_at(history, (number, ask), seats_max, time, said))
}

fn is_true_at(
    history: &History,
    (number, ask): (u8, &Ask),
    seats_max: u32,
    time: u8,
    said: &Said,
) -> bool {
    let subject = subject(number, ask);
    let held = |hold: u8| history.holds.get(&hold).filter(|held| held.buyer == ask.buyer);
    let is = |seen: &Seen| held(seen.hold).is_some_and(|held| shows(held, seen, time));
    match said {
        Said::Hold(seen) => Some(seen.hold) == subject && is(seen),
        Said::Holds(all) => {
            let alive =
                |it: &&Held| it.buyer == ask.buyer && it.condition_at(time) == Condition::Alive;
            let living = history.holds.values().filter(alive).count();
            all.len() == living
                && all.iter().all(|seen| seen.condition == Condition::Alive && is(seen))
        }
        Said::Released => subject.and_then(held).is_some_and(|held| {
            matches!(held.condition_at(time), Condition::Released | Condition::Expired)
        }),
        Said::Order { seen, standing, .. } => {
            let order = held(seen.hold).and_then(|held| held.order);
            Some(seen.hold) == subject && is(seen) && order == Some(*standing)
        }
        Said::Judged { sold } => history.verdicts.get(&number) == Some(sold),
        Said::Taken(seats) => {
            let wanted = seats_of(ask);
            let taken: Vec<u32> =
                wanted.iter().copied().filter(|seat| history.taken(*seat, time)).collect();
            !taken.is_empty() && taken == *seats
        }
        Said::OverLimit { held } => {
            let living = history.living_seats(ask.buyer, time);
            living == *held && living + seats_of(ask).len() as u32 > seats_max
        }
        Said::NotActive(condition) => {
            *condition != Condition::Alive
                && subject.and_then(held).is_some_and(|held| held.condition_at(time) == *condition)
        }
        Said::Returned(tickets) => {
            let back = subject.and_then(|hold| history.holds.get(&hold));
            *tickets == tickets_of(ask) && back.is_some_and(|held| are_back(held, tickets))
        }
        Said::NotReturnable => {
            subject.and_then(|hold| history.holds.get(&hold)).is_some_and(|held| {
                let back = tickets_of(ask).iter().any(|ticket| are_back(held, &[*ticket]));
                held.order.is_some() && (held.condition != Condition::Sold || back)
            })
        }
        Said::NotFound if is_return(ask) => subject
            .is_some_and(|hold| history.holds.get(&hold).is_none_or(|held| held.order.is_none())),
        Said::NotFound => subject.is_some_and(|hold| held(hold).is_none()),
        Said::Unheard(_) => false,
    }
}

fn shows(held: &Held, seen: &Seen, time: u8) -> bool {
    held.condition_at(time) == seen.condition
        && held.seats == seen.seats
        && held.until == seen.until
        && held.order.is_some() == seen.ordered
}

fn seats_of(ask: &Ask) -> &'static [u32] {
    match ask.wanted {
        Wanted::Place(seats) => seats,
        Wanted::Release { .. }
        | Wanted::GiveBack { .. }
        | Wanted::Order { .. }
        | Wanted::Confirm { .. }
        | Wanted::Return { .. }
        | Wanted::Read { .. }
        | Wanted::ReadAll => &[],
    }
}

fn tickets_of(ask: &Ask) -> &'static [u32] {
    match ask.wanted {
        Wanted::Return { tickets, .. } => tickets,
        Wanted::Place(_)
        | Wanted::Release { .. }
        | Wanted::GiveBack { .. }
        | Wanted::Order { .. }
        | Wanted::Confirm { .. }
        | Wanted::Read { .. }
        | Wanted::ReadAll => &[],
    }
}

fn is_return(ask: &Ask) -> bool {
    matches!(ask.wanted, Wanted::Return { .. })
}

/// Whether these of its tickets, by their place in the claim, have come back.
fn are_back(held: &Held, tickets: &[u32]) -> bool {
    let seat = |ticket: &u32| held.seats.get(*ticket as usize);
    tickets.iter().all(|ticket| seat(ticket).is_some_and(|seat| held.returned.contains(seat)))
}

/// The hold that the ask is about.
pub(in crate::model) fn subject(number: u8, ask: &Ask) -> Option<u8> {
    match ask.wanted {
        Wanted::Place(_) => Some(number),
        Wanted::Release { hold }
        | Wanted::GiveBack { hold, .. }
        | Wanted::Order { hold }
        | Wanted::Confirm { hold }
        | Wanted::Return { hold, .. }
        | Wanted::Read { hold } => u8::try_from(hold).ok(),
        Wanted::ReadAll => None,
    }
}

/// What the ask's key stands for once this was told.
pub(in crate::model) fn told(ask: &Ask, said: &Said) -> Told {
    let places = matches!(ask.wanted, Wanted::Place(_));
    match said {
        Said::Hold(seen) if places => Told::Granted { until: seen.until },
        Said::Order { created, .. } => Told::Ordered { created: *created },
        Said::Judged { sold } => Told::Judged { sold: *sold },
        Said::Returned(_) => Told::Returned,
        Said::Taken(_) | Said::OverLimit { .. } | Said::NotActive(_) | Said::NotReturnable => {
            Told::Refused
        }
        Said::Hold(_) | Said::Holds(_) | Said::Released | Said::NotFound | Said::Unheard(_) => {
            Told::Other
        }
    }
}

/// Whether one key may bring the one and then the other. A refused hold took nothing: it may be
/// decided anew.
pub(in crate::model) fn may_follow(ask: &Ask, before: Told, now: Told) -> bool {
    match ask.wanted {
        Wanted::Place(_) => before == Told::Refused || before == now,
        Wanted::Order { .. } | Wanted::Confirm { .. } => before == now,
        Wanted::Return { .. } => before != Told::Returned || before == now,
        Wanted::Release { .. }
        | Wanted::GiveBack { .. }
        | Wanted::Read { .. }
        | Wanted::ReadAll => true,
    }
}

/// The holds that are told to be over, and those told to live or to be sold.
pub(in crate::model) fn over_and_not(
    number: u8,
    ask: &Ask,
    telling: &Telling,
) -> (Vec<u8>, Vec<u8>) {
    let split = |seen: &Seen| match seen.condition {
        Condition::Released | Condition::Expired => (vec![seen.hold], vec![]),
        Condition::Alive | Condition::Sold => (vec![], vec![seen.hold]),
    };
    let subject: Vec<u8> = subject(number, ask).into_iter().collect();
    match &telling.said {
        Said::Hold(seen) | Said::Order { seen, .. } => split(seen),
        Said::Holds(all) => (vec![], all.iter().map(|seen| seen.hold).collect()),
        Said::Released | Said::NotActive(Condition::Released | Condition::Expired) => {
            (subject, vec![])
        }
        Said::Judged { sold: true } => (vec![], subject),
        Said::Judged { sold: false }
        | Said::Returned(_)
        | Said::NotReturnable
        | Said::Taken(_)
        | Said::OverLimit { .. }
        | Said::NotActive(Condition::Alive | Condition::Sold)
        | Said::NotFound
        | Said::Unheard(_) => (vec![], vec![]),
    }
}
