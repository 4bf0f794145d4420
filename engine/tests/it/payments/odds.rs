//! What providers and buyers do beside saying yes or no at once.

use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::hold::Fingerprint;
use taquilla_engine::id::{AttemptId, RefundId};
use taquilla_engine::moment::Moment;
use taquilla_engine::order::OrderStatus;
use taquilla_engine::payment::{
    Attempt, AttemptStatus, Attempts, Confirmations, NextAction, Opened, PaymentProvider, Refunds,
};
use taquilla_engine::refund::{Cause, TicketReturn};
use taquilla_engine::runtime::PaymentSettings;

use super::{Till, payments_with};
use crate::desk::{EVENT, buyer, place, terms};
use crate::moody::PATIENCE;

#[tokio::test(start_paused = true)]
async fn an_attempt_that_needs_the_buyer_waits_for_him() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "challenge").await;
    let waits = |attempt: &Attempt| attempt.status == AttemptStatus::RequiresAction;
    let attempt = till.once("p", waits).await;
    assert_eq!(attempt.next_action, Some(NextAction::Redirect("memory:".into())));
    assert!(matches!(till.pay(order, "q", "ok").await, Opened::OrderNotPayable { .. }));
    till.provider.answer_challenge(attempt.id);
    let attempt = till.end_of("p").await;
    assert_eq!((attempt.status, attempt.next_action), (AttemptStatus::Captured, None));
}

#[tokio::test(start_paused = true)]
async fn what_nobody_answered_is_withdrawn_when_the_hold_is_over() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "challenge").await;
    let attempt = till.once("p", |it| it.status == AttemptStatus::RequiresAction).await;
    till.clock.advance(Duration::from_secs(120));
    let ended = till.end_of("p").await;
    assert_eq!(ended.status, AttemptStatus::Failed);
    assert_eq!(ended.failure.unwrap().code, "not_completed");
    // The buyer is too late, and nothing is reserved by it.
    till.provider.answer_challenge(attempt.id);
    assert!(!till.provider.reserved(attempt.id));
}

#[tokio::test(start_paused = true)]
async fn a_challenge_that_nobody_was_told_of_is_withdrawn_when_the_hold_is_over() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    let new = till.new_attempt(order, "p", "challenge");
    let Opened::Created(attempt) = till.attempts.open(&new).await.unwrap() else {
        panic!("the intent is recorded")
    };
    // The process that asked died before it knew under which reference.
    till.provider.authorise(&attempt).await;
    till.clock.advance(Duration::from_secs(120));
    till.payments.resume().await.unwrap();
    let ended = till.end_of("p").await;
    assert_eq!(ended.status, AttemptStatus::Failed);
    assert_eq!(ended.failure.unwrap().code, "not_completed");
}

#[tokio::test(start_paused = true)]
async fn a_withdrawal_that_met_an_error_is_tried_under_another_key() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "challenge errs").await;
    till.once("p", |it| it.status == AttemptStatus::RequiresAction).await;
    till.clock.advance(Duration::from_secs(120));
    let ended = till.end_of("p").await;
    assert_eq!((ended.status, ended.errors), (AttemptStatus::Failed, 1));
}

#[tokio::test(start_paused = true)]
async fn what_was_answered_as_it_was_withdrawn_is_known_to_have_been_reserved_and_let_go() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "challenge").await;
    let attempt = till.once("p", |it| it.status == AttemptStatus::RequiresAction).await;
    // The hold is over, and the buyer acts a moment before the provider is told.
    till.clock.advance(Duration::from_secs(120));
    till.provider.answer_challenge(attempt.id);
    let ended = till.end_of("p").await;
    assert_eq!(ended.status, AttemptStatus::Voided);
    assert_eq!(ended.reserved, Some(ended.money));
    assert!(!till.provider.reserved(attempt.id));
}

#[tokio::test(start_paused = true)]
async fn a_record_at_the_provider_is_known_before_money_is_asked_for_under_it() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "two calls").await;
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Captured);
    assert_eq!(till.provider.questions(), ["authorise", "authorise", "capture"]);

    // A process that died between the two calls left a record that it did not know of.
    let order = till.order("h2", 1).await;
    let new = till.new_attempt(order, "q", "two calls");
    let Opened::Created(attempt) = till.attempts.open(&new).await.unwrap() else {
        panic!("the intent is recorded")
    };
    till.provider.authorise(&attempt).await;
    till.payments.resume().await.unwrap();
    assert_eq!(till.end_of("q").await.status, AttemptStatus::Captured);
    let asked = till.provider.questions();
    assert_eq!(asked[3..], ["authorise", "find", "authorise", "capture"]);
}

