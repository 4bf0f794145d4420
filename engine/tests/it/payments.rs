//! Attempts from intent to money, in paused time: whatever the provider says or does not say, nobody
//! pays for seats that are another's, and nobody's seats are kept without money.

mod odds;
mod returns;
mod steps;
mod undone;

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::clock::ManualClock;
use taquilla_engine::command::Command;
use taquilla_engine::event::Terms;
use taquilla_engine::id::{AttemptId, HoldId, OrderId};
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use taquilla_engine::order::OrderStatus;
use taquilla_engine::payment::memory::{MemoryAttempts, MemoryProvider};
use taquilla_engine::payment::{Attempt, AttemptStatus, Attempts, NewAttempt, Opened};
use taquilla_engine::runtime::{
    EventHandle, Node, PaymentSettings, PaymentWorld, Payments, Settings,
};
use taquilla_engine::waiting_room::admission::Admission;

use crate::desk::{EVENT, buyer, keyed, place, terms};
use crate::moody::PATIENCE;

/// Seats that there are, and so orders: more than a page of unfinished attempts.
const ORDERS: u32 = 300;

struct Till {
    clock: Arc<ManualClock>,
    node: Arc<Node>,
    event: EventHandle,
    attempts: Arc<MemoryAttempts>,
    provider: Arc<MemoryProvider>,
    payments: Arc<Payments>,
}

impl Till {
    async fn open() -> Self {
        Self::selling(terms(ORDERS)).await
    }

    async fn selling(terms: Terms) -> Self {
        let journal = Arc::new(MemoryJournal::default());
        let clock = Arc::new(ManualClock::new(Moment(0)));
        let node = Node::start(journal.clone(), clock.clone(), Settings::default()).await;
        let event = node.open(terms);
        let euro = Currency::parse("EUR").unwrap();
        let attempts = Arc::new(MemoryAttempts::new(journal, clock.clone(), euro));
        let provider = Arc::new(MemoryProvider::default());
        let payments = payments(&attempts, &provider, &node, &clock);
        Self { clock, node, event, attempts, provider, payments }
    }

    /// Ann holds a seat and orders it.
    async fn order(&self, key: &str, seat: u32) -> OrderId {
        self.order_of("ann", key, seat).await
    }

    async fn order_of(&self, who: &str, key: &str, seat: u32) -> OrderId {
        self.event.submit(place(who, key, &[seat]), PATIENCE).await.unwrap();
        let hold = HoldId::derive(EVENT, &buyer(who), key);
        let command = Command::PlaceOrder {
            buyer: buyer(who),
            keyed: keyed(key, ""),
            hold,
            admission: Some(Admission::ALWAYS),
        };
        let answer = self.event.submit(command, PATIENCE).await.unwrap();
        assert!(matches!(answer.outcome, Outcome::Order { .. }), "{answer:?}");
        OrderId::of(hold)
    }

    fn new_attempt(&self, order: OrderId, key: &str, method: &str) -> NewAttempt {
        NewAttempt {
            id: AttemptId::derive(EVENT, &buyer("ann"), key),
            order,
            buyer: buyer("ann"),
            fingerprint: keyed(key, method).fingerprint,
            method: method.into(),
            provider: self.payments.provider().into(),
        }
    }

    async fn pay(&self, order: OrderId, key: &str, method: &str) -> Opened {
        self.payments.open(self.new_attempt(order, key, method)).await.unwrap()
    }

    /// The attempt, once nothing more can become of it.
    async fn end_of(&self, key: &str) -> Attempt {
        self.once(key, |attempt| attempt.status.is_final()).await
    }

    /// The attempt, once it is so.
    async fn once(&self, key: &str, is_so: impl Fn(&Attempt) -> bool) -> Attempt {
        let id = AttemptId::derive(EVENT, &buyer("ann"), key);
        for _ in 0..1_000 {
            let attempt = self.attempts.find(id).await.unwrap().unwrap();
            if is_so(&attempt) {
                return attempt;
            }
            tokio::time::advance(Duration::from_millis(500)).await;
            tokio::task::yield_now().await;
        }
        panic!("attempt {key} does not come to it: {:?}", self.provider.questions());
    }

    async fn order_status(&self, order: OrderId) -> OrderStatus {
        let hold = self.event.submit(
            Command::PlaceOrder {
                buyer: buyer("ann"),
                keyed: keyed(&format!("look {order}"), ""),
                hold: self.hold_of(order),
                admission: Some(Admission::ALWAYS),
            },
            PATIENCE,
        );
        match hold.await.unwrap().outcome {
            Outcome::Order { order, .. } => order.status,
            other => panic!("{other:?}"),
        }
    }

    fn hold_of(&self, order: OrderId) -> HoldId {
        (0..10)
            .map(|n| HoldId::derive(EVENT, &buyer("ann"), &format!("h{n}")))
            .find(|hold| OrderId::of(*hold) == order)
            .unwrap()
    }
}

fn payments(
    attempts: &Arc<MemoryAttempts>,
    provider: &Arc<MemoryProvider>,
    node: &Arc<Node>,
    clock: &Arc<ManualClock>,
) -> Arc<Payments> {
    payments_with(PaymentSettings::default(), attempts, provider, node, clock)
}

fn payments_with(
    settings: PaymentSettings,
    attempts: &Arc<MemoryAttempts>,
    provider: &Arc<MemoryProvider>,
    node: &Arc<Node>,
    clock: &Arc<ManualClock>,
) -> Arc<Payments> {
    let bells = Arc::clone(node.bells());
    let world = PaymentWorld {
        attempts: attempts.clone(),
        refunds: attempts.clone(),
        provider: provider.clone(),
        seats: node.clone(),
        bells,
        clock: clock.clone(),
    };
    Payments::new(settings, world)
}

