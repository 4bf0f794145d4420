//! Money that goes back, and seats that return because money was never to be had.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::cancellation::{CancelledEvent, LeftToGiveBack, LeftUnknown};
use taquilla_engine::hold::Fingerprint;
use taquilla_engine::id::{AttemptId, EventNumber, OrderId, RefundId};
use taquilla_engine::later::Later;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::order::OrderStatus;
use taquilla_engine::payment::{AttemptStatus, Attempts, Confirmations, Opened, Refunds, Step};
use taquilla_engine::refund::{Cause, SoldOrder, TicketReturn};
use taquilla_engine::runtime::{Cancellations, NotHeard, PaymentSettings};

use super::{Till, payments_with};
use crate::desk::{EVENT, buyer, place};
use crate::moody::PATIENCE;

impl Till {
    fn refunds_asked(&self) -> usize {
        self.provider.questions().iter().filter(|it| **it == "refund").count()
    }

    /// From the next minute on, for half an hour.
    async fn asks_for_no_refund(&self) {
        self.wait_a_minute().await;
        let asked = self.refunds_asked();
        for _ in 0..30 {
            self.wait_a_minute().await;
        }
        assert_eq!(self.refunds_asked(), asked);
    }

    async fn wait_a_minute(&self) {
        self.clock.advance(Duration::from_secs(60));
        for _ in 0..60 {
            tokio::time::advance(Duration::from_secs(1)).await;
            tokio::task::yield_now().await;
        }
    }

    /// An operator takes all of Ann's tickets back.
    pub(super) async fn take_back(&self, order: OrderId) {
        let asked = TicketReturn {
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
        assert!(self.node.take_back(asked).await);
    }

    /// Once nothing more is owed that can be paid now.
    pub(super) async fn nothing_due(&self) {
        for _ in 0..100 {
            if self.attempts.due(None, 9).await.unwrap().is_empty() {
                return;
            }
            tokio::time::advance(Duration::from_secs(1)).await;
            tokio::task::yield_now().await;
        }
        panic!("something stays due");
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
    // A part of it is not what was agreed.
    till.provider.take(&attempt, Money { amount: attempt.money.amount - 1, ..attempt.money });
    assert!(till.payments.hear(attempt.id).await.unwrap());
    assert_eq!(till.end_of("p").await.status, AttemptStatus::CaptureFailed);
    till.provider.take(&attempt, attempt.money);
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
    till.take_back(order).await;
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
            let told = payments.charged_back(attempt.id, "n1", Some(attempt.money)).await;
            assert_eq!(told, Ok(true));
        }
        if policy {
            bob_gets_the_seat(&till).await;
        } else {
            let answer = till.event.submit(place("bob", "b", &[0]), PATIENCE).await.unwrap();
            assert!(matches!(answer.outcome, Outcome::Refused(_)), "{answer:?}");
        }
        let nobodys = AttemptId::derive(EVENT, &buyer("ann"), "nobody's");
        let told = payments.charged_back(nobodys, "n2", Some(attempt.money)).await;
        assert_eq!(told, Ok(false));
    }
}

