//! What operators do.

use taquilla_auditor::oracle::{
    Amendment, Asked, Change, Conflict, Defect, HoldName, HoldShown, Oracle, Question, Refusal,
    SaleState, Told,
};

use super::{
    BOB, END, SECOND, anns, asks, at, check, claim, granted, hears, hold, no, shows, sold, taken,
    wants,
};

const NOW: i64 = 4 * SECOND;

fn operate(deed: u32, change: Change, at: i64) -> Question {
    asks(u32::MAX, at, Asked::Operate { deed, change })
}

fn blocks(block: &[u32], unblock: &[u32]) -> Change {
    Change::Blocks { block: block.to_vec(), unblock: unblock.to_vec() }
}

fn capacity(section: u16, capacity: u32) -> Change {
    Change::Amend(Amendment { capacities: vec![(section, capacity)], ..Amendment::default() })
}

fn seats_in_the_way(seats: &[u32], sold: u32, asked: u32) -> Told {
    let held = seats.len() as u32 - sold;
    let (seats, sections) = (seats.to_vec(), vec![]);
    no(Refusal::ConflictsWithSales(Conflict { sold, held, asked, seats, sections }))
}

fn places_in_the_way(sold: u32, held: u32, asked: u32) -> Told {
    let (seats, sections) = (vec![], vec![(1, sold, held, asked)]);
    no(Refusal::ConflictsWithSales(Conflict { sold, held, asked, seats, sections }))
}

fn after(change: Change) -> Oracle {
    let mut oracle = anns();
    hears(&mut oracle, &operate(1, change, 3 * SECOND), at(3 * SECOND, Told::Operated(0)));
    oracle
}

fn blocked() -> Oracle {
    let mut oracle = anns();
    let asked = operate(1, blocks(&[0, 3], &[]), 3 * SECOND);
    hears(&mut oracle, &asked, at(3 * SECOND, Told::Operated(2)));
    oracle
}

#[test]
fn free_seats_are_blocked_and_others_are_in_the_way_all_of_them() {
    let of_free = operate(1, blocks(&[0, 3], &[]), NOW);
    check(
        anns,
        &of_free,
        vec![Told::Operated(2)],
        vec![Told::Operated(1), seats_in_the_way(&[0], 0, 2)],
    );
    let of_hers = operate(1, blocks(&[0, 1, 2], &[]), NOW);
    let wrong = vec![
        Told::Operated(3),
        seats_in_the_way(&[1], 0, 3),
        seats_in_the_way(&[0, 1, 2], 0, 3),
        seats_in_the_way(&[1, 2], 1, 3),
        seats_in_the_way(&[1, 2], 0, 2),
    ];
    check(anns, &of_hers, vec![seats_in_the_way(&[1, 2], 0, 3)], wrong);
    check(
        sold,
        &of_hers,
        vec![seats_in_the_way(&[1, 2], 2, 3)],
        vec![seats_in_the_way(&[1, 2], 0, 3)],
    );
    // A hold that is over is in nobody's way.
    let later = operate(1, blocks(&[0, 1, 2], &[]), END);
    check(anns, &later, vec![Told::Operated(3)], vec![seats_in_the_way(&[1, 2], 0, 3)]);
    let twice = operate(2, blocks(&[0], &[3]), NOW);
    check(blocked, &twice, vec![Told::Operated(1)], vec![Told::Operated(2), Told::Operated(0)]);
}

#[test]
fn a_blocked_seat_is_nobodys_until_it_is_unblocked() {
    let wants_it = wants(BOB, NOW, claim(&[0], 0));
    let his = || granted(BOB, NOW, claim(&[0], 0));
    check(blocked, &wants_it, vec![taken(&[0], &[])], vec![his()]);
    let unblocked = || {
        let mut oracle = blocked();
        let asked = operate(2, blocks(&[], &[0]), 3 * SECOND + 1);
        hears(&mut oracle, &asked, at(3 * SECOND + 1, Told::Operated(1)));
        oracle
    };
    check(unblocked, &wants_it, vec![his()], vec![taken(&[0], &[])]);
}

