//! Holds as answers show them: against what was asked for, against their rows, and against those that
//! had what was declined.

use std::collections::HashMap;

use super::supply::surely_there;
use crate::answers::{Answers, HoldShown, Item, Listing, PartGiven, Wanted};
use crate::checks::lifetime::{CLOCK_LEEWAY, Lifetime};
use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{Hold, HoldStatus};
use crate::tenures::Tenures;

pub(crate) fn check(
    index: &Index<'_>,
    answers: &Answers<'_>,
    tenures: &Tenures<'_>,
    report: &mut Report,
) {
    for shown in answers.grants.iter().chain(&answers.holds) {
        is_there(index, answers, shown, report);
        if shown.cost != shown.total {
            let detail =
                format!("{} shows parts of {} and {}", shown.hold, shown.cost, shown.total);
            report.find(Rule::TotalWrong, detail);
        }
        is_what_it_says(index, shown, report);
    }
    for grant in &answers.grants {
        is_what_was_asked_for(answers, grant, report);
        lacked_what_it_declines(index, tenures, grant, report);
    }
    for listing in &answers.listings {
        lists_what_lives(index, listing, report);
    }
    for part in answers.parts.iter().filter(|part| part.done_at.is_some()) {
        is_given_back(index, answers, part, report);
    }
}

/// The row has what was shown, except what was asked to be given back.
fn is_there(index: &Index<'_>, answers: &Answers<'_>, shown: &HoldShown<'_>, report: &mut Report) {
    let row = index.holds.get(&shown.hold);
    let same = row.is_some_and(|row| {
        let less = difference(&shown.items, &items(index, row));
        let more = difference(&items(index, row), &shown.items);
        row.buyer == shown.record.buyer
            && row.expires_at.timestamp_millis() == shown.expires_at.timestamp_millis()
            && more.is_empty()
            && less.iter().all(|item| may_be_given_back(answers, shown, item))
            && (!less.is_empty() || row.total == shown.total)
    });
    if !same {
        report.find(Rule::HoldLost, format!("{shown:?}; the row is {row:?}"));
    }
}

/// Whether somebody asked to give so much back.
fn may_be_given_back(answers: &Answers<'_>, shown: &HoldShown<'_>, item: &Item) -> bool {
    let mut parts = answers.parts.iter().filter(|part| part.hold == shown.hold);
    match item {
        Item::Seat(_) => parts.any(|part| part.item == *item),
        Item::Places(section, quantity) => {
            let here = parts.filter_map(|part| match &part.item {
                Item::Places(name, given) if name == section => Some(given),
                Item::Places(..) | Item::Seat(_) => None,
            });
            here.sum::<i64>() >= *quantity
        }
    }
}

fn is_what_was_asked_for(answers: &Answers<'_>, grant: &HoldShown<'_>, report: &mut Report) {
    let wanted = Wanted::of(&grant.record.request);
    let all: Vec<Item> = grant.items.iter().chain(&grant.declined).cloned().collect();
    let quantity: i64 = all.iter().map(Item::quantity).sum();
    let asked: Vec<Item> = wanted
        .seats
        .iter()
        .map(|label| Item::Seat((*label).to_owned()))
        .chain(wanted.places.iter().map(|(it, n)| Item::Places((*it).to_owned(), *n)))
        .collect();
    // A replay shows the hold as it is by then.
    let gone = |item: &Item| may_be_given_back(answers, grant, item);
    let right = if wanted.best > 0 {
        let left = answers.parts.iter().any(|part| part.hold == grant.hold);
        quantity == wanted.best || (left && quantity < wanted.best)
    } else {
        difference(&all, &asked).is_empty() && difference(&asked, &all).iter().all(gone)
    };
    let declines = !grant.declined.is_empty() && !wanted.accept_fewer;
    if !right || declines || grant.items.is_empty() {
        let request = &grant.record.request;
        report.find(Rule::GrantDiffers, format!("{request} brought {grant:?}"));
    }
}

fn lacked_what_it_declines(
    index: &Index<'_>,
    tenures: &Tenures<'_>,
    grant: &HoldShown<'_>,
    report: &mut Report,
) {
    let request = &grant.record.request;
    let wanted = Wanted::of(request);
    let Some(event) = index.event_named(&request["event_id"]) else { return };
    if wanted.best > 0 {
        let wish = &request["best_available"];
        let there = surely_there(index, tenures, event, wish, grant.asked);
        if !grant.declined.is_empty() && there.is_some_and(|there| there >= wanted.best) {
            let detail = format!("{there:?} such seats were free all the while: {request}");
            report.find(Rule::DeclineUnjustified, detail);
        }
        return;
    }
    for item in &grant.declined {
        let taken = match item {
            Item::Seat(label) => index.seat_called(event.number, label).is_some_and(|seat| {
                let mut tenures = tenures.of_seat((event.number, seat.index)).iter();
                tenures.any(|it| it.may_touch(grant.asked))
            }),
            Item::Places(name, declined) => {
                index.area_called(event.number, name).is_some_and(|area| {
                    let tenures = tenures.of_section(event.number, area.section).iter();
                    let touching = tenures.filter(|it| it.may_touch(grant.asked));
                    let taken: i64 = touching.map(|it| it.quantity).sum();
                    taken + declined > i64::from(area.capacity)
                })
            }
        };
        if !taken {
            let detail = format!("{item:?} was there for {}: {request}", grant.hold);
            report.find(Rule::DeclineUnjustified, detail);
        }
    }
}

