//! What operators ask: at random, mostly what leaves the sale something to sell; and their words in the
//! product's.

use std::time::Duration;

use taquilla_auditor::oracle::{Amendment, Asked, Change, Hall, Instant, Kind};
use taquilla_engine::id::{SeatIndex, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::{Deed, EventChange, Operation, SaleAction, SalePatch, TermsPatch};
use uuid::Uuid;

use super::dice::Dice;
use super::venue::tier_name;

/// Who asks is no buyer.
pub(super) const OPERATOR: u32 = u32::MAX;

const SECOND: Instant = 1_000_000;

/// What operators know of their own doing.
#[derive(Debug, Default)]
pub(super) struct Trail {
    deeds: u32,
    /// Whether the sale is paused, as far as an answer has said.
    pub(super) paused: bool,
    /// Whether somebody closed it by hand.
    pub(super) closed: bool,
}

impl Trail {
    /// Whether an operator has stopped the sale.
    pub(super) fn is_shut(&self) -> bool {
        self.paused || self.closed
    }

    /// The next thing an operator asks.
    pub(super) fn draw(&mut self, hall: &Hall, now: Instant, dice: &mut Dice) -> Asked {
        self.deeds += 1;
        let change = match dice.roll(20) {
            _ if self.paused && dice.one_in(2) => Change::Resume,
            _ if self.closed && dice.one_in(2) => Change::Amend(closing(now, dice)),
            0..9 => blocks(hall, dice),
            9..14 => Change::Amend(capacities(hall, dice)),
            14 => Change::Amend(prices(hall, dice)),
            15 => {
                Change::Amend(Amendment { limit: Some(3 + dice.roll(4)), ..Amendment::default() })
            }
            16 => {
                let hold_ttl = Some(i64::from(2 + dice.roll(12)) * SECOND);
                Change::Amend(Amendment { hold_ttl, ..Amendment::default() })
            }
            17 => Change::Pause,
            18 => match dice.roll(3) {
                0 => Change::Resume,
                1 => Change::Open,
                _ => Change::Pause,
            },
            _ => self.seldom(now, dice),
        };
        Asked::Operate { deed: self.deeds, change }
    }

    /// What may stop the sale altogether.
    fn seldom(&self, now: Instant, dice: &mut Dice) -> Change {
        match dice.roll(8) {
            0 => Change::Close,
            1..4 => Change::Amend(closing(now, dice)),
            4 => {
                let opens_at = Some(now + i64::from(dice.roll(3)) * SECOND);
                Change::Amend(Amendment { opens_at, ..Amendment::default() })
            }
            5 => {
                let (opens_at, closes_at) = (Some(now + 2 * SECOND), Some(now + SECOND));
                Change::Amend(Amendment { opens_at, closes_at, ..Amendment::default() })
            }
            _ => {
                let waiting_room = Some(dice.one_in(4));
                Change::Amend(Amendment { waiting_room, ..Amendment::default() })
            }
        }
    }
}

/// A later end, now and then just ahead.
fn closing(now: Instant, dice: &mut Dice) -> Amendment {
    let seconds = if dice.one_in(6) { dice.roll(3) } else { 60 + dice.roll(100) };
    Amendment { closes_at: Some(now + i64::from(seconds) * SECOND), ..Amendment::default() }
}

/// A few seats, of one section or of any.
fn blocks(hall: &Hall, dice: &mut Dice) -> Change {
    let home = *dice.pick(&hall.seats);
    let anywhere = dice.one_in(3);
    let mut seats = Vec::new();
    for _ in 0..1 + dice.roll(4) {
        let seat = dice.roll(hall.seats.len() as u32);
        let is_near = hall.seats[seat as usize].section == home.section;
        if (anywhere || is_near) && !seats.contains(&seat) {
            seats.push(seat);
        }
    }
    if seats.is_empty() {
        seats.push(0);
    }
    // More is put back than is taken away, or the hall would soon be shut.
    let (mut block, mut unblock) = (Vec::new(), Vec::new());
    for seat in seats {
        if dice.roll(5) < 2 { block.push(seat) } else { unblock.push(seat) }
    }
    Change::Blocks { block, unblock }
}

/// Rooms for more or fewer people; now and then of what has seats.
fn capacities(hall: &Hall, dice: &mut Dice) -> Amendment {
    let mut capacities = Vec::new();
    for (index, section) in (0_u16..).zip(&hall.sections) {
        let asked = match section.kind {
            Kind::General { .. } => !dice.one_in(3),
            Kind::Seated => dice.one_in(60),
        };
        if asked {
            capacities.push((index, dice.roll(14)));
        }
    }
    let limit = dice.one_in(4).then(|| 3 + dice.roll(4));
    Amendment { capacities, limit, ..Amendment::default() }
}

fn prices(hall: &Hall, dice: &mut Dice) -> Amendment {
    let free = hall.terms.prices.contains(&0);
    let price =
        |dice: &mut Dice| if free && dice.one_in(3) { 0 } else { i64::from(dice.roll(9_000)) };
    let prices = hall.terms.prices.iter().map(|_| price(dice)).collect();
    Amendment { prices, ..Amendment::default() }
}

/// As the product takes it.
pub(super) fn operation(deed: u32, change: &Change) -> Operation {
    let sale = |action| EventChange::Sale(action);
    let change = match change {
        Change::Blocks { block, unblock } => {
            let seats = |seats: &[u32]| seats.iter().copied().map(SeatIndex).collect();
            EventChange::Blocks { block: seats(block), unblock: seats(unblock) }
        }
        Change::Open => sale(SaleAction::Open),
        Change::Pause => sale(SaleAction::Pause),
        Change::Resume => sale(SaleAction::Resume),
        Change::Close => sale(SaleAction::Close),
        Change::Amend(amendment) => EventChange::Terms(Box::new(patch(amendment))),
    };
    let deed = Deed {
        id: Uuid::from_u128(u128::from(deed)),
        who: "olga".into(),
        what: "amend",
        why: "".into(),
        detail: "{}".into(),
    };
    Operation { deed, change }
}

/// The number of a deed.
pub(super) fn number(deed: &Deed) -> u32 {
    u32::try_from(deed.id.as_u128()).expect("deeds are numbered")
}

fn patch(amendment: &Amendment) -> TermsPatch {
    let price = |(tier, price): (usize, &i64)| (tier_name(tier).into(), *price);
    TermsPatch {
        sale: SalePatch {
            opens_at: amendment.opens_at.map(Moment),
            closes_at: amendment.closes_at.map(Moment),
            hold_ttl: amendment.hold_ttl.map(|ttl| Duration::from_micros(ttl.unsigned_abs())),
            buyer_seats_max: amendment.limit,
            waiting_room: amendment.waiting_room,
            verifying_extension: None,
        },
        prices: amendment.prices.iter().enumerate().map(price).collect(),
        capacities: amendment.capacities.iter().map(|(at, n)| (SectionIndex(*at), *n)).collect(),
        ..TermsPatch::default()
    }
}
