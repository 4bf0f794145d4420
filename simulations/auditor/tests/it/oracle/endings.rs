//! What is given back.

use taquilla_auditor::oracle::{
    Asked, Claim, HoldShown, HoldState, Oracle, Question, Refusal, Told,
};

use super::{
    ANN, BOB, END, HOLD, SECOND, anns, anns_hold, asks, at, check, claim, hears, hold, no, ordered,
    shows, sold,
};

const NOW: i64 = 4 * SECOND;

fn release(buyer: u32) -> Question {
    asks(buyer, NOW, Asked::Release { hold: HOLD })
}

fn cancel(buyer: u32) -> Question {
    asks(buyer, NOW, Asked::Cancel { order_of: HOLD })
}

fn give_back(part: Result<Claim, Vec<String>>, at: i64) -> Question {
    asks(ANN, at, Asked::GiveBack { hold: HOLD, part })
}

fn released() -> Oracle {
    let mut oracle = anns();
    hears(
        &mut oracle,
        &asks(ANN, 3 * SECOND, Asked::Release { hold: HOLD }),
        at(3 * SECOND, Told::Released),
    );
    oracle
}

fn not_active(state: HoldState) -> Told {
    no(Refusal::HoldNotActive(state))
}

#[test]
fn a_release_works_until_the_sale_and_for_nobody_else() {
    let not_found = || no(Refusal::NotFound);
    let converted = || not_active(HoldState::Converted);
    check(
        anns,
        &release(ANN),
        vec![Told::Released],
        vec![not_found(), converted(), Told::Verdict(true)],
    );
    check(released, &release(ANN), vec![Told::Released], vec![not_active(HoldState::Released)]);
    check(anns, &release(BOB), vec![not_found()], vec![Told::Released]);
    check(ordered, &release(ANN), vec![Told::Released], vec![no(Refusal::OrderNotCancellable)]);
    check(sold, &release(ANN), vec![converted()], vec![Told::Released, not_found()]);
}

#[test]
fn an_order_is_given_up_until_it_is_paid() {
    let not_found = || no(Refusal::NotFound);
    check(anns, &cancel(ANN), vec![not_found()], vec![Told::Released]);
    check(ordered, &cancel(ANN), vec![Told::Released], vec![not_found()]);
    check(ordered, &cancel(BOB), vec![not_found()], vec![Told::Released]);
    let too_late = no(Refusal::OrderNotCancellable);
    check(
        sold,
        &cancel(ANN),
        vec![too_late],
        vec![Told::Released, not_active(HoldState::Converted)],
    );
}

#[test]
fn a_part_given_back_leaves_the_rest_at_its_old_price_and_end() {
    let rest = |seats: &[u32], places| hold(HOLD, SECOND + 1, claim(seats, places));
    let asked = give_back(Ok(claim(&[1], 1)), NOW);
    let wrong = vec![
        shows(anns_hold()),
        shows(rest(&[1], 1)),
        shows(HoldShown { total: 300, ..rest(&[2], 1) }),
        shows(HoldShown { expires_at: NOW + 10 * SECOND, ..rest(&[2], 1) }),
        Told::Released,
        no(Refusal::NotFound),
    ];
    check(anns, &asked, vec![shows(rest(&[2], 1))], wrong);
    let all = shows(HoldShown { status: HoldState::Released, ..anns_hold() });
    check(anns, &give_back(Ok(claim(&[1, 2], 2)), NOW), vec![all], vec![shows(rest(&[], 0))]);
}

#[test]
fn a_part_that_is_not_there_or_no_longer_free_to_give_is_refused() {
    let seat = || Ok(claim(&[1], 0));
    let (rest, not_found) =
        (|| shows(hold(HOLD, SECOND + 1, claim(&[2], 2))), || no(Refusal::NotFound));
    let unknown = |name: &str| no(Refusal::UnknownSeats(vec![name.into()]));
    check(anns, &give_back(Ok(claim(&[0], 0)), NOW), vec![not_found()], vec![unknown("?seat")]);
    let too_large = no(Refusal::PartTooLarge { section: 1, has: 2 });
    check(anns, &give_back(Ok(claim(&[], 3)), NOW), vec![too_large], vec![not_found()]);
    let nowhere = give_back(Err(vec!["?seat".into()]), NOW);
    check(anns, &nowhere, vec![unknown("?seat")], vec![not_found()]);
    check(ordered, &give_back(seat(), NOW), vec![no(Refusal::OrderNotCancellable)], vec![rest()]);
    check(anns, &give_back(seat(), END), vec![not_active(HoldState::Expired)], vec![rest()]);
    check(released, &give_back(seat(), NOW), vec![not_active(HoldState::Released)], vec![rest()]);
}
