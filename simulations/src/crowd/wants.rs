//! What a buyer asks next: at random, among few names, so that everybody is in everybody's way.

use std::hash::{DefaultHasher, Hash, Hasher};

use taquilla_auditor::oracle::{Asked, Best, Claim, Hall, HoldName, Kind, Refund, Wish};

use super::BUYERS;
use super::dice::Dice;
use super::memory::Memory;
use super::operations::OPERATOR;
use super::words::UNKNOWN;

/// Keys a buyer has: few, so that they are used again.
const KEYS: u32 = 12;
/// Keys that operators have for refunds.
const REFUNDS: u32 = 400;

/// Who asks what.
pub(super) fn draw(hall: &Hall, memory: &Memory, dice: &mut Dice) -> (u32, Asked) {
    let anyone = dice.roll(BUYERS);
    let latest = |of: usize| of.saturating_sub(24);
    let recent = &memory.granted[latest(memory.granted.len())..];
    let known = if recent.is_empty() || dice.one_in(10) {
        (HoldName { buyer: dice.roll(BUYERS), key: dice.roll(KEYS) }, Claim::default())
    } else {
        dice.pick(recent).clone()
    };
    let (hold, claim) = known;
    // Now and then somebody tries what is another's.
    let owner = if dice.one_in(25) { anyone } else { hold.buyer };
    match dice.roll(100) {
        0..44 => {
            let wish = wish(hall, dice);
            let admitted = !dice.one_in(10);
            let key = dice.roll(KEYS);
            (anyone, Asked::Place { key, body: body(&wish), wish, admitted })
        }
        44..52 if !memory.sent.is_empty() => again(hall, memory, dice),
        52..60 => (owner, Asked::Release { hold }),
        60..68 => (owner, Asked::GiveBack { hold, part: part(hall, &claim, dice) }),
        68..78 => {
            let key = dice.roll(KEYS);
            (owner, Asked::Order { key, body: body(&hold), hold })
        }
        78..81 => (owner, Asked::Cancel { order_of: hold }),
        81..88 if !memory.ordered.is_empty() => {
            let recent = &memory.ordered[memory.ordered.len().saturating_sub(10)..];
            let order_of = *dice.pick(recent);
            (order_of.buyer, Asked::Confirm { order_of, attempt: dice.roll(3) })
        }
        88..93 => (owner, Asked::Read { hold }),
        93..97 => (OPERATOR, Asked::Refund(refund(memory, hold, dice))),
        _ => (anyone, Asked::List),
    }
}

/// An earlier request, or another one under its key.
fn again(hall: &Hall, memory: &Memory, dice: &mut Dice) -> (u32, Asked) {
    let recent = &memory.sent[memory.sent.len().saturating_sub(40)..];
    let (buyer, mut asked) = dice.pick(recent).clone();
    if dice.one_in(3) {
        match &mut asked {
            Asked::Place { body: of, wish: wanted, .. } => {
                *wanted = wish(hall, dice);
                *of = body(wanted);
            }
            Asked::Order { body: of, hold, .. } => {
                hold.key = dice.roll(KEYS);
                *of = body(hold);
            }
            Asked::Release { .. }
            | Asked::GiveBack { .. }
            | Asked::Cancel { .. }
            | Asked::Confirm { .. }
            | Asked::Read { .. }
            | Asked::List
            | Asked::Operate { .. } => {}
            Asked::Refund(refund) => {
                refund.tickets = Some(vec![dice.roll(3)]);
                refund.body = body(&refund.tickets);
            }
        }
    }
    (buyer, asked)
}

/// Of what was sold lately; now and then of what was not.
fn refund(memory: &Memory, hold: HoldName, dice: &mut Dice) -> Refund {
    let recent = &memory.sold[memory.sold.len().saturating_sub(12)..];
    let (order_of, all) =
        if recent.is_empty() || dice.one_in(8) { (hold, 2) } else { *dice.pick(recent) };
    let tickets = match dice.roll(6) {
        0 | 1 => None,
        2 => Some(vec![dice.roll(all), UNKNOWN]),
        3 => Some((0..all).filter(|_| dice.one_in(2)).collect()),
        _ => Some(vec![dice.roll(all)]),
    };
    let tickets = tickets.filter(|some: &Vec<u32>| !some.is_empty());
    let key = dice.roll(REFUNDS);
    Refund { key, body: body(&(order_of, &tickets)), order_of, tickets }
}

fn wish(hall: &Hall, dice: &mut Dice) -> Wish {
    let fewer = dice.one_in(3);
    match dice.roll(20) {
        0 => Wish::Unknown(vec!["/seats/0".into()]),
        1..6 => {
            let seated = hall.sections.iter().filter(|it| it.kind == Kind::Seated).count() as u32;
            let section = dice.one_in(2).then(|| dice.roll(seated) as u16);
            let tier = dice.one_in(4).then(|| dice.roll(3) as u16);
            let (adjacent, accessible) = (dice.one_in(2), dice.one_in(6));
            let best = Best { quantity: 1 + dice.roll(4), section, tier, adjacent, accessible };
            Wish::Best { best, fewer }
        }
        _ => Wish::Claim { claim: claim(hall, dice), fewer },
    }
}

/// One to five seats and places: of one section, or of any.
fn claim(hall: &Hall, dice: &mut Dice) -> Claim {
    let mut claim = Claim::default();
    let home = dice.one_in(2).then(|| dice.roll(hall.sections.len() as u32) as u16);
    for _ in 0..1 + dice.roll(4) {
        let section = home.unwrap_or_else(|| dice.roll(hall.sections.len() as u32) as u16);
        match hall.sections[usize::from(section)].kind {
            Kind::General { .. } if claim.places_in(section) == 0 => {
                claim.places.push((section, 1 + dice.roll(3)));
            }
            Kind::General { .. } => {}
            Kind::Seated => {
                let here: Vec<u32> = (0..)
                    .zip(&hall.seats)
                    .filter(|(_, seat)| seat.section == section)
                    .map(|(index, _)| index)
                    .collect();
                let seat = *dice.pick(&here);
                if !claim.seats.contains(&seat) {
                    claim.seats.push(seat);
                }
            }
        }
    }
    claim
}

/// A part of the hold, sometimes all of it, sometimes what it does not have.
fn part(hall: &Hall, claim: &Claim, dice: &mut Dice) -> Result<Claim, Vec<String>> {
    if dice.one_in(30) {
        return Err(vec!["?seat".into()]);
    }
    let mut part = Claim::default();
    match (claim.seats.as_slice(), claim.places.as_slice()) {
        (seats @ [_, ..], _) if dice.roll(3) > 0 => part.seats.push(*dice.pick(seats)),
        (_, places @ [_, ..]) => {
            let (section, quantity) = *dice.pick(places);
            part.places.push((section, 1 + dice.roll(quantity + 1)));
        }
        _ => part.seats.push(dice.roll(hall.seats.len() as u32)),
    }
    Ok(part)
}

fn body(of: &impl std::fmt::Debug) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{of:?}").hash(&mut hasher);
    hasher.finish()
}