fn is_what_it_says(index: &Index<'_>, shown: &HoldShown<'_>, report: &mut Report) {
    let Some(row) = index.holds.get(&shown.hold) else { return };
    let until = Lifetime::of(row).until;
    let had_ended = until.is_some_and(|until| until + CLOCK_LEEWAY < shown.record.at_start);
    let is_over = until.is_some_and(|until| until <= shown.asked.to + CLOCK_LEEWAY);
    let right = match shown.status {
        "active" => !had_ended,
        "released" => row.status == HoldStatus::Released && is_over,
        // A sale that was begun in time may still be on its way when the hold's time is over.
        "expired" => match row.status {
            HoldStatus::Active | HoldStatus::Expired => is_over,
            HoldStatus::Converted => row.expires_at <= shown.asked.to + CLOCK_LEEWAY,
            HoldStatus::Released => false,
        },
        "converted" => row.status == HoldStatus::Converted,
        _ => false,
    };
    if !right {
        let detail =
            format!("hold {} is shown as {}; the row is {row:?}", shown.hold, shown.status);
        report.find(Rule::ShownWrong, detail);
    }
}

fn lists_what_lives(index: &Index<'_>, listing: &Listing<'_>, report: &mut Report) {
    let Some(event) = index.event_named(&listing.event) else { return };
    let asked = listing.asked;
    for hold in index.holds_of_buyer(event.number, listing.buyer) {
        // When it was sold is not known here, and a sold hold is not listed.
        let lived = hold.status != HoldStatus::Converted
            && Lifetime::of(hold).surely_covers(asked.from, asked.to);
        if lived && !listing.holds.contains(&hold.id) {
            let detail = format!("{} does not list hold {}", listing.buyer, hold.id);
            report.find(Rule::ShownWrong, detail);
        }
    }
}

/// What was given back is not in the row any more, unless all of it was: then the hold has ended.
fn is_given_back(index: &Index<'_>, answers: &Answers<'_>, part: &PartGiven, report: &mut Report) {
    let row = index.holds.get(&part.hold).filter(|row| row.status != HoldStatus::Released);
    let Some(row) = row else { return };
    let has = items(index, row);
    let undone = match &part.item {
        Item::Seat(_) => has.contains(&part.item),
        Item::Places(section, _) => {
            let here = |items: &[Item]| -> i64 {
                let here =
                    items.iter().filter(|it| matches!(it, Item::Places(it, _) if it == section));
                here.map(Item::quantity).sum()
            };
            let grants = answers.grants.iter().filter(|grant| grant.hold == part.hold);
            let granted = grants.map(|grant| here(&grant.items)).max().unwrap_or(i64::MAX);
            let parts = answers.parts.iter();
            let done = parts.filter(|it| it.hold == part.hold && it.done_at.is_some());
            let given: Vec<Item> = done.map(|it| it.item.clone()).collect();
            here(&has) + here(&given) > granted
        }
    };
    if undone {
        report.find(Rule::PartUndone, format!("{part:?}; the hold is {row:?}"));
    }
}

/// A hold's items as answers name them, in order.
fn items(index: &Index<'_>, hold: &Hold) -> Vec<Item> {
    let label = |seat| index.seats.get(&(hold.event, seat)).map(|it| it.label.clone());
    let area = |section| {
        let mut areas = index.rows.areas.iter();
        areas.find(|it| (it.event, it.section) == (hold.event, section)).map(|it| it.name.clone())
    };
    let seats = hold.seats.iter().map(|seat| Item::Seat(label(*seat).unwrap_or_default()));
    let places = hold.places.iter().map(|(section, quantity)| {
        Item::Places(area(*section).unwrap_or_default(), i64::from(*quantity))
    });
    let mut items: Vec<Item> = seats.chain(places).collect();
    items.sort_unstable();
    items
}

/// What the first list has and the second has not.
fn difference(of: &[Item], without: &[Item]) -> Vec<Item> {
    let mut left: HashMap<&str, i64> = HashMap::new();
    for (items, sign) in [(of, 1), (without, -1)] {
        for item in items {
            *left.entry(item.name()).or_default() += sign * item.quantity();
        }
    }
    let is_seat = |name: &str| of.iter().any(|it| matches!(it, Item::Seat(seat) if seat == name));
    let more = left.into_iter().filter(|(_, count)| *count > 0);
    let item = |name: &str, count| match is_seat(name) {
        true => Item::Seat(name.to_owned()),
        false => Item::Places(name.to_owned(), count),
    };
    more.map(|(name, count)| item(name, count)).collect()
}