#[tokio::test(start_paused = true)]
async fn a_capture_done_after_the_grace_is_given_back_with_the_seats() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "capture refused").await;
    let attempt = till.end_of("p").await;
    let over = till.attempts.step(attempt.id, &Step::GraceOver).await.unwrap();
    assert_eq!(over.status, AttemptStatus::ReturnDue);
    till.provider.take(&attempt, attempt.money);
    assert_eq!(till.payments.resume().await, Ok(1));
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Refunded);
    assert!(!till.provider.captured(attempt.id));
    bob_gets_the_seat(&till).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_bank_takes_back_of_one_attempt_leaves_what_another_paid_for() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "decline").await;
    let declined = till.end_of("p").await;
    till.pay(order, "q", "ok").await;
    assert_eq!(till.end_of("q").await.status, AttemptStatus::Captured);
    let told = till.payments.charged_back(declined.id, "n1", Some(declined.money)).await;
    assert_eq!(told, Ok(true));
    let answer = till.event.submit(place("bob", "b", &[0]), PATIENCE).await.unwrap();
    assert!(matches!(answer.outcome, Outcome::Refused(_)), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_bank_takes_back_in_part_or_cannot_have_taken_leaves_the_tickets() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "ok").await;
    let attempt = till.end_of("p").await;
    let whole = attempt.money.amount;
    for (name, amount, currency) in [
        ("part", whole - 1, "EUR"),
        ("nothing", 0, "EUR"),
        ("less than that", -whole, "EUR"),
        ("more than there was", whole + 1, "EUR"),
        ("another currency", whole, "JPY"),
        ("unreadable", whole, "??"),
    ] {
        let currency = Currency::parse(currency);
        let money = currency.map(|currency| Money { amount, currency });
        let told = till.payments.charged_back(attempt.id, name, money).await;
        assert_eq!(told, Ok(true), "{name}");
        let answer = till.event.submit(place("bob", name, &[0]), PATIENCE).await.unwrap();
        assert!(matches!(answer.outcome, Outcome::Refused(_)), "{name}: {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_banks_take_back_in_parts_makes_tickets_void_with_the_last() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "ok").await;
    let attempt = till.end_of("p").await;
    let half = Money { amount: attempt.money.amount / 2, ..attempt.money };
    let rest = Money { amount: attempt.money.amount - half.amount, ..half };
    for (notice, money) in [("n1", half), ("n1", half), ("all", attempt.money)] {
        let told = till.payments.charged_back(attempt.id, notice, Some(money)).await;
        assert_eq!(told, Ok(true), "{notice}");
        let answer = till.event.submit(place("bob", "b", &[0]), PATIENCE).await.unwrap();
        assert!(matches!(answer.outcome, Outcome::Refused(_)), "{notice}: {answer:?}");
    }
    assert_eq!(till.payments.charged_back(attempt.id, "n2", Some(rest)).await, Ok(true));
    bob_gets_the_seat(&till).await;
}

#[tokio::test(start_paused = true)]
async fn a_chargeback_before_the_capture_is_known_comes_again() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "challenge").await;
    let attempt = till.once("p", |it| it.status == AttemptStatus::RequiresAction).await;
    let told = till.payments.charged_back(attempt.id, "n1", Some(attempt.money)).await;
    assert_eq!(told, Err(NotHeard::NotTaken(AttemptStatus::RequiresAction)));
}

#[tokio::test(start_paused = true)]
async fn refunds_and_payments_do_not_wait_for_each_other() {
    let till = Till::open().await;
    let settings = PaymentSettings { attempts_in_work_max: 1, ..PaymentSettings::default() };
    let payments = payments_with(settings, &till.attempts, &till.provider, &till.node, &till.clock);
    let order = till.order("h1", 0).await;
    payments.open(till.new_attempt(order, "p", "ok")).await.unwrap();
    till.end_of("p").await;
    till.take_back(order).await;
    let other = till.order("h2", 1).await;
    payments.open(till.new_attempt(other, "q", "deaf")).await.unwrap();
    payments.keep_up();
    till.nothing_due().await;
    assert!(till.provider.questions().contains(&"refund"));
}

