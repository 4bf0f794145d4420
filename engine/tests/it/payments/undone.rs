//! What a bank undoes: refunds that come back, and chargebacks that are returned.

use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::id::AttemptId;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempt, AttemptStatus, Refunds};
use taquilla_engine::runtime::NotHeard;

use super::Till;
use crate::chronicle::counters::Counters;
use crate::desk::{EVENT, buyer, place};
use crate::moody::PATIENCE;

fn alerts(counters: &Counters, what: &str) -> u64 {
    counters.of("taquilla_payment_alerts_total", what)
}

impl Till {
    /// Whose tickets came back, and nobody has paid for that yet.
    async fn sold_and_taken_back(&self) -> Attempt {
        let order = self.order("h1", 0).await;
        self.pay(order, "p", "ok").await;
        let attempt = self.end_of("p").await;
        self.take_back(order).await;
        attempt
    }
}

#[tokio::test(start_paused = true)]
async fn a_refund_that_comes_back_is_due_again_in_an_hour_and_paid_anew() {
    let till = Till::open().await;
    let counters = Counters::default();
    let _recorded = metrics::set_default_local_recorder(&counters);
    let attempt = till.sold_and_taken_back().await;
    till.payments.keep_up();
    till.nothing_due().await;
    assert!(!till.provider.captured(attempt.id));
    assert_eq!(till.payments.refund_failed(attempt.id).await, Ok(true));
    let refunds = till.attempts.of_order(attempt.order).await.unwrap();
    assert_eq!((refunds.paid.len(), refunds.is_owed), (1, false), "it stands");
    assert_eq!(alerts(&counters, "refund_failed"), 1, "whose it is somebody has to see");

    till.provider.fail_refunds(attempt.id);
    for _ in 0..2 {
        assert_eq!(till.payments.refund_failed(attempt.id).await, Ok(true));
        let refunds = till.attempts.of_order(attempt.order).await.unwrap();
        assert_eq!((refunds.paid.len(), refunds.is_owed), (0, true));
        assert!(!refunds.is_paying, "not yet");
        assert_eq!(alerts(&counters, "refund_failed"), 2);
    }
    till.clock.advance(Duration::from_secs(3_600));
    assert_eq!(till.attempts.due(None, 9).await.unwrap()[0].errors, 1, "once");
    till.nothing_due().await;
    // A key has the same answer for ever: under the first one nothing would have moved.
    assert!(!till.provider.captured(attempt.id), "the buyer has it");
}

#[tokio::test(start_paused = true)]
async fn what_was_taken_unasked_and_comes_back_is_given_back_anew() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "takes").await;
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Refunded);
    assert_eq!(till.payments.refund_failed(attempt.id).await, Ok(true));
    assert_eq!(till.end_of("p").await, attempt, "it stands");
    till.provider.fail_refunds(attempt.id);
    assert!(till.provider.captured(attempt.id));
    let counters = Counters::default();
    let _recorded = metrics::set_default_local_recorder(&counters);
    assert_eq!(till.payments.refund_failed(attempt.id).await, Ok(true));
    assert_eq!(alerts(&counters, "refund_failed"), 1);
    let due = till.once("p", |it| it.status == AttemptStatus::RefundDue).await;
    assert_eq!((due.errors, due.resolved_at), (attempt.errors + 1, None));
    assert_eq!(till.payments.resume().await, Ok(0), "in an hour");
    assert!(till.payments.hear(attempt.id).await.unwrap());
    tokio::time::advance(Duration::from_secs(60)).await;
    assert!(till.provider.captured(attempt.id), "nor for any news");
    till.clock.advance(Duration::from_secs(3_600));
    assert_eq!(till.payments.resume().await, Ok(1));
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Refunded);
    assert!(!till.provider.captured(attempt.id), "the buyer has it");
}

#[tokio::test(start_paused = true)]
async fn a_refund_that_fails_before_it_is_recorded_as_paid_is_told_again() {
    let till = Till::open().await;
    let attempt = till.sold_and_taken_back().await;
    let told = till.payments.refund_failed(attempt.id).await;
    assert_eq!(told, Err(NotHeard::RefundUnderWay));
    let asked = till.order("h2", 1).await;
    till.pay(asked, "q", "challenge").await;
    let asked = till.once("q", |it| it.status == AttemptStatus::RequiresAction).await;
    let told = till.payments.refund_failed(asked.id).await;
    assert_eq!(told, Err(NotHeard::NotTaken(AttemptStatus::RequiresAction)));
    let nobodys = AttemptId::derive(EVENT, &buyer("ann"), "nobody's");
    assert_eq!(till.payments.refund_failed(nobodys).await, Ok(false));
}

