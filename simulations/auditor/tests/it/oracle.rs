//! The oracle asked itself: for each kind of command a table of answers, of which the right ones pass
//! and each wrong one is told from them.

mod endings;
mod operators;
mod orders;
mod places;
mod returns;
mod rows;

use taquilla_auditor::oracle::{
    Asked, Claim, Hall, HallSeat, HallSection, HoldName, HoldShown, HoldState, Instant, Kind,
    Oracle, OrderShown, OrderState, Question, Refusal, Reply, Terms, Told, Wish,
};

const SECOND: Instant = 1_000_000;
const ANN: u32 = 1;
const BOB: u32 = 2;

const HOLD: HoldName = HoldName { buyer: ANN, key: 1 };
/// When Ann's hold is over by the clock.
const END: Instant = 11 * SECOND + 1;

/// A row of four seats at 100 each, a floor with room for three at 50, and a gallery of two free seats;
/// holds live ten seconds.
fn hall() -> Hall {
    let seat = |x| HallSeat { section: 0, row: 0, x, tier: 0, accessible: false };
    let free = |x| HallSeat { section: 2, row: 1, x, tier: 2, accessible: x == 1 };
    let seated = HallSection { kind: Kind::Seated };
    let floor = HallSection { kind: Kind::General { capacity: 3, tier: 1 } };
    Hall {
        sections: vec![seated, floor, seated],
        seats: (0..4).map(seat).chain((0..2).map(free)).collect(),
        fees: vec![],
        terms: Terms {
            opens_at: 0,
            closes_at: 1_000 * SECOND,
            paused: false,
            hold_ttl: 10 * SECOND,
            limit: 4,
            waiting_room: false,
            prices: vec![100, 50, 0],
        },
    }
}

fn claim(seats: &[u32], places: u32) -> Claim {
    let places = if places > 0 { vec![(1, places)] } else { vec![] };
    Claim { seats: seats.to_vec(), places }
}

fn wants(buyer: u32, at: Instant, claim: Claim) -> Question {
    let wish = Wish::Claim { claim, fewer: false };
    Question { buyer, at, asked: Asked::Place { key: 1, body: 1, wish, admitted: true } }
}

/// A hold of these seats and places as it was made.
fn hold(name: HoldName, made_at: Instant, claim: Claim) -> HoldShown {
    let price = |seat: &u32| if *seat < 4 { 100 } else { 0 };
    let mut unit_prices: Vec<i64> = claim.seats.iter().map(price).collect();
    unit_prices.extend(claim.places.iter().flat_map(|(_, n)| vec![50; *n as usize]));
    HoldShown {
        name,
        status: HoldState::Active,
        total: unit_prices.iter().sum(),
        unit_prices,
        claim,
        fees: vec![],
        declined: Claim::default(),
        split: None,
        created_at: made_at,
        expires_at: made_at + 10 * SECOND,
        ordered: false,
    }
}

fn shows(hold: HoldShown) -> Told {
    Told::Hold(Box::new(hold))
}

fn granted(buyer: u32, made_at: Instant, claim: Claim) -> Told {
    shows(hold(HoldName { buyer, key: 1 }, made_at, claim))
}

/// Ann's hold, which was made in the first second.
fn anns_hold() -> HoldShown {
    hold(HOLD, SECOND + 1, claim(&[1, 2], 2))
}

/// Her order of it.
fn anns_order(made_at: Instant) -> OrderShown {
    OrderShown {
        hold: HoldShown { ordered: true, ..anns_hold() },
        status: OrderState::Open,
        total: 300,
        created_at: made_at,
        verdicts: vec![],
        created: true,
    }
}

fn taken(seats: &[u32], sections: &[u16]) -> Told {
    let (seats, sections) = (seats.to_vec(), sections.to_vec());
    Told::Refused(Refusal::SeatsUnavailable { seats, sections })
}

fn at(as_of: Instant, told: Told) -> Reply {
    Reply { told, replayed: false, as_of }
}

/// Ann has seats 1 and 2 and two places from the first second on.
fn anns() -> Oracle {
    let mut oracle = Oracle::new(hall());
    let asked = wants(ANN, SECOND, claim(&[1, 2], 2));
    hears(&mut oracle, &asked, at(SECOND + 2, shows(anns_hold())));
    oracle
}

/// The same with an order since the second second.
fn ordered() -> Oracle {
    let mut oracle = anns();
    let told = Told::Order(Box::new(anns_order(2 * SECOND)));
    hears(&mut oracle, &order(ANN, 1, 2 * SECOND), at(2 * SECOND, told));
    oracle
}

/// The same, paid in the third second.
fn sold() -> Oracle {
    let mut oracle = ordered();
    hears(&mut oracle, &confirm(1, 3 * SECOND), at(3 * SECOND, Told::Verdict(true)));
    oracle
}

fn asks(buyer: u32, at: Instant, asked: Asked) -> Question {
    Question { buyer, at, asked }
}

fn order(buyer: u32, key: u32, at: Instant) -> Question {
    asks(buyer, at, Asked::Order { key, body: 1, hold: HOLD })
}

fn confirm(attempt: u32, at: Instant) -> Question {
    asks(ANN, at, Asked::Confirm { order_of: HOLD, attempt })
}

fn no(refusal: Refusal) -> Told {
    Told::Refused(refusal)
}

/// What is known to be right.
fn hears(oracle: &mut Oracle, question: &Question, reply: Reply) {
    oracle.hear(question, &reply).unwrap_or_else(|difference| panic!("{question:?}: {difference}"));
}

/// The oracle as it is made takes each right answer and none of the wrong ones, all given at once.
fn check(oracle: fn() -> Oracle, question: &Question, right: Vec<Told>, wrong: Vec<Told>) {
    assert!(!right.is_empty() && !wrong.is_empty(), "a table has both");
    for told in right {
        hears(&mut oracle(), question, at(question.at, told));
    }
    for told in wrong {
        let heard = oracle().hear(question, &at(question.at, told.clone()));
        assert!(heard.is_err(), "{question:?} may bring {told:?}");
    }
}
