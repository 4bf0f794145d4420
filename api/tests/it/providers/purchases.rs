//! Purchases that go as they should, or are given up.

use axum::http::Method;
use serde_json::json;

use super::agreement::{NOTHING, taken};
use super::provider::{Books, Pays, Provider};
use super::shop::{PRICE, Shop};
use super::wire::Step;

pub(super) async fn a_good_payment_is_captured<P: Provider>() {
    let shop = Shop::<P>::open("captured").await;
    let order = shop.order("ana", &["A-1-1"]).await;
    let opened = shop.pay(&order, "pay", Pays::Well).await;
    assert_eq!((&opened["status"], &opened["provider"]), (&json!("pending"), &json!(P::NAME)));
    let paid = shop.until(&order, "captured").await;
    assert_eq!(paid["attempts"].as_array().map(Vec::len), Some(1));
    assert!(paid["attempts"][0]["provider_reference"].is_string(), "{paid}");
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
    assert_eq!(order.total, PRICE);
}

pub(super) async fn who_was_declined_buys_by_another_method<P: Provider>() {
    let shop = Shop::<P>::open("declined").await;
    let order = shop.order("ana", &["A-1-1"]).await;
    shop.pay(&order, "pay", Pays::Declined).await;
    let declined = shop.until(&order, "declined").await;
    assert_eq!(declined["attempts"][0]["failure"]["code"], "card_declined");
    shop.pay(&order, "again", Pays::Well).await;
    let paid = shop.until(&order, "captured").await;
    let statuses: Vec<_> =
        paid["attempts"].as_array().expect("attempts").iter().map(|it| &it["status"]).collect();
    assert_eq!(statuses, ["declined", "captured"]);
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn a_free_order_never_meets_the_provider<P: Provider>() {
    let shop = Shop::<P>::open("free").await;
    let body = json!({"event_id": shop.event, "general": [{"section": "FLOOR", "quantity": 2}]});
    let hold = shop.office.buyer("ana", Method::POST, "/holds").key("hold").json(&body);
    let hold = hold.send().await.ok(201);
    let order = shop.office.order("ana", "order", &hold["hold_id"]).send().await.ok(201);
    assert_eq!((&order["status"], &order["total"]["amount"]), (&json!("captured"), &json!(0)));
    let paid = shop.office.pay("ana", "pay", &order["order_id"], "any").send().await;
    assert_eq!(paid.problem(409, "hold-not-active")["hold_status"], "converted");
    assert_eq!(shop.wire.asked(), []);
    assert_eq!(shop.office.tickets("ana", &order["order_id"]).await.len(), 2);
}

pub(super) async fn an_order_given_up_while_its_buyer_is_asked_moves_no_money<P: Provider>() {
    let shop = Shop::<P>::open("given_up_asked").await;
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    shop.cancel(&order).await;
    let resold = shop.sold("bob", &["A-1-1"]).await;
    shop.attempt(&order, &["failed"]).await;
    assert!(!shop.provider.answer(&attempt, true).await, "the bank's page has nothing to ask");
    assert_eq!(shop.agreed([&order, &resold]).await, [NOTHING, taken(PRICE)]);
    assert_eq!(shop.read(&order).await["status"], "cancelled");
}

pub(super) async fn an_order_given_up_while_money_is_reserved_lets_it_go<P: Provider>() {
    let shop = Shop::<P>::open("given_up_reserved").await;
    let order = shop.order("ana", &["A-1-1"]).await;
    let answer = shop.wire.hold(Step::Authorise);
    shop.pay(&order, "pay", Pays::Well).await;
    answer.until_done().await;
    let reserved = Books { reserved: PRICE, ..NOTHING };
    assert_eq!(shop.provider.books(&order.id).await, reserved);
    shop.cancel(&order).await;
    let resold = shop.sold("bob", &["A-1-1"]).await;
    drop(answer);
    shop.attempt(&order, &["voided"]).await;
    assert_eq!(shop.agreed([&order, &resold]).await, [NOTHING, taken(PRICE)]);
    assert_eq!(shop.read(&order).await["status"], "cancelled");
}

/// At the provider, by hand, before the capture arrives.
pub(super) async fn a_reservation_that_is_gone_before_the_capture_is_told<P: Provider>() {
    let shop = Shop::<P>::open("gone").await;
    let order = shop.order("ana", &["A-1-1"]).await;
    shop.wire.cut(Step::Capture);
    shop.pay(&order, "pay", Pays::Well).await;
    shop.wire.until_met(1).await;
    shop.provider.let_go(&shop.attempt(&order, &["authorized"]).await).await;
    shop.wire.mend(Step::Capture);
    shop.until(&order, "capture_failed").await;
    assert_eq!(shop.provider.books(&order.id).await, NOTHING);
    // Ours are not closed before somebody settles it, or the grace is over.
    assert_eq!(shop.ours(&order).await, Books { reserved: PRICE, ..NOTHING });
    shop.reconciled().await;
}