#[tokio::test(start_paused = true)]
async fn an_authorised_attempt_sells_the_seats_and_is_captured() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    assert!(matches!(till.pay(order, "p", "ok").await, Opened::Created(_)));
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Captured);
    assert!(till.provider.captured(attempt.id));
    assert_eq!(till.order_status(order).await, OrderStatus::Confirmed);
    assert_eq!(till.provider.questions(), ["authorise", "capture"]);
}

#[tokio::test(start_paused = true)]
async fn a_declined_attempt_leaves_the_order_open_for_another() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "decline").await;
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Declined);
    assert_eq!(attempt.failure.unwrap().code, "card_declined");
    till.pay(order, "q", "ok").await;
    assert_eq!(till.end_of("q").await.status, AttemptStatus::Captured);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_lost_is_asked_for_and_never_repeated_blind() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "lost").await;
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Captured);
    assert_eq!(till.provider.questions(), ["authorise", "find", "capture"]);
}

#[tokio::test(start_paused = true)]
async fn an_authorisation_that_comes_after_the_holds_end_is_voided() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "lost").await;
    till.clock.advance(Duration::from_secs(120));
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Voided);
    assert!(!till.provider.captured(attempt.id) && !till.provider.reserved(attempt.id));
    assert_eq!(till.order_status(order).await, OrderStatus::Expired);
}

#[tokio::test(start_paused = true)]
async fn an_authorisation_for_a_cancelled_order_is_voided() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "lost").await;
    let cancel = Command::CancelOrder { buyer: buyer("ann"), order };
    till.event.submit(cancel, PATIENCE).await.unwrap();
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Voided);
    assert_eq!(till.order_status(order).await, OrderStatus::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_record_of_another_amount_goes_back_and_confirms_nothing() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "short").await;
    let attempt = till.end_of("p").await;
    assert_eq!(attempt.status, AttemptStatus::Voided);
    assert_eq!(attempt.failure.unwrap().code, "authorisation_mismatch");
    assert_eq!(till.order_status(order).await, OrderStatus::Open);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_of_an_earlier_process_is_asked_for_by_its_key_first() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    let new = till.new_attempt(order, "p", "ok");
    let Opened::Created(attempt) = till.attempts.open(&new).await.unwrap() else {
        panic!("the intent is recorded")
    };
    // The process died here: the provider may have heard of the key or not.
    let next = payments(&till.attempts, &till.provider, &till.node, &till.clock);
    assert_eq!(next.resume().await.unwrap(), 1);
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Captured);
    assert_eq!(till.provider.questions(), ["find", "authorise", "capture"]);
    assert!(till.provider.captured(attempt.id));
}

#[tokio::test(start_paused = true)]
async fn an_intent_whose_recording_was_not_acknowledged_is_carried_on() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.attempts.open(&till.new_attempt(order, "p", "ok")).await.unwrap();
    // Its buyer asks again and is told of the attempt, which nobody works on yet.
    assert!(matches!(till.pay(order, "p", "ok").await, Opened::Replayed(_)));
    assert_eq!(till.end_of("p").await.status, AttemptStatus::Captured);

    let order = till.order("h2", 1).await;
    till.attempts.open(&till.new_attempt(order, "q", "ok")).await.unwrap();
    till.payments.keep_up();
    assert_eq!(till.end_of("q").await.status, AttemptStatus::Captured, "nobody asked");
}

#[tokio::test(start_paused = true)]
async fn one_attempt_is_open_at_a_time_and_a_key_stands_for_its_own() {
    let till = Till::open().await;
    let order = till.order("h1", 0).await;
    till.pay(order, "p", "lost").await;
    assert!(matches!(till.pay(order, "q", "ok").await, Opened::OrderNotPayable { .. }));
    assert!(matches!(till.pay(order, "p", "lost").await, Opened::Replayed(_)));
    assert_eq!(till.pay(order, "p", "ok").await, Opened::KeyReused);
    till.end_of("p").await;
}

#[tokio::test(start_paused = true)]
async fn unfinished_attempts_are_carried_on_page_by_page_as_far_as_there_are_permits() {
    let till = Till::open().await;
    let mut keys = Vec::new();
    // More than a page of them, as an earlier process left them.
    for n in 0..ORDERS {
        let order = till.order_of(&format!("buyer {n}"), "h1", n).await;
        let new = till.new_attempt(order, &format!("p{n}"), "ok");
        let new = NewAttempt { buyer: buyer(&format!("buyer {n}")), ..new };
        till.attempts.open(&new).await.unwrap();
        keys.push(format!("p{n}"));
    }
    // All of them are as old, so their ids tell which is next.
    keys.sort_by_key(|key| AttemptId::derive(EVENT, &buyer("ann"), key));
    let settings = PaymentSettings { attempts_in_work_max: 280, ..PaymentSettings::default() };
    let next = payments_with(settings, &till.attempts, &till.provider, &till.node, &till.clock);
    assert_eq!(next.resume().await.unwrap(), 280, "nobody waits for a permit");
    for key in &keys[..280] {
        assert_eq!(till.end_of(key).await.status, AttemptStatus::Captured);
    }
    assert_eq!(next.resume().await.unwrap(), (ORDERS - 280) as usize);
    for key in &keys[280..] {
        assert_eq!(till.end_of(key).await.status, AttemptStatus::Captured);
    }
    assert_eq!(next.resume().await.unwrap(), 0);
}
