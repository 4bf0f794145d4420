//! What banks undo, booked in reverse.

use std::time::Duration;

use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempts, GiveBack, Refunds, Step};
use taquilla_persistence::audit::Audit;
use taquilla_persistence::refunds::PostgresRefunds;

use super::Till;

impl Till {
    /// Rules of money that the rows break, but for those on orders and tickets: there are none here.
    async fn broken(&self) -> Vec<&'static str> {
        let report = Audit::new(self.office.database.clone()).run(None).await.expect("a report");
        let rules = [
            "bookings_sum_to_zero",
            "attempts_are_booked_as_they_stand",
            "attempts_are_resolved_when_final",
            "refunds_are_booked_when_settled",
            "refunds_take_back_sales_and_fees_in_proportion",
        ];
        let broken = report.invariants.iter().filter(|it| it.violations > 0).map(|it| it.name);
        broken.filter(|name| rules.contains(name)).collect()
    }
}

#[tokio::test]
async fn a_refund_that_comes_back_is_booked_in_reverse_once_and_is_due_again() {
    let till = Till::open("ledger_refund_failed").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let order = till.order().await;
    let refunds = PostgresRefunds::new(till.office.database.clone());
    let [one, two] = [till.owe("a", 1_000).await, till.owe("b", 500).await];
    for refund in [one, two] {
        refunds
            .settle(refund, 0, till.office.owed(refund).await)
            .await
            .expect("the store is there");
    }
    assert_eq!(till.balances().await, "fees -100, provider 1500, sales -1400");
    let paid = refunds.of_order(order).await.expect("the store is there");
    assert_eq!((paid.is_owed, paid.is_paying), (false, false));
    let read: Vec<_> = paid.paid.iter().map(|it| (it.id, it.money.amount, it.errors)).collect();
    assert_eq!(read, [(one.uuid(), 1_000, 0), (two.uuid(), 500, 0)]);

    let again_after = Duration::from_secs(3_600);
    let first = &paid.paid[0];
    let failed = async |errors| {
        let refund = GiveBack { errors, ..first.clone() };
        refunds.failed(&refund, again_after).await.expect("rows")
    };
    assert!(failed(0).await);
    // Whoever had read it before, whatever became of it since; and who says once more that it was paid.
    for _ in 0..2 {
        assert_eq!(refunds.settle(one, 0, till.office.owed(one).await).await, Ok(false));
        assert!(!failed(0).await);
        assert_eq!(till.balances().await, "fees -167, provider 2500, sales -2333");
    }
    assert_eq!(till.broken().await, [""; 0]);
    let owed = refunds.of_order(order).await.expect("the store is there");
    assert_eq!((owed.paid.len(), owed.is_owed, owed.is_paying), (1, true, false));
    assert_eq!(refunds.due(None, 9).await, Ok(Vec::new()), "not at once");
    till.office.call("UPDATE refunds SET again_at = clock_timestamp()", &[]).await;
    let due = refunds.due(None, 9).await.expect("the store is there");
    assert_eq!((due[0].id, due[0].errors), (one, 1), "under another key");
    assert!(refunds.of_order(order).await.is_ok_and(|it| it.is_paying));

    // Paid anew, and back once more.
    for errors in [1, 2] {
        for _ in 0..2 {
            assert_eq!(refunds.settle(one, errors, till.office.owed(one).await).await, Ok(true));
            assert_eq!(till.balances().await, "fees -100, provider 1500, sales -1400");
        }
        assert!(!failed(0).await, "that payment has come back already");
        assert!(failed(errors).await);
        assert_eq!(
            refunds.settle(one, errors, till.office.owed(one).await).await,
            Ok(false),
            "nor is it paid by that"
        );
        assert_eq!(till.balances().await, "fees -167, provider 2500, sales -2333");
    }
    assert_eq!(till.broken().await, [""; 0]);
}

#[tokio::test]
async fn what_was_given_back_whole_and_comes_back_is_owed_again() {
    let till = Till::open("ledger_return_failed").await;
    let taken = Money { amount: 3_000, currency: Currency::parse("EUR").expect("euro") };
    till.take(&Step::Taken { reference: "ref".into(), taken }).await;
    let again_after = Duration::ZERO;
    for errors in 0..3 {
        for _ in 0..2 {
            till.take(&Step::Refunded { errors }).await;
            assert_eq!(till.balances().await, "");
        }
        for _ in 0..2 {
            till.take(&Step::RefundFailed { errors, again_after }).await;
            till.take(&Step::Refunded { errors }).await;
            assert_eq!(till.balances().await, "owed -3000, provider 3000");
        }
    }
    let status = "SELECT status || ' ' || errors FROM payment_attempts";
    assert_eq!(till.office.one::<String>(status).await, "refund_due 3");
    assert_eq!(till.broken().await, [""; 0]);
}

#[tokio::test]
async fn what_a_bank_returns_is_booked_once_a_notice_and_no_more_than_it_had_taken() {
    let till = Till::open("ledger_reinstated").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let attempts = till.office.attempts();
    let euros = |amount| Money { amount, currency: Currency::parse("EUR").expect("euro") };
    let reinstate = async |notice, money| attempts.reinstate(till.attempt, notice, money).await;
    assert_eq!(reinstate("n0", euros(1)).await, Ok(false), "nothing was taken back");
    attempts.charge_back(till.attempt, "n1", euros(3_000)).await.expect("rows");
    let yen = Money { currency: Currency::parse("JPY").expect("yen"), ..euros(1_000) };
    for (notice, money) in [("n2", yen), ("n3", euros(3_001)), ("n4", euros(0)), ("n5", euros(-1))]
    {
        assert_eq!(reinstate(notice, money).await, Ok(false), "{money:?}");
        assert_eq!(till.balances().await, "chargebacks 3000, fees -200, sales -2800");
    }
    for _ in 0..2 {
        assert_eq!(reinstate("n6", euros(2_000)).await, Ok(true));
        let expected = "chargebacks 1000, fees -200, provider 2000, sales -2800";
        assert_eq!(till.balances().await, expected);
    }
    assert_eq!(reinstate("n7", euros(1_001)).await, Ok(false));
    assert_eq!(reinstate("n8", euros(1_000)).await, Ok(true));
    assert_eq!(till.balances().await, "fees -200, provider 3000, sales -2800");
    assert_eq!(reinstate("n1", euros(1)).await, Ok(false), "the name of what was taken back");
    assert_eq!(till.broken().await, [""; 0]);
}
