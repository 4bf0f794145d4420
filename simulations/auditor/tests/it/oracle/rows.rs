//! What is written, against what was decided.

use taquilla_auditor::oracle::{
    Everything, HoldName, HoldShown, HoldState, OrderRow, OrderState, ReceiptRow, RefundShown,
    SeatRow, Written,
};

use super::{ANN, BOB, HOLD, SECOND, anns, anns_hold, hall, ordered, sold};

const HELD: SeatRow = SeatRow::Held(HOLD);

/// What the batches of Ann's hold, order and payment write, one after the other.
fn written() -> [Written; 2] {
    let held = Written {
        at: SECOND + 3,
        seats: vec![(1, HELD), (2, HELD)],
        areas: vec![(1, (2, 0))],
        buyers: vec![(ANN, 4)],
        ..Written::default()
    };
    let paid = Written {
        at: 3 * SECOND,
        seats: vec![(1, SeatRow::Sold(HOLD)), (2, SeatRow::Sold(HOLD))],
        areas: vec![(1, (0, 2))],
        ended: vec![(HOLD, HoldState::Converted)],
        tickets: vec![(HOLD, 0, Some(1)), (HOLD, 0, Some(2)), (HOLD, 1, None), (HOLD, 1, None)],
        ..held.clone()
    };
    [held, paid]
}

#[test]
fn rows_that_say_something_else_are_a_difference() {
    let [held, paid] = written();
    anns().learn(&held).expect("this is as it should be");
    sold().learn(&paid).expect("this is as it should be");
    let wrong: [fn(&mut Written); 8] = [
        |it| it.refunds.push(refund()),
        |it| it.seats.truncate(1),
        |it| it.seats.push((3, HELD)),
        |it| it.seats.push((3, SeatRow::Blocked)),
        |it| it.areas[0].1 = (1, 0),
        |it| it.buyers[0].1 = 3,
        |it| it.ended.push((HOLD, HoldState::Expired)),
        |it| it.deeds.push(1),
    ];
    for (place, change) in wrong.into_iter().enumerate() {
        let mut rows = held.clone();
        change(&mut rows);
        anns().learn(&rows).expect_err(&format!("wrong rows {place} of a hold"));
    }
    let wrong: [fn(&mut Written); 5] = [
        |it| it.ended.clear(),
        |it| it.ended[0].1 = HoldState::Released,
        |it| it.tickets.truncate(3),
        |it| it.tickets[0].2 = Some(0),
        |it| it.tickets.push((HoldName { buyer: BOB, key: 1 }, 0, Some(0))),
    ];
    for (place, change) in wrong.into_iter().enumerate() {
        let mut rows = paid.clone();
        change(&mut rows);
        sold().learn(&rows).expect_err(&format!("wrong rows {place} of a sale"));
    }
}

fn refund() -> RefundShown {
    RefundShown { key: 1, order_of: HOLD, tickets: vec![0], amount: 100 }
}

/// All rows once Ann has ordered, and none of it is paid.
fn everything() -> Everything {
    let order = OrderRow {
        name: HOLD,
        status: OrderState::Open,
        total: 300,
        created_at: 2 * SECOND,
        verdicts: vec![],
    };
    Everything {
        terms: hall().terms,
        capacities: vec![(1, 3)],
        seats: vec![(1, HELD), (2, HELD)],
        areas: vec![(1, (2, 0))],
        buyers: vec![(ANN, 4)],
        holds: vec![HoldShown { ordered: true, ..anns_hold() }],
        orders: vec![order],
        receipts: vec![ReceiptRow { buyer: ANN, key: 1, result: Ok((HOLD, true)) }],
        tickets: vec![],
        void: vec![],
        refunds: vec![],
        deeds: vec![],
    }
}

/// What is wrong, and the change that makes it so.
type Wrong = (&'static str, fn(&mut Everything));

#[test]
fn every_table_is_compared_as_a_whole() {
    ordered().compare(&everything()).expect("this is as it should be");
    let wrong: &[Wrong] = &[
        ("other terms", |it| it.terms.limit += 1),
        ("another capacity", |it| it.capacities[0].1 = 4),
        ("a seat too few", |it| it.seats.truncate(1)),
        ("a seat too many", |it| it.seats.push((3, SeatRow::Blocked))),
        ("places", |it| it.areas[0].1 = (2, 1)),
        ("a buyer's count", |it| it.buyers[0].1 = 5),
        ("a buyer without a row", |it| it.buyers.clear()),
        ("a buyer with nothing", |it| it.buyers.push((BOB, 1))),
        ("no hold", |it| it.holds.clear()),
        ("another end of a hold", |it| it.holds[0].expires_at += 1),
        ("no order", |it| it.orders.clear()),
        ("another total", |it| it.orders[0].total = 299),
        ("another status", |it| it.orders[0].status = OrderState::Confirmed),
        ("another verdict", |it| it.orders[0].verdicts.push((1, false))),
        ("no receipt", |it| it.receipts.clear()),
        ("another receipt", |it| it.receipts[0].result = Ok((HOLD, false))),
        ("a refusal's receipt", |it| it.receipts[0].result = Err(HoldState::Expired)),
        ("a ticket", |it| it.tickets.push((HOLD, 0, Some(1)))),
        ("a void ticket", |it| it.void.push((HOLD, 0))),
        ("a refund", |it| it.refunds.push(refund())),
        ("a deed", |it| it.deeds.push(1)),
    ];
    for (what, change) in wrong {
        let mut rows = everything();
        change(&mut rows);
        assert!(ordered().compare(&rows).is_err(), "{what}");
    }
}
