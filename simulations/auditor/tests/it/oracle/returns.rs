//! Sold tickets that come back.

use taquilla_auditor::oracle::{
    Asked, Oracle, Question, Refund, RefundShown, Refusal, Reply, Told,
};

use super::{
    ANN, BOB, HOLD, SECOND, at, check, claim, granted, hears, no, ordered, sold, taken, wants,
};

const NOW: i64 = 4 * SECOND;

fn back(key: u32, tickets: Option<&[u32]>) -> Question {
    let tickets = tickets.map(<[u32]>::to_vec);
    Question {
        buyer: u32::MAX,
        at: NOW,
        asked: Asked::Refund(Refund { key, body: 1, order_of: HOLD, tickets }),
    }
}

fn told(key: u32, tickets: &[u32], amount: i64) -> Told {
    Told::Refunded(RefundShown { key, order_of: HOLD, tickets: tickets.to_vec(), amount })
}

/// Seat 1 and one of the places are back.
fn partly() -> Oracle {
    let mut oracle = sold();
    hears(&mut oracle, &back(1, Some(&[2, 0])), at(NOW, told(1, &[0, 2], 150)));
    oracle
}

#[test]
fn what_is_sold_comes_back_once_for_what_it_cost() {
    let wrong = vec![told(1, &[0], 99), told(1, &[1], 100), told(2, &[0], 100), Told::Released];
    check(sold, &back(1, Some(&[0])), vec![told(1, &[0], 100)], wrong);
    check(partly, &back(2, None), vec![told(2, &[1, 3], 150)], vec![told(2, &[0, 1, 2, 3], 300)]);
    let impossible = || no(Refusal::RefundNotPossible);
    check(partly, &back(2, Some(&[0, 1])), vec![impossible()], vec![told(2, &[1], 100)]);
    check(ordered, &back(1, None), vec![impossible()], vec![no(Refusal::NotFound)]);
    let unknown = no(Refusal::UnknownTickets(vec![4]));
    check(sold, &back(1, Some(&[0, 4])), vec![unknown], vec![impossible(), told(1, &[0], 100)]);
    let replayed = Reply { told: told(1, &[0, 2], 150), replayed: true, as_of: NOW };
    hears(&mut partly(), &back(1, Some(&[2, 0])), replayed);
}

#[test]
fn what_came_back_is_for_sale_and_counts_no_longer() {
    let of_bob = || wants(BOB, NOW + 1, claim(&[1], 0));
    check(partly, &of_bob(), vec![granted(BOB, NOW + 1, claim(&[1], 0))], vec![taken(&[1], &[])]);
    check(sold, &of_bob(), vec![taken(&[1], &[])], vec![granted(BOB, NOW + 1, claim(&[1], 0))]);
    let mut more = wants(ANN, NOW + 1, claim(&[0, 1, 3], 0));
    let Asked::Place { key, .. } = &mut more.asked else { unreachable!("a hold is wanted") };
    *key = 2;
    let over = no(Refusal::BuyerLimitExceeded { limit: 4, held: 2 });
    check(partly, &more, vec![over], vec![no(Refusal::BuyerLimitExceeded { limit: 4, held: 4 })]);
}
