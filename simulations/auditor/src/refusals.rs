//! Whether each refusal can have been the truth at some instant between question and answer.
//!
//! Only what is durable justifies: a hold that never got a row must not have turned anyone away.

use serde_json::Value;
use uuid::Uuid;

use crate::answers::{Answers, Refused};
use crate::index::Index;
use crate::lifetime::{CLOCK_LEEWAY, Lifetime};
use crate::report::{Report, Rule};
use crate::rows::{Event, Hold, SeatState};

pub(crate) fn check(index: &Index<'_>, answers: &Answers<'_>, report: &mut Report) {
    for refused in &answers.refused {
        let verdict = match refused.slug {
            "seats-unavailable" => seats_were_taken(index, refused),
            "buyer-limit-exceeded" => limit_was_reached(index, refused),
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

fn seats_were_taken(index: &Index<'_>, refused: &Refused<'_>) -> Verdict {
    let request = &refused.record.request;
    let Some(event) = index.event_named(&request["event_id"]) else {
        return unjustified("no such event");
    };
    let asked: Vec<&str> = strings(&request["seats"]).collect();
    let named: Vec<&str> = strings(&refused.record.answer["seats"]).collect();
    let sections: Vec<&str> = strings(&refused.record.answer["sections"]).collect();
    if named.is_empty() && sections.is_empty() {
        return unjustified("it names nothing");
    }
    for label in &named {
        let seat = index.seat_called(event.number, label);
        let taken = seat.is_some_and(|seat| {
            seat.state == SeatState::Blocked
                || index
                    .holds_of_seat((event.number, seat.index))
                    .iter()
                    .any(|it| touches(it, refused))
        });
        if !taken || !asked.contains(label) {
            return unjustified(format!("seat {label} was free, or not asked for"));
        }
    }
    for section in sections {
        section_was_short(index, event, section, refused)?;
    }
    for label in asked.iter().filter(|label| !named.contains(label)) {
        let Some(seat) = index.seat_called(event.number, label) else { continue };
        let holds = index.holds_of_seat((event.number, seat.index));
        let asked = refused.asked;
        if holds.iter().any(|it| Lifetime::of(it).surely_covers(asked.from, asked.to)) {
            return Err((Rule::RefusalIncomplete, format!("seat {label} was taken too")));
        }
    }
    Ok(())
}

fn section_was_short(
    index: &Index<'_>,
    event: &Event,
    section: &str,
    refused: &Refused<'_>,
) -> Verdict {
    let Some(area) = index.area_called(event.number, section) else {
        return unjustified(format!("there is no section {section} of places"));
    };
    let holds = index.holds_of_section(event.number, area.section).iter();
    let living = holds.filter(|hold| touches(hold, refused));
    let taken: i64 = living.map(|hold| hold.places_in(area.section)).sum();
    let general = refused.record.request["general"].as_array();
    let asked: i64 = general
        .into_iter()
        .flatten()
        .filter(|it| it["section"] == section)
        .filter_map(|it| it["quantity"].as_i64())
        .sum();
    if taken + asked > i64::from(area.capacity) {
        return Ok(());
    }
    unjustified(format!("{section} had {taken} of {} taken at most", area.capacity))
}

fn limit_was_reached(index: &Index<'_>, refused: &Refused<'_>) -> Verdict {
    let request = &refused.record.request;
    let Some(event) = index.event_named(&request["event_id"]) else {
        return unjustified("no such event");
    };
    let held = quantity(index.holds_of_buyer(event.number, &refused.record.buyer), refused);
    let places = request["general"].as_array().into_iter().flatten();
    let places: i64 = places.filter_map(|it| it["quantity"].as_i64()).sum();
    let best = request["best_available"]["quantity"].as_i64().unwrap_or(0);
    let seats = i64::try_from(strings(&request["seats"]).count()).unwrap_or(i64::MAX);
    if held + places + best + seats > i64::from(event.buyer_seats_max) {
        return Ok(());
    }
    unjustified(format!("the buyer had {held} seats at most, of {}", event.buyer_seats_max))
}

fn hold_was_over(index: &Index<'_>, refused: &Refused<'_>) -> Verdict {
    let named = refused.record.request["hold_id"].as_str().and_then(|id| id.parse::<Uuid>().ok());
    // Only of POST /orders does the request name the hold.
    let Some(hold) = named.and_then(|id| index.holds.get(&id)) else { return Ok(()) };
    match Lifetime::of(hold).until {
        Some(until) if until <= refused.asked.to + CLOCK_LEEWAY => Ok(()),
        Some(_) | None => unjustified(format!("hold {} was alive or sold", hold.id)),
    }
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

/// How many seats and places these holds may have had at one time, at most.
fn quantity(holds: &[&Hold], refused: &Refused<'_>) -> i64 {
    let living = holds.iter().filter(|hold| touches(hold, refused));
    living.map(|hold| i64::from(hold.quantity)).sum()
}

fn touches(hold: &Hold, refused: &Refused<'_>) -> bool {
    Lifetime::of(hold).may_touch(refused.asked.from, refused.asked.to)
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}
