//! A small hall drawn from the seed, told twice: to the product in its own terms, and to the oracle.

use std::sync::Arc;
use std::time::Duration;

use taquilla_auditor::oracle::{self, Hall, HallSeat, HallSection, Kind};
use taquilla_engine::event::Terms;
use taquilla_engine::id::{EventNumber, PlanId, SeatIndex, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::pricing::Fee;
use taquilla_engine::sale::Sale;

use super::dice::Dice;

/// The event of every sale: each has a journal of its own.
pub(super) const EVENT: EventNumber = EventNumber(7);

const SECOND: i64 = 1_000_000;
/// An aisle in the middle of a row: who sits on either side of it is not beside the other.
const AISLE: i32 = 4;

/// A hall with a sale.
#[derive(Debug, Clone)]
pub(super) struct Venue {
    pub(super) terms: Terms,
    pub(super) hall: Hall,
}

impl Venue {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        let free = dice.one_in(4);
        let prices = [9_000, 4_510, if free { 0 } else { 1 }];
        let (mut sections, mut seats) = (Vec::new(), Vec::new());
        for section in 0..2 + dice.roll(3) as u16 {
            seats.extend(seats_of(section, dice));
            sections.push(HallSection { kind: Kind::Seated });
        }
        for _ in 0..dice.roll(3) {
            let (capacity, tier) = (4 + dice.roll(9), dice.roll(3) as u16);
            sections.push(HallSection { kind: Kind::General { capacity, tier } });
        }
        let fees = [(50_000, 100), (333_333, 0), (0, 7)];
        let fees = fees[..dice.roll(4) as usize].iter();
        let hall = Hall {
            sections,
            seats,
            fees: fees
                .map(|(millionths, fixed)| oracle::Fee { millionths: *millionths, fixed: *fixed })
                .collect(),
            terms: oracle::Terms {
                opens_at: SECOND,
                closes_at: i64::from(100 + dice.roll(100)) * SECOND,
                paused: false,
                hold_ttl: i64::from(2 + dice.roll(12)) * SECOND,
                limit: 3 + dice.roll(4),
                waiting_room: dice.one_in(8),
                prices: prices.to_vec(),
            },
        };
        Self { terms: terms(&hall), hall }
    }
}

/// Two rows, of which the second has an aisle; the last seat of the first is accessible.
fn seats_of(section: u16, dice: &mut Dice) -> Vec<HallSeat> {
    let row_seats = 4 + dice.roll(4) as i32;
    let two_tiers = dice.one_in(2);
    let seat = |row: u16, place: i32| {
        let tier = if two_tiers { row } else { section % 3 };
        let aisle = if row == 1 && place >= row_seats / 2 { AISLE } else { 0 };
        HallSeat {
            section,
            row,
            x: place + aisle,
            tier,
            accessible: row == 0 && place == row_seats - 1,
        }
    };
    (0..2)
        .flat_map(|row| (0..row_seats).map(move |place| (row, place)))
        .map(|(r, p)| seat(r, p))
        .collect()
}

fn terms(hall: &Hall) -> Terms {
    let tier = |(index, price): (usize, &i64)| Tier { name: tier_name(index), price: *price };
    let mut first = 0;
    let section = |(index, section): (usize, &HallSection)| {
        let here = hall.seats.iter().filter(|seat| usize::from(seat.section) == index);
        let (kind, tier) = match section.kind {
            Kind::Seated => {
                let (at, seats) = (first, here.clone().count() as u32);
                first += seats;
                let kind = SectionKind::Seated { first: SeatIndex(at), seats };
                (kind, here.map(|seat| seat.tier).next().unwrap_or_default())
            }
            Kind::General { capacity, tier } => (SectionKind::General { capacity }, tier),
        };
        SectionPlan { name: format!("S{index}"), kind, tier }
    };
    let sections = hall.sections.iter().enumerate().map(section).collect();
    let seat = |(index, seat): (usize, &HallSeat)| SeatPlan {
        label: format!("seat {index}").into(),
        row: format!("R{}", seat.row).into(),
        x: seat.x as f32,
        y: f32::from(1 + 3 * seat.section + seat.row),
        section: SectionIndex(seat.section),
        tier: seat.tier,
        accessible: seat.accessible,
    };
    let seats = hall.seats.iter().enumerate().map(seat).collect();
    let fee = |(index, fee): (usize, &oracle::Fee)| Fee {
        name: format!("fee {index}"),
        percent: fee.millionths,
        fixed: fee.fixed,
    };
    let tiers = hall.terms.prices.iter().enumerate().map(tier).collect();
    Terms {
        event: EVENT,
        plan_id: PlanId::default(),
        plan: Arc::new(Plan::new(tiers, sections, seats)),
        currency: Currency::parse("EUR").expect("three capitals"),
        fees: hall.fees.iter().enumerate().map(fee).collect(),
        sale: Sale {
            opens_at: Moment(hall.terms.opens_at),
            closes_at: Moment(hall.terms.closes_at),
            hold_ttl: Duration::from_micros(hall.terms.hold_ttl.unsigned_abs()),
            buyer_seats_max: hall.terms.limit,
            waiting_room: hall.terms.waiting_room,
            paused: hall.terms.paused,
            verifying_extension: Duration::ZERO,
            cancelled: false,
        },
    }
}

/// What a price class is called.
pub(super) fn tier_name(index: usize) -> String {
    format!("T{index}")
}

/// The terms as the oracle says them, and its sections' numbers of places.
pub(super) fn told(terms: &Terms) -> (oracle::Terms, Vec<(u16, u32)>) {
    let sale = &terms.sale;
    let told = oracle::Terms {
        opens_at: sale.opens_at.0,
        closes_at: sale.closes_at.0,
        paused: sale.paused,
        hold_ttl: i64::try_from(sale.hold_ttl.as_micros()).expect("a hold's life is short"),
        limit: sale.buyer_seats_max,
        waiting_room: sale.waiting_room,
        prices: terms.plan.tiers().iter().map(|tier| tier.price).collect(),
    };
    let general = (0_u16..).zip(terms.plan.sections()).filter_map(|(index, it)| match it.kind {
        SectionKind::General { capacity } => Some((index, capacity)),
        SectionKind::Seated { .. } => None,
    });
    (told, general.collect())
}