#[tokio::test(start_paused = true)]
async fn a_refund_that_is_refused_is_tried_again_in_an_hour() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "refund refused").await;
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Captured);
    till.take_back(order).await;
    till.payments.keep_up();
    till.nothing_due().await;
    let asked = || till.provider.questions().iter().filter(|it| **it == "refund").count();
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(asked(), 1);
    till.clock.advance(Duration::from_secs(3_600));
    assert_eq!(till.attempts.due(None, 9).await.unwrap().len(), 1);
    till.nothing_due().await;
    assert_eq!(asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_taken_unasked_and_is_not_given_back_is_tried_again_in_an_hour() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    let new = till.new_attempt(order, "p", "refund refused");
    let Opened::Created(attempt) = till.attempts.open(&new).await.unwrap() else { panic!("new") };
    till.provider.take(&attempt, attempt.money);
    assert_eq!(till.payments.resume().await, Ok(1));
    till.once("p", |it| it.status == AttemptStatus::RefundDue).await;
    till.payments.keep_up();
    let wait = async |minutes| {
        for _ in 0..minutes {
            assert!(till.payments.hear(attempt.id).await.unwrap());
            till.wait_a_minute().await;
        }
    };
    wait(30).await;
    assert_eq!(till.refunds_asked(), 1, "no news cuts it");
    wait(40).await;
    assert_eq!(till.refunds_asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_refund_that_a_bank_cut_down_is_looked_for_and_not_asked_for_as_it_was() {
    for (method, left) in
        [("refund unheard", 1), ("refund unheard", 0), ("refund unknown", 0), ("refund unknown", 1)]
    {
        let till = Till::open().await;
        let order = till.order("h1", 0).await;
        till.pay(order, "p", method).await;
        till.end_of("p").await;
        till.take_back(order).await;
        let refund = till.attempts.due(None, 9).await.unwrap().remove(0);
        till.payments.keep_up();
        till.wait_a_minute().await;
        let asked = till.refunds_asked();
        assert!(asked > 0);
        till.attempts.cut_down(refund.id, left);
        for _ in 0..30 {
            till.wait_a_minute().await;
        }
        let of_order = till.attempts.of_order(order).await.unwrap();
        let paid: Vec<_> = of_order.paid.iter().map(|it| it.money).collect();
        let is_paid = method == "refund unheard";
        assert_eq!(paid, if is_paid { vec![refund.money] } else { vec![] }, "{method} {left}");
        let goes_on = !is_paid && left > 0;
        assert_eq!(till.refunds_asked() > asked, goes_on, "{method} {left}");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_goes_on_asking_for_a_refund_that_another_process_was_refused() {
    let till = Till::open().await;
    let hour = Duration::from_secs(3_600);
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "refund unknown").await;
    till.end_of("p").await;
    till.take_back(order).await;
    let refund = till.attempts.due(None, 9).await.unwrap()[0].id;
    till.payments.keep_up();
    till.wait_a_minute().await;
    assert!(till.refunds_asked() > 0);
    till.attempts.refused(refund, 0, hour).await.unwrap();
    till.asks_for_no_refund().await;
}

#[tokio::test(start_paused = true)]
async fn nor_for_what_was_taken_unasked() {
    let till = Till::open().await;
    let again_after = Duration::from_secs(3_600);
    let order = till.order("h1", 0).await;
    let new = till.new_attempt(order, "p", "refund unknown");
    let Opened::Created(attempt) = till.attempts.open(&new).await.unwrap() else { panic!("new") };
    till.provider.take(&attempt, attempt.money);
    till.payments.keep_up();
    till.once("p", |it| it.status == AttemptStatus::RefundDue).await;
    till.wait_a_minute().await;
    assert!(till.refunds_asked() > 0);
    let refused = Step::RefundRefused { errors: 0, again_after };
    till.attempts.step(attempt.id, &refused).await.unwrap();
    till.asks_for_no_refund().await;
}

#[tokio::test(start_paused = true)]
async fn an_attempt_of_another_provider_is_left_alone() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    let mut new = till.new_attempt(order, "p", "ok");
    new.provider = "another".into();
    till.attempts.open(&new).await.unwrap();
    assert_eq!(till.payments.resume().await, Ok(0));
    assert!(till.payments.hear(new.id).await.unwrap());
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(till.provider.questions(), Vec::<&str>::new());
}

/// One order of a cancelled event, whose owner never takes it back.
struct Untaken {
    order: SoldOrder,
    looked: AtomicUsize,
}

impl LeftToGiveBack for Untaken {
    fn cancelled(&self) -> Later<'_, Result<Vec<CancelledEvent>, LeftUnknown>> {
        let cancelled = CancelledEvent { event: EVENT, who: "olga".into(), reason: "flood".into() };
        Box::pin(async { Ok(vec![cancelled]) })
    }

    fn in_force(
        &self,
        _: EventNumber,
        after: Option<OrderId>,
        _: u16,
    ) -> Later<'_, Result<Vec<SoldOrder>, LeftUnknown>> {
        Box::pin(async move {
            if after.is_some() {
                return Ok(Vec::new());
            }
            self.looked.fetch_add(1, Ordering::Relaxed);
            Ok(vec![self.order.clone()])
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_events_order_that_is_not_taken_back_is_asked_for_again_soon() {
    let till = Till::open().await;
    // Not sold, so its tickets cannot come back.
    let order = till.order("h1", 0).await;
    let order = till.attempts.sold(order).await.unwrap().expect("an order");
    let untaken = Arc::new(Untaken { order, looked: AtomicUsize::new(0) });
    let cancellations = Cancellations::new(Arc::clone(&till.node), untaken.clone());
    cancellations.keep_up();
    for _ in 0..40 {
        tokio::time::advance(Duration::from_millis(500)).await;
        tokio::task::yield_now().await;
    }
    let looked = untaken.looked.load(Ordering::Relaxed);
    assert!(looked >= 5, "{looked} looks in twenty seconds");
}
