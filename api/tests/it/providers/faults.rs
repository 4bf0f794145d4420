//! A wire that loses requests and answers, and a provider that fails: whatever happens to a step, it ends
//! in one way, and no money moves twice.

use super::agreement::{NOTHING, given_back, taken};
use super::provider::{Pays, Provider};
use super::shop::{Order, PRICE, Shop};
use super::wire::{Fault, Step};

/// Another seat for each fault.
const SEATS: [&str; 4] = ["A-1-1", "A-1-2", "A-1-3", "A-1-4"];

/// Each fault with an order of a buyer of its name.
async fn orders<P: Provider>(shop: &Shop<P>) -> [(Fault, Order); 4] {
    let mut orders = Vec::new();
    for (fault, seat) in Fault::ALL.into_iter().zip(SEATS) {
        orders.push((fault, shop.order(&format!("{fault:?}"), &[seat]).await));
    }
    orders.try_into().unwrap_or_else(|_| panic!("as many as there are faults"))
}

async fn purchases_spoilt_at<P: Provider>(name: &str, step: Step) {
    let shop = Shop::<P>::open(name).await;
    let orders = orders(&shop).await;
    for (fault, order) in &orders {
        shop.wire.spoil(step, *fault);
        shop.buy(order).await;
    }
    let orders = orders.each_ref().map(|(_, order)| order);
    assert_eq!(shop.agreed(orders).await, [taken(PRICE); 4]);
}

pub(super) async fn a_spoilt_opening_ends_in_one_purchase<P: Provider>() {
    purchases_spoilt_at::<P>("spoilt_opening", Step::Open).await;
}

pub(super) async fn a_spoilt_authorisation_ends_in_one_purchase<P: Provider>() {
    purchases_spoilt_at::<P>("spoilt_authorisation", Step::Authorise).await;
}

pub(super) async fn a_spoilt_capture_ends_in_one_purchase<P: Provider>() {
    purchases_spoilt_at::<P>("spoilt_capture", Step::Capture).await;
}

pub(super) async fn a_spoilt_look_ends_in_one_purchase<P: Provider>() {
    let shop = Shop::<P>::open("spoilt_look").await;
    let orders = orders(&shop).await;
    for (fault, order) in &orders {
        shop.wire.spoil(Step::Authorise, Fault::LosesAnswer);
        shop.wire.spoil(Step::Look, *fault);
        shop.buy(order).await;
    }
    let orders = orders.each_ref().map(|(_, order)| order);
    assert_eq!(shop.agreed(orders).await, [taken(PRICE); 4]);
}

/// Of money that is reserved for an order that is no more.
pub(super) async fn a_spoilt_void_lets_the_money_go<P: Provider>() {
    let shop = Shop::<P>::open("spoilt_void").await;
    let orders = orders(&shop).await;
    for (fault, order) in &orders {
        let answer = shop.wire.hold(Step::Authorise);
        shop.pay(order, "pay", Pays::Well).await;
        answer.until_done().await;
        shop.cancel(order).await;
        shop.wire.spoil(Step::Void, *fault);
        drop(answer);
        shop.attempt(order, &["voided"]).await;
    }
    let orders = orders.each_ref().map(|(_, order)| order);
    assert_eq!(shop.agreed(orders).await, [NOTHING; 4]);
    for order in orders {
        assert_eq!(shop.read(order).await["status"], "cancelled");
    }
}

/// Of an attempt whose buyer is asked by the bank, for an order that is no more.
pub(super) async fn a_spoilt_withdrawal_moves_no_money<P: Provider>() {
    let shop = Shop::<P>::open("spoilt_withdrawal").await;
    let orders = orders(&shop).await;
    for (fault, order) in &orders {
        shop.pay(order, "pay", Pays::Challenged).await;
        let attempt = shop.attempt(order, &["requires_action"]).await;
        shop.wire.spoil(Step::Void, *fault);
        shop.cancel(order).await;
        shop.attempt(order, &["failed", "declined"]).await;
        assert!(!shop.provider.answer(&attempt, true).await, "{fault:?}");
    }
    let orders = orders.each_ref().map(|(_, order)| order);
    assert_eq!(shop.agreed(orders).await, [NOTHING; 4]);
}

pub(super) async fn a_spoilt_refund_gives_back_once<P: Provider>() {
    let shop = Shop::<P>::open("spoilt_refund").await;
    let orders = orders(&shop).await;
    for (fault, order) in &orders {
        shop.buy(order).await;
        shop.wire.spoil(Step::Refund, *fault);
        shop.give_back(order, "all", None).await;
        shop.until(order, "refunded").await;
    }
    let orders = orders.each_ref().map(|(_, order)| order);
    assert_eq!(shop.agreed(orders).await, [given_back(PRICE); 4]);
}

/// Lost, failed, and in the end done without a word or with the wrong one.
pub(super) async fn a_purchase_that_meets_every_fault_at_every_step_ends_right<P: Provider>() {
    let shop = Shop::<P>::open("every_fault").await;
    let days = [
        ("ana", "A-1-1", [Fault::LosesRequest, Fault::Fails, Fault::LosesAnswer]),
        ("bob", "A-1-2", [Fault::Fails, Fault::LosesRequest, Fault::FailsAfterwards]),
    ];
    let mut orders = Vec::new();
    for (buyer, seat, faults) in days {
        let steps = P::STEPS.iter().chain([&Step::Look]);
        for (step, fault) in steps.flat_map(|step| faults.map(|fault| (*step, fault))) {
            shop.wire.spoil(step, fault);
        }
        let order = shop.order(buyer, &[seat]).await;
        shop.buy(&order).await;
        shop.give_back(&order, "all", None).await;
        shop.until(&order, "refunded").await;
        orders.push(order);
    }
    let given_back = given_back(PRICE);
    assert_eq!(shop.agreed([&orders[0], &orders[1]]).await, [given_back; 2]);
}

pub(super) async fn a_question_whose_answer_was_lost_is_repeated_as_the_same<P: Provider>() {
    let shop = Shop::<P>::open("repeated").await;
    shop.wire.spoil(P::STEPS[0], Fault::LosesAnswer);
    let order = shop.sold("ana", &["A-1-1"]).await;
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
    assert_eq!(shop.provider.records(&order.id).await, 1);
}
