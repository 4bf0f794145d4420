//! The oracle asked itself: right answers pass, and each wrong one is told from them.

use taquilla_auditor::oracle::{
    Asked, Claim, Fate, Hall, HallSeat, HallSection, HoldName, HoldShown, Instant, Kind, Oracle,
    Question, Refusal, Reply, SeatRow, Told, Wish, Written,
};

const SECOND: Instant = 1_000_000;
const ANN: u32 = 1;
const BOB: u32 = 2;

/// A row of four seats at 100 each, and a floor with room for three at 50; holds live ten seconds.
fn hall() -> Hall {
    let seat = |x| HallSeat { section: 0, row: 0, x, tier: 0, price: 100, accessible: false };
    let floor = Kind::General { capacity: 3, price: 50 };
    Hall {
        sections: vec![HallSection { kind: Kind::Seated }, HallSection { kind: floor }],
        seats: (0..4).map(seat).collect(),
        fees: vec![],
        hold_ttl: 10 * SECOND,
        limit: 4,
        opens_at: 0,
        closes_at: 1_000 * SECOND,
        waiting_room: false,
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

fn granted(buyer: u32, made_at: Instant, claim: Claim) -> Told {
    let mut unit_prices = vec![100; claim.seats.len()];
    unit_prices.extend(claim.places.iter().flat_map(|(_, n)| vec![50; *n as usize]));
    Told::Hold(Box::new(HoldShown {
        name: HoldName { buyer, key: 1 },
        status: Fate::Active,
        total: unit_prices.iter().sum(),
        unit_prices,
        claim,
        fees: vec![],
        declined: Claim::default(),
        split: None,
        created_at: made_at,
        expires_at: made_at + 10 * SECOND,
        ordered: false,
    }))
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
    let told = granted(ANN, SECOND + 1, claim(&[1, 2], 2));
    oracle.hear(&asked, &at(SECOND + 2, told)).expect("this is as it should be");
    oracle
}

#[test]
fn of_one_section_only_the_one_answer_is_right() {
    let now = 2 * SECOND;
    for (asked, told, is_right) in [
        (claim(&[0, 1, 2], 0), taken(&[1, 2], &[]), true),
        (claim(&[0, 1, 2], 0), taken(&[1], &[]), false),
        (claim(&[0, 1, 2], 0), taken(&[0, 1, 2], &[]), false),
        (claim(&[0, 1, 2], 0), granted(BOB, now, claim(&[0], 0)), false),
        (claim(&[0], 0), granted(BOB, now, claim(&[0], 0)), true),
        (claim(&[0], 0), taken(&[0], &[]), false),
        (claim(&[1], 0), granted(BOB, now, claim(&[1], 0)), false),
        (claim(&[], 1), granted(BOB, now, claim(&[], 1)), true),
        (claim(&[], 2), granted(BOB, now, claim(&[], 2)), false),
        (claim(&[], 2), taken(&[], &[1]), true),
        (claim(&[0], 0), Told::Refused(Refusal::BuyerLimitExceeded { limit: 4, held: 4 }), false),
    ] {
        let heard = anns().hear(&wants(BOB, now, asked.clone()), &at(now + 1, told.clone()));
        assert_eq!(heard.is_ok(), is_right, "{asked:?} brought {told:?}: {heard:?}");
    }
}

#[test]
fn a_hold_is_over_at_its_instant_and_not_before() {
    let end = SECOND + 1 + 10 * SECOND;
    let asked = claim(&[1], 0);
    for (made_at, told, is_right) in [
        (end - 1, taken(&[1], &[]), true),
        (end, taken(&[1], &[]), false),
        (end - 1, granted(BOB, end - 1, asked.clone()), false),
        (end, granted(BOB, end, asked.clone()), true),
    ] {
        let heard = anns().hear(&wants(BOB, made_at, asked.clone()), &at(made_at, told.clone()));
        assert_eq!(heard.is_ok(), is_right, "{told:?} of {made_at}: {heard:?}");
    }
    // Asked before and answered after, it may have been decided before or after.
    let asked_early = wants(BOB, end - 1, asked.clone());
    assert!(anns().hear(&asked_early, &at(end, taken(&[1], &[]))).is_ok());
    assert!(anns().hear(&asked_early, &at(end, granted(BOB, end, asked))).is_ok());
}

#[test]
fn of_several_sections_each_part_of_a_refusal_must_have_been_so_meanwhile() {
    let (before, after) = (2 * SECOND, 3 * SECOND);
    let asked = wants(BOB, before, claim(&[1, 3], 1));
    let mut oracle = anns();
    let released = Question {
        buyer: ANN,
        at: before + 1,
        asked: Asked::Release { hold: HoldName { buyer: ANN, key: 1 } },
    };
    oracle.hear(&released, &at(before + 2, Told::Released)).expect("this is as it should be");
    let mut hears = |told| oracle.hear(&asked, &at(after, told));
    assert!(hears(taken(&[3], &[])).is_err(), "nobody had seat 3");
    assert!(hears(taken(&[], &[1])).is_err(), "there was a place all the while");
    assert!(hears(taken(&[1], &[])).is_ok(), "seat 1 was ann's when it was asked for");
}

#[test]
fn rows_that_say_something_else_are_a_difference() {
    let held = SeatRow::Held(HoldName { buyer: ANN, key: 1 });
    let right = Written {
        at: SECOND + 3,
        seats: vec![(1, held), (2, held)],
        areas: vec![(1, (2, 0))],
        buyers: vec![(ANN, 4)],
        ..Written::default()
    };
    anns().learn(&right).expect("this is as it should be");
    let wrong: [fn(&mut Written); 5] = [
        |it| it.seats.truncate(1),
        |it| it.seats.push((3, it.seats[0].1)),
        |it| it.areas[0].1 = (1, 0),
        |it| it.buyers[0].1 = 3,
        |it| it.ended.push((HoldName { buyer: ANN, key: 1 }, Fate::Expired)),
    ];
    for (place, change) in wrong.into_iter().enumerate() {
        let mut rows = right.clone();
        change(&mut rows);
        anns().learn(&rows).expect_err(&format!("wrong rows {place}"));
    }
}
