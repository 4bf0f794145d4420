//! New holds, and how they are looked at.

use taquilla_auditor::oracle::{
    Asked, Best, Claim, HoldName, HoldShown, HoldState, Question, Refusal, Reply, Told, Wish,
};

use super::{
    ANN, BOB, END, HOLD, SECOND, anns, anns_hold, asks, at, check, claim, granted, hears, hold, no,
    ordered, shows, sold, taken, wants,
};

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
    hears(&mut oracle, &released, at(before + 2, Told::Released));
    let mut hears = |told| oracle.hear(&asked, &at(after, told));
    assert!(hears(taken(&[3], &[])).is_err(), "nobody had seat 3");
    assert!(hears(taken(&[], &[1])).is_err(), "there was a place all the while");
    assert!(hears(taken(&[1], &[])).is_ok(), "seat 1 was ann's when it was asked for");
}

#[test]
fn a_key_stands_for_what_it_brought() {
    let again = |body| {
        let wish = Wish::Claim { claim: claim(&[1, 2], 2), fewer: false };
        asks(ANN, 5 * SECOND, Asked::Place { key: 1, body, wish, admitted: true })
    };
    let replayed = |told| Reply { told, replayed: true, as_of: 5 * SECOND };
    hears(&mut anns(), &again(1), replayed(shows(anns_hold())));
    for wrong in [
        at(5 * SECOND, shows(anns_hold())),
        replayed(shows(HoldShown { total: 1, ..anns_hold() })),
        replayed(no(Refusal::KeyReused)),
        at(5 * SECOND, granted(ANN, 5 * SECOND, claim(&[1, 2], 2))),
    ] {
        assert!(anns().hear(&again(1), &wrong).is_err(), "{wrong:?}");
    }
    check(anns, &again(2), vec![no(Refusal::KeyReused)], vec![shows(anns_hold())]);
}

#[test]
fn what_the_door_refuses_comes_before_what_sections_do() {
    let place =
        |buyer, wish, at| asks(buyer, at, Asked::Place { key: 2, body: 1, wish, admitted: true });
    let claims = |seats: &[u32]| Wish::Claim { claim: claim(seats, 0), fewer: false };
    let (now, limit) = (2 * SECOND, |held| no(Refusal::BuyerLimitExceeded { limit: 4, held }));
    check(anns, &place(ANN, claims(&[0]), now), vec![limit(4)], vec![limit(3), taken(&[0], &[])]);
    let unknown = || Wish::Unknown(vec!["/seats/0".into()]);
    let names = |name: &str| no(Refusal::UnknownSeats(vec![name.into()]));
    check(
        anns,
        &place(ANN, unknown(), now),
        vec![names("/seats/0")],
        vec![names("/seats/1"), limit(4)],
    );
    // Over by then, her hold counts no more.
    let name = HoldName { buyer: ANN, key: 2 };
    let of_end = shows(hold(name, END, claim(&[0], 0)));
    check(anns, &place(ANN, claims(&[0]), END), vec![of_end], vec![limit(4)]);
}

#[test]
fn of_what_fewer_will_do_for_all_that_there_is_must_be_taken() {
    let wish = Wish::Claim { claim: claim(&[0, 1, 3], 0), fewer: true };
    let asked = asks(BOB, 2 * SECOND, Asked::Place { key: 1, body: 1, wish, admitted: true });
    let some = |seats: &[u32], declined: &[u32]| {
        let of = hold(HoldName { buyer: BOB, key: 1 }, 2 * SECOND, claim(seats, 0));
        shows(HoldShown { declined: claim(declined, 0), ..of })
    };
    let wrong =
        vec![some(&[0], &[1, 3]), some(&[0, 3], &[]), some(&[0, 1, 3], &[]), taken(&[1], &[])];
    check(anns, &asked, vec![some(&[0, 3], &[1])], wrong);
}

#[test]
fn chosen_seats_are_free_side_by_side_and_as_many_as_there_could_be() {
    let best = |quantity, fewer| {
        let best =
            Best { quantity, section: Some(2), tier: None, adjacent: true, accessible: false };
        Asked::Place { key: 1, body: 1, wish: Wish::Best { best, fewer }, admitted: true }
    };
    let chosen = |seats: &[u32], declined: u32| {
        let of = hold(HoldName { buyer: BOB, key: 1 }, 2 * SECOND, claim(seats, 0));
        let places = if declined > 0 { vec![(2, declined)] } else { vec![] };
        shows(HoldShown { split: Some(false), declined: Claim { seats: vec![], places }, ..of })
    };
    let one = asks(BOB, 2 * SECOND, best(1, false));
    // Seat 5 is for those who ask for such a one, seat 0 is elsewhere.
    check(
        anns,
        &one,
        vec![chosen(&[4], 0)],
        vec![chosen(&[5], 0), chosen(&[0], 0), taken(&[], &[2])],
    );
    let two = asks(BOB, 2 * SECOND, best(2, true));
    check(anns, &two, vec![chosen(&[4], 1)], vec![chosen(&[4, 5], 0), taken(&[], &[2])]);
    check(
        anns,
        &asks(BOB, 2 * SECOND, best(2, false)),
        vec![taken(&[], &[2])],
        vec![chosen(&[4], 1)],
    );
}

#[test]
fn who_looks_sees_his_own_hold_as_it_is() {
    let read = |buyer, at| asks(buyer, at, Asked::Read { hold: HOLD });
    let as_it_is = |status, ordered| shows(HoldShown { status, ordered, ..anns_hold() });
    let not_found = || no(Refusal::NotFound);
    let living = as_it_is(HoldState::Active, false);
    let over = as_it_is(HoldState::Expired, false);
    check(anns, &read(ANN, 2 * SECOND), vec![living.clone()], vec![not_found(), over.clone()]);
    check(anns, &read(ANN, END), vec![over], vec![living.clone()]);
    check(anns, &read(BOB, 2 * SECOND), vec![not_found()], vec![living.clone()]);
    check(ordered, &read(ANN, 4 * SECOND), vec![as_it_is(HoldState::Active, true)], vec![living]);
    let converted = as_it_is(HoldState::Converted, true);
    check(sold, &read(ANN, 4 * SECOND), vec![converted], vec![as_it_is(HoldState::Active, true)]);
}

#[test]
fn who_lists_sees_all_that_lives_and_nothing_else() {
    let list = |buyer, at| asks(buyer, at, Asked::List);
    let (none, one) = (|| Told::Holds(vec![]), || Told::Holds(vec![anns_hold()]));
    check(anns, &list(ANN, 2 * SECOND), vec![one()], vec![none(), shows(anns_hold())]);
    check(anns, &list(ANN, END), vec![none()], vec![one()]);
    check(anns, &list(BOB, 2 * SECOND), vec![none()], vec![one()]);
    check(sold, &list(ANN, 4 * SECOND), vec![none()], vec![one()]);
}
