//! Whether each refusal can have been the truth at some instant between question and answer.
//!
//! Only what is durable justifies: a hold that never got a row must not have turned anyone away.

use std::collections::BTreeSet;

use serde_json::Value;
use uuid::Uuid;

use super::supply::surely_there;
use crate::answers::{Answers, Refused, Wanted};
use crate::checks::lifetime::{CLOCK_LEEWAY, Lifetime};
use crate::index::Index;
use crate::recorded::Recorded;
use crate::report::{Report, Rule};
use crate::rows::{Event, Hold, HoldStatus};
use crate::tenures::{Tenure, Tenures};

pub(crate) fn check(
    index: &Index<'_>,
    answers: &Answers<'_>,
    tenures: &Tenures<'_>,
    report: &mut Report,
) {
    for refused in &answers.refused {
        let verdict = match refused.slug {
            "seats-unavailable" => seats_were_taken(index, tenures, refused),
            "buyer-limit-exceeded" => limit_was_reached(index, tenures, refused),
            "hold-not-active" => hold_was_over(index, refused),
            "order-not-payable" => order_was_not_payable(index, refused),
            _ => Ok(()),
        };
        if let Err((rule, why)) = verdict {
            let asked = refused.asked;
            let record = refused.record;
            report.find(
                rule,
                format!(
                    "{why}: {} asked {} ({asked:?}): {}",
                    record.buyer, record.request, record.answer
                ),
            );
        }
    }
}

type Verdict = Result<(), (Rule, String)>;

fn unjustified(why: impl Into<String>) -> Verdict {
    Err((Rule::RefusalUnjustified, why.into()))
}

fn incomplete(what: &str) -> Verdict {
    Err((Rule::RefusalIncomplete, format!("{what} was taken too")))
}

/// It names what was taken at some instant, all of it, and nothing else. Whoever takes fewer is refused
/// only if there was nothing at all. Seats that the house was to choose are not named.
fn seats_were_taken(index: &Index<'_>, tenures: &Tenures<'_>, refused: &Refused<'_>) -> Verdict {
    let wanted = Wanted::of(&refused.record.request);
    let Some(event) = index.event_named(&refused.record.request["event_id"]) else {
        return unjustified("no such event");
    };
    let named: Vec<&str> = strings(&refused.record.answer["seats"]).collect();
    let sections: Vec<&str> = strings(&refused.record.answer["sections"]).collect();
    if wanted.best > 0 {
        return best_was_gone(index, tenures, event, refused, &sections);
    }
    if named.is_empty() && sections.is_empty() {
        return unjustified("it names nothing");
    }
    if let Some(stranger) = named.iter().find(|label| !wanted.seats.contains(label)) {
        return unjustified(format!("nobody asked for seat {stranger}"));
    }
    for label in &wanted.seats {
        seat_was_taken(index, tenures, event, label, named.contains(label), refused)?;
    }
    for section in &sections {
        if !wanted.places.iter().any(|(asked, _)| asked == section) {
            return unjustified(format!("nobody asked for section {section}"));
        }
    }
    for (section, asked) in &wanted.places {
        let needed = if wanted.accept_fewer { 1 } else { *asked };
        let is_named = sections.contains(section);
        section_was_short(index, tenures, event, (section, needed), is_named, refused)?;
    }
    let named_all = named.len() == wanted.seats.len() && sections.len() == wanted.places.len();
    if wanted.accept_fewer && !named_all {
        return unjustified("what it does not name would have done");
    }
    Ok(())
}

/// Seats that the house was to choose are not named; the sections are in which they would have been. There
/// must have been no such seats at some instant.
fn best_was_gone(
    index: &Index<'_>,
    tenures: &Tenures<'_>,
    event: &Event,
    refused: &Refused<'_>,
    sections: &[&str],
) -> Verdict {
    let request = &refused.record.request;
    let (wanted, wish) = (Wanted::of(request), &request["best_available"]);
    let of_tier = wish["tier"].is_string();
    let named: BTreeSet<&str> = match wish["section"].as_str() {
        Some(section) => [section].into(),
        None => index.seated_sections(event.number),
    };
    let answered: BTreeSet<&str> = sections.iter().copied().collect();
    // Which of them have seats of a tier, the rows read here do not say.
    let names_them = if of_tier { answered.is_subset(&named) } else { answered == named };
    if strings(&refused.record.answer["seats"]).next().is_some() || !names_them {
        return unjustified(format!("it names other than {named:?}"));
    }
    let needed = if wanted.accept_fewer { 1 } else { wanted.best };
    match surely_there(index, tenures, event, wish, refused.asked) {
        Some(there) if there >= needed => {
            unjustified(format!("{there} such seats were free all the while"))
        }
        Some(_) | None => Ok(()),
    }
}