#[tokio::test(start_paused = true)]
async fn after_an_error_the_record_is_read_and_the_next_try_has_another_key() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "errs").await;
    let attempt = till.end_of("p").await;
    assert_eq!((attempt.status, attempt.errors), (AttemptStatus::Captured, 1));
    assert_eq!(till.provider.questions(), ["authorise", "find", "authorise", "capture"]);
}

#[tokio::test(start_paused = true)]
async fn a_capture_is_tried_until_it_is_done() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "capture errs").await;
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Captured);
    let captures = till.provider.questions().iter().filter(|it| **it == "capture").count();
    assert_eq!(captures, 3);
}

#[tokio::test(start_paused = true)]
async fn a_capture_that_is_refused_for_good_is_not_asked_for_for_ever() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "capture refused").await;
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::CaptureFailed);
    assert_eq!(attempt.failure.unwrap().code, "capture_refused");
    assert_eq!(till.order_status(order).await, OrderStatus::Confirmed);
    assert!(matches!(till.pay(order, "q", "ok").await, Opened::HoldNotActive { .. }));
}

#[tokio::test(start_paused = true)]
async fn money_that_was_taken_unasked_is_given_back() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "takes").await;
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Refunded);
    assert!(!till.provider.captured(attempt.id));
    assert_eq!(till.order_status(order).await, OrderStatus::Open);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_stays_unknown_past_the_providers_deadline_has_failed() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "deaf").await;
    till.once("p", |it| it.status == AttemptStatus::Verifying).await;
    till.clock.advance(Duration::from_secs(599));
    tokio::time::advance(Duration::from_secs(60)).await;
    let attempt = till.once("p", |_| true).await;
    assert_eq!(attempt.status, AttemptStatus::Verifying, "not yet");
    till.clock.advance(Duration::from_secs(1));
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Failed);
    assert_eq!(attempt.failure.unwrap().code, "unknown_too_long");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_has_failed_and_is_authorised_after_all_is_voided() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "decline").await;
    let declined = till.end_of("p").await;
    // Another attempt pays; then the provider says otherwise about the first.
    till.pay(order, "q", "ok").await;
    assert_eq!(till.end_of("q").await.status, AttemptStatus::Captured);
    till.provider.change_its_mind(&declined);
    assert!(till.payments.hear(declined.id).await.unwrap());
    let attempt = till.once("p", |it| it.status == AttemptStatus::Voided).await;
    assert!(!till.provider.reserved(attempt.id));
    assert_eq!(till.end_of("q").await.status, AttemptStatus::Captured);
    // Nor does news that says nothing new, or of an attempt that is not there.
    assert!(till.payments.hear(declined.id).await.unwrap());
    let nobodys = AttemptId::derive(EVENT, &buyer("ann"), "nobody's");
    assert!(!till.payments.hear(nobodys).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn news_of_an_attempt_cuts_its_pause_short() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "challenge").await;
    let attempt = till.once("p", |it| it.status == AttemptStatus::RequiresAction).await;
    till.provider.answer_challenge(attempt.id);
    let before = tokio::time::Instant::now();
    till.payments.hear(attempt.id).await.unwrap();
    till.end_of("p").await;
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_heard_of_an_attempt_is_not_asked_for_money_nobody_wants() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.attempts.open(&till.new_attempt(order, "p", "ok")).await.unwrap();
    till.clock.advance(Duration::from_secs(120));
    assert_eq!(till.payments.resume().await.unwrap(), 1);
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Failed);
    assert_eq!(attempt.failure.unwrap().code, "not_asked");
    assert!(!till.provider.questions().contains(&"authorise"));
}

#[tokio::test(start_paused = true)]
async fn a_hold_in_its_last_minute_lives_longer_once_while_its_payment_is_verified() {
    for (extension, end) in [(100, AttemptStatus::Captured), (0, AttemptStatus::Voided)] {
        let mut terms = terms(2);
        terms.sale.verifying_extension = Duration::from_secs(extension);
        let till = Till::selling(terms).await;
        let order = till.order("h1", 0).await;
        till.clock.advance(Duration::from_secs(70));
        till.pay(order, "p", "lost").await;
        let until = Some(Moment(120_000_000) + Duration::from_secs(extension));
        let is_so =
            |it: &Attempt| it.status == AttemptStatus::Verifying && it.wanted_until == until;
        till.once("p", is_so).await;
        // Past the first end.
        till.clock.advance(Duration::from_secs(60));
        assert_eq!(till.end_of("p").await.status, end, "{extension} s");
    }
}

