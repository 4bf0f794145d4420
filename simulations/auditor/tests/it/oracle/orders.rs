//! Orders and what is paid.

use taquilla_auditor::oracle::{
    Asked, Change, HoldName, HoldShown, HoldState, Oracle, OrderShown, OrderState, Question,
    Refusal, Reply, SaleState, Told,
};

use super::{
    ANN, BOB, END, HOLD, SECOND, anns, anns_hold, anns_order, asks, at, check, claim, confirm,
    hears, hold, no, order, ordered, shows, sold, wants,
};

const NOW: i64 = 4 * SECOND;

fn told(order: OrderShown) -> Told {
    Told::Order(Box::new(order))
}

fn not_active(state: HoldState) -> Told {
    no(Refusal::HoldNotActive(state))
}

fn paused() -> Oracle {
    let mut oracle = anns();
    let pause = asks(u32::MAX, 3 * SECOND, Asked::Operate { deed: 1, change: Change::Pause });
    hears(&mut oracle, &pause, at(3 * SECOND, Told::Operated(0)));
    oracle
}

#[test]
fn a_hold_has_one_order_whatever_the_key() {
    let wrong = vec![
        told(OrderShown { created: false, ..anns_order(NOW) }),
        told(OrderShown { total: 299, ..anns_order(NOW) }),
        told(OrderShown { status: OrderState::Confirmed, ..anns_order(NOW) }),
        shows(anns_hold()),
        no(Refusal::NotFound),
        not_active(HoldState::Active),
    ];
    check(anns, &order(ANN, 1, NOW), vec![told(anns_order(NOW))], wrong);
    let known = || told(OrderShown { created: false, ..anns_order(2 * SECOND) });
    check(ordered, &order(ANN, 2, NOW), vec![known()], vec![told(anns_order(NOW))]);
    check(anns, &order(BOB, 1, NOW), vec![no(Refusal::NotFound)], vec![told(anns_order(NOW))]);
    let over = not_active(HoldState::Expired);
    check(
        anns,
        &order(ANN, 1, END),
        vec![over],
        vec![told(anns_order(END)), not_active(HoldState::Released)],
    );
}

#[test]
fn a_key_of_an_order_stands_for_its_result() {
    let replayed = |told| Reply { told, replayed: true, as_of: NOW };
    hears(&mut ordered(), &order(ANN, 1, NOW), replayed(told(anns_order(2 * SECOND))));
    for wrong in [
        at(NOW, told(anns_order(2 * SECOND))),
        replayed(told(OrderShown { created: false, ..anns_order(2 * SECOND) })),
        replayed(told(anns_order(NOW))),
    ] {
        assert!(ordered().hear(&order(ANN, 1, NOW), &wrong).is_err(), "{wrong:?}");
    }
    let other = asks(ANN, NOW, Asked::Order { key: 1, body: 2, hold: HOLD });
    check(ordered, &other, vec![no(Refusal::KeyReused)], vec![told(anns_order(2 * SECOND))]);
}

#[test]
fn an_order_for_nothing_is_sold_at_once() {
    const NAME: HoldName = HoldName { buyer: BOB, key: 1 };
    let free = || {
        let mut oracle = anns();
        let made = shows(hold(NAME, SECOND + 5, claim(&[4], 0)));
        hears(&mut oracle, &wants(BOB, SECOND + 5, claim(&[4], 0)), at(SECOND + 5, made));
        oracle
    };
    let shown = |status, of| {
        let hold = HoldShown { status, ordered: true, ..hold(NAME, SECOND + 5, claim(&[4], 0)) };
        told(OrderShown {
            hold,
            status: of,
            total: 0,
            created_at: NOW,
            verdicts: vec![],
            created: true,
        })
    };
    let asked = asks(BOB, NOW, Asked::Order { key: 1, body: 1, hold: NAME });
    let sold = shown(HoldState::Converted, OrderState::Confirmed);
    check(free, &asked, vec![sold], vec![shown(HoldState::Active, OrderState::Open)]);
}

#[test]
fn a_pause_stops_orders_but_no_payment_and_no_release() {
    let stopped = || no(Refusal::SaleNotOpen { opens_at: 0, state: SaleState::Paused });
    check(paused, &order(ANN, 1, NOW), vec![stopped()], vec![told(anns_order(NOW))]);
    check(anns, &order(ANN, 1, NOW), vec![told(anns_order(NOW))], vec![stopped()]);
    let release = asks(ANN, NOW, Asked::Release { hold: HOLD });
    check(paused, &release, vec![Told::Released], vec![stopped()]);
    let site_paused = || {
        let mut oracle = anns();
        oracle.pause_site(3 * SECOND, true);
        oracle
    };
    let wrong = vec![told(anns_order(NOW)), stopped()];
    check(site_paused, &order(ANN, 1, NOW), vec![no(Refusal::PurchasesPaused)], wrong);
}

#[test]
fn an_attempt_is_confirmed_while_its_hold_lives_and_keeps_its_word() {
    let (yes, nay) = (|| Told::Verdict(true), || Told::Verdict(false));
    check(ordered, &confirm(1, NOW), vec![yes()], vec![nay(), Told::Released]);
    check(ordered, &confirm(1, END), vec![nay()], vec![yes()]);
    check(anns, &confirm(1, NOW), vec![nay()], vec![yes()]);
    check(sold, &confirm(1, NOW), vec![yes()], vec![nay()]);
    check(sold, &confirm(2, NOW), vec![nay()], vec![yes()]);
    // Asked while the hold lived and answered when it was over, it may have come either way.
    let asked: Question = confirm(1, END - 1);
    for told in [yes(), nay()] {
        hears(&mut ordered(), &asked, at(END + 1, told));
    }
}