#[tokio::test(start_paused = true)]
async fn a_chargeback_that_is_returned_leaves_void_tickets_void() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "ok").await;
    let attempt = till.end_of("p").await;
    let whole = Some(attempt.money);
    assert_eq!(till.payments.charged_back(attempt.id, "n1", whole).await, Ok(true));
    let yen = Currency::parse("JPY").map(|currency| Money { currency, ..attempt.money });
    let counters = Counters::default();
    let _recorded = metrics::set_default_local_recorder(&counters);
    for money in [whole, None, yen] {
        assert_eq!(till.payments.reinstated(attempt.id, "n2", money).await, Ok(true));
    }
    assert_eq!(alerts(&counters, "chargeback_returned"), 1);
    assert_eq!(alerts(&counters, "chargeback_mismatch"), 2);
    let answer = till.event.submit(place("bob", "b", &[0]), PATIENCE).await.unwrap();
    assert!(matches!(answer.outcome, Outcome::Hold(_)), "{answer:?}");
    let nobodys = AttemptId::derive(EVENT, &buyer("ann"), "nobody's");
    assert_eq!(till.payments.reinstated(nobodys, "n3", whole).await, Ok(false));

    let asked = till.order("h2", 1).await;
    till.pay(asked, "q", "challenge").await;
    let asked = till.once("q", |it| it.status == AttemptStatus::RequiresAction).await;
    let told = till.payments.reinstated(asked.id, "n4", whole).await;
    assert_eq!(told, Err(NotHeard::NotTaken(AttemptStatus::RequiresAction)));
}

#[tokio::test(start_paused = true)]
async fn a_returned_chargeback_that_comes_first_waits_for_its_chargeback() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "ok").await;
    let attempt = till.end_of("p").await;
    let whole = Some(attempt.money);
    let counters = Counters::default();
    let _recorded = metrics::set_default_local_recorder(&counters);
    for _ in 0..3 {
        let told = till.payments.reinstated(attempt.id, "n2", whole).await;
        assert_eq!(told, Err(NotHeard::NotTakenBack));
        assert_eq!(alerts(&counters, "chargeback_mismatch"), 1, "once");
    }
    assert_eq!(till.payments.charged_back(attempt.id, "n1", whole).await, Ok(true));
    assert_eq!(till.payments.reinstated(attempt.id, "n2", whole).await, Ok(true));
    assert_eq!(alerts(&counters, "chargeback_returned"), 1);
    let more = till.payments.reinstated(attempt.id, "n3", whole).await;
    assert_eq!(more, Err(NotHeard::NotTakenBack), "that was all");
}

#[tokio::test(start_paused = true)]
async fn news_that_cannot_be_stored_holds_nobody_up() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "takes").await;
    let returned = till.end_of("p").await;
    till.provider.fail_refunds(returned.id);
    let order = till.order("h2", 1).await;
    till.pay(order, "q", "decline").await;
    let declined = till.end_of("q").await;
    till.provider.change_its_mind(&declined);

    till.attempts.take_no_steps(true);
    let soon = Duration::from_secs(1);
    let told = tokio::time::timeout(soon, till.payments.refund_failed(returned.id)).await;
    assert!(matches!(told, Ok(Err(NotHeard::Unavailable(_)))), "{told:?}");
    let told = tokio::time::timeout(soon, till.payments.hear(declined.id)).await;
    assert!(matches!(told, Ok(Err(NotHeard::Unavailable(_)))), "{told:?}");

    till.attempts.take_no_steps(false);
    assert_eq!(till.payments.refund_failed(returned.id).await, Ok(true));
    till.once("p", |it| it.status == AttemptStatus::RefundDue).await;
    assert_eq!(till.payments.hear(declined.id).await, Ok(true));
    assert_eq!(till.end_of("q").await.status, AttemptStatus::Voided);
}