fn seat_was_taken(
    index: &Index<'_>,
    tenures: &Tenures<'_>,
    event: &Event,
    label: &str,
    is_named: bool,
    refused: &Refused<'_>,
) -> Verdict {
    let seat = index.seat_called(event.number, label);
    let all = seat.map_or(&[][..], |seat| tenures.of_seat((event.number, seat.index)));
    if is_named && !all.iter().any(|it| it.may_touch(refused.asked)) {
        return unjustified(format!("seat {label} was free"));
    }
    if !is_named && all.iter().any(|it| it.surely_covers(refused.asked)) {
        return incomplete(&format!("seat {label}"));
    }
    Ok(())
}

fn section_was_short(
    index: &Index<'_>,
    tenures: &Tenures<'_>,
    event: &Event,
    (section, needed): (&str, i64),
    is_named: bool,
    refused: &Refused<'_>,
) -> Verdict {
    let Some(area) = index.area_called(event.number, section) else {
        return unjustified(format!("there is no section {section} of places"));
    };
    let (all, capacity) =
        (tenures.of_section(event.number, area.section), i64::from(area.capacity));
    let most = sum(all, |it| it.may_touch(refused.asked));
    let least = sum(all, |it| it.surely_covers(refused.asked));
    if is_named && most + needed <= capacity {
        return unjustified(format!("{section} had {most} of {capacity} taken at most"));
    }
    if !is_named && least + needed > capacity {
        return incomplete(section);
    }
    Ok(())
}

fn limit_was_reached(index: &Index<'_>, tenures: &Tenures<'_>, refused: &Refused<'_>) -> Verdict {
    let Some(event) = index.event_named(&refused.record.request["event_id"]) else {
        return unjustified("no such event");
    };
    let all = tenures.of_buyer(event.number, &refused.record.buyer);
    let most = sum(all, |it| it.may_touch(refused.asked));
    let least = sum(all, |it| it.surely_covers(refused.asked));
    let asked = Wanted::of(&refused.record.request).quantity();
    let answer = &refused.record.answer;
    let (limit, held) = (answer["limit"].as_i64(), answer["held"].as_i64());
    if limit != Some(i64::from(event.buyer_seats_max)) {
        return unjustified(format!("the limit is {}", event.buyer_seats_max));
    }
    match held {
        Some(held) if (least..=most).contains(&held) => {
            if held + asked > i64::from(event.buyer_seats_max) {
                return Ok(());
            }
            unjustified(format!("{asked} more than {held} is within the limit"))
        }
        Some(_) | None => unjustified(format!("the buyer had {least} to {most} seats")),
    }
}

/// The hold was over, and is called what it was. One without an order is never sold, and one that is
/// sold is not refused an order.
fn hold_was_over(index: &Index<'_>, refused: &Refused<'_>) -> Verdict {
    let record = refused.record;
    let Some(hold) = hold_named(index, record) else { return unjustified("no such hold") };
    let said = record.answer["hold_status"].as_str().unwrap_or_default();
    let was_over =
        Lifetime::of(hold).until.is_some_and(|until| until <= refused.asked.to + CLOCK_LEEWAY);
    let right = match (hold.status, record.method.as_str()) {
        (HoldStatus::Active | HoldStatus::Expired, _) => was_over && said == "expired",
        (HoldStatus::Released, _) => was_over && said == "released",
        (HoldStatus::Converted, "POST") => false,
        (HoldStatus::Converted, _) => said == "converted",
    };
    if right { Ok(()) } else { unjustified(format!("the hold is {hold:?}, and called {said}")) }
}

/// The hold that the request is about: by its body, by its path, or by its order.
fn hold_named<'a>(index: &Index<'a>, record: &Recorded) -> Option<&'a Hold> {
    let path: Vec<&str> = record.path.split(['/', '?']).skip(1).collect();
    let hold: Uuid = match path[..] {
        ["orders"] => record.request["hold_id"].as_str()?.parse().ok()?,
        ["orders", order, "payments"] => index.orders.get(&order.parse().ok()?)?.hold,
        ["holds", hold, ..] => hold.parse().ok()?,
        _ => return None,
    };
    index.holds.get(&hold).copied()
}

/// An order that is open, and that nobody ever tried to pay, can be paid.
fn order_was_not_payable(index: &Index<'_>, refused: &Refused<'_>) -> Verdict {
    let order = refused.record.path.split('/').nth(2).and_then(|id| id.parse::<Uuid>().ok());
    let Some(order) = order.and_then(|id| index.orders.get(&id)) else {
        return unjustified("no such order");
    };
    let was_over = index.holds.get(&order.hold).is_none_or(|hold| {
        Lifetime::of(hold).until.is_none_or(|until| until <= refused.asked.to + CLOCK_LEEWAY)
    });
    if was_over || !index.attempts_of(order.id).is_empty() {
        return Ok(());
    }
    unjustified(format!("order {} was open and nobody was paying it", order.id))
}

fn sum(tenures: &[Tenure], counts: impl Fn(&Tenure) -> bool) -> i64 {
    tenures.iter().filter(|it| counts(it)).map(|it| it.quantity).sum()
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}