/// Ann's seat, once it is nobody's.
async fn bob_gets_the_seat(till: &Till) {
    for n in 0..100 {
        let answer = till.event.submit(place("bob", &format!("b{n}"), &[0]), PATIENCE).await;
        if matches!(answer.unwrap().outcome, Outcome::Hold(_)) {
            return;
        }
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    panic!("the seat does not come back");
}

#[tokio::test(start_paused = true)]
async fn a_sale_whose_money_nobody_settled_in_time_gives_its_seats_back() {
    // Shorter than the sale is open.
    let grace = Duration::from_secs(600);
    let till = Till::open().await;
    let settings = PaymentSettings { capture_grace: grace, ..PaymentSettings::default() };
    let payments = payments_with(settings, &till.attempts, &till.provider, &till.node, &till.clock);
    let order = till.order("h1", 0).await;
    payments.open(till.new_attempt(order, "p", "capture refused")).await.unwrap();
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::CaptureFailed);
    payments.keep_up();
    till.clock.advance(grace);
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(till.end_of("p").await.status, AttemptStatus::CaptureFailed, "not yet");
    till.clock.advance(Duration::from_secs(1));
    till.once("p", |it| it.status == AttemptStatus::Voided).await;
    assert!(!till.provider.reserved(attempt.id), "let go as well");
    let refunds = till.attempts.due(None, 9).await.unwrap();
    assert_eq!(refunds, [], "what was never taken is not owed");
    bob_gets_the_seat(&till).await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_capture_that_somebody_settles_at_the_provider_is_one_that_was_done() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "capture refused").await;
    let attempt = till.end_of("p").await;
    // News that tells nothing new.
    assert!(till.payments.hear(attempt.id).await.unwrap());
    assert_eq!(till.end_of("p").await.status, AttemptStatus::CaptureFailed);
    till.provider.take(&attempt);
    assert!(till.payments.hear(attempt.id).await.unwrap());
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Captured);
    assert_eq!(till.order_status(order).await, OrderStatus::Confirmed);
}

#[tokio::test(start_paused = true)]
async fn a_refused_capture_of_tickets_that_came_back_is_not_waited_for() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "capture refused").await;
    assert_eq!(till.end_of("p").await.status, AttemptStatus::CaptureFailed);
    till.payments.keep_up();
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(till.end_of("p").await.status, AttemptStatus::CaptureFailed, "not yet");
    let taken_back = TicketReturn {
        refund: RefundId::derive(EVENT, "operator", "r"),
        fingerprint: Fingerprint::default(),
        order,
        buyer: buyer("ann"),
        tickets: None,
        cause: Cause::Refund,
        reason: "asked for".into(),
        who: "operator".into(),
        deed: None,
        rows: None,
    };
    assert!(till.node.take_back(taken_back).await);
    let attempt = till.once("p", |it| it.status == AttemptStatus::Voided).await;
    assert!(!till.provider.reserved(attempt.id));
}

#[tokio::test(start_paused = true)]
async fn money_that_a_bank_took_back_makes_tickets_void_where_the_policy_says_so() {
    for policy in [true, false] {
        let till = Till::open().await;
        let settings =
            PaymentSettings { chargeback_voids_tickets: policy, ..PaymentSettings::default() };
        let payments =
            payments_with(settings, &till.attempts, &till.provider, &till.node, &till.clock);
        let order = till.order("h1", 0).await;
        payments.open(till.new_attempt(order, "p", "ok")).await.unwrap();
        let attempt = till.end_of("p").await;
        for _ in 0..2 {
            let told = payments.charged_back(attempt.id, "n1", attempt.money).await;
            assert_eq!(told, Ok(true));
        }
        if policy {
            bob_gets_the_seat(&till).await;
        } else {
            let answer = till.event.submit(place("bob", "b", &[0]), PATIENCE).await.unwrap();
            assert!(matches!(answer.outcome, Outcome::Refused(_)), "{answer:?}");
        }
        let nobodys = AttemptId::derive(EVENT, &buyer("ann"), "nobody's");
        let told = payments.charged_back(nobodys, "n2", attempt.money).await;
        assert_eq!(told, Ok(false));
    }
}