#[test]
fn a_section_is_not_made_smaller_than_what_is_in_it() {
    let fits = operate(1, capacity(1, 2), NOW);
    check(anns, &fits, vec![Told::Operated(0)], vec![places_in_the_way(0, 2, 2)]);
    let wrong = vec![Told::Operated(0), places_in_the_way(1, 1, 1), places_in_the_way(0, 3, 1)];
    check(anns, &operate(1, capacity(1, 1), NOW), vec![places_in_the_way(0, 2, 1)], wrong);
    let of_sold = operate(1, capacity(1, 1), NOW);
    check(sold, &of_sold, vec![places_in_the_way(2, 0, 1)], vec![places_in_the_way(0, 2, 1)]);
    check(
        anns,
        &operate(1, capacity(1, 0), END),
        vec![Told::Operated(0)],
        vec![places_in_the_way(0, 2, 0)],
    );
    let not_general = || no(Refusal::TermsInvalid(vec![Defect::NotGeneral(0)]));
    check(anns, &operate(1, capacity(0, 9), NOW), vec![not_general()], vec![Told::Operated(0)]);
    let smaller = || after(capacity(1, 2));
    let wants_one = wants(BOB, NOW, claim(&[], 1));
    check(smaller, &wants_one, vec![taken(&[], &[1])], vec![granted(BOB, NOW, claim(&[], 1))]);
}

#[test]
fn a_sale_is_stopped_and_goes_on_by_its_table() {
    let not_open = |state| no(Refusal::SaleNotOpen { opens_at: 0, state });
    let done = || vec![Told::Operated(0)];
    let not_paused = no(Refusal::TermsInvalid(vec![Defect::NotPaused(SaleState::Open)]));
    check(anns, &operate(2, Change::Resume, NOW), vec![not_paused], done());
    check(anns, &operate(2, Change::Open, NOW), done(), vec![not_open(SaleState::Open)]);
    check(anns, &operate(2, Change::Close, NOW), done(), vec![not_open(SaleState::Open)]);
    let paused = || after(Change::Pause);
    check(paused, &operate(2, Change::Resume, NOW), done(), vec![not_open(SaleState::Paused)]);
    check(paused, &operate(2, Change::Open, NOW), vec![not_open(SaleState::Paused)], done());
    let closed = || after(Change::Close);
    check(closed, &operate(2, Change::Open, NOW), vec![not_open(SaleState::Closed)], done());
    let wants_some = wants(BOB, NOW, claim(&[0], 0));
    let his = || granted(BOB, NOW, claim(&[0], 0));
    check(paused, &wants_some, vec![not_open(SaleState::Paused)], vec![his()]);
    check(closed, &wants_some, vec![not_open(SaleState::Closed)], vec![his()]);
    check(anns, &wants_some, vec![his()], vec![not_open(SaleState::Paused)]);
}

#[test]
fn new_terms_are_for_holds_from_now_on() {
    let amended = || {
        let (prices, hold_ttl, limit) = (vec![70, 60, 5], Some(SECOND), Some(1));
        after(Change::Amend(Amendment { prices, hold_ttl, limit, ..Amendment::default() }))
    };
    let name = HoldName { buyer: BOB, key: 1 };
    let by_new = HoldShown {
        unit_prices: vec![70],
        total: 70,
        expires_at: NOW + SECOND,
        ..hold(name, NOW, claim(&[0], 0))
    };
    let asked = wants(BOB, NOW, claim(&[0], 0));
    check(amended, &asked, vec![shows(by_new)], vec![granted(BOB, NOW, claim(&[0], 0))]);
    let two = wants(BOB, NOW, claim(&[0, 3], 0));
    let over = no(Refusal::BuyerLimitExceeded { limit: 1, held: 0 });
    check(amended, &two, vec![over], vec![granted(BOB, NOW, claim(&[0, 3], 0))]);
    let backwards = Amendment { opens_at: Some(9), closes_at: Some(9), ..Amendment::default() };
    let defect = Defect::ClosesFirst { opens_at: 9, closes_at: 9 };
    let asked = operate(1, Change::Amend(backwards), NOW);
    check(anns, &asked, vec![no(Refusal::TermsInvalid(vec![defect]))], vec![Told::Operated(0)]);
    let later = Amendment { opens_at: Some(NOW + 1), ..Amendment::default() };
    let taken = Refusal::ConflictsWithSales(Conflict { held: 4, ..Conflict::default() });
    check(anns, &operate(1, Change::Amend(later), NOW), vec![no(taken)], vec![Told::Operated(0)]);
}
