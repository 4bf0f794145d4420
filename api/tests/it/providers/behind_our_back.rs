//! A buyer's page, or somebody at Stripe, goes on with a payment that had come to nothing here.

use serde_json::json;

use super::agreement::{NOTHING, given_back};
use super::provider::{LocalStripe, Provider};
use super::shop::{Order, PRICE, Shop};
use crate::stripe::local::VISA;

/// An order whose one attempt failed because the buyer did not do what the bank wanted, and then the
/// buyer's page tried the same payment again with a good card. The payment's path.
async fn declined_and_reserved_after_all(shop: &Shop<LocalStripe>) -> (Order, String) {
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    assert!(shop.provider.answer(&attempt, false).await);
    shop.until(&order, "declined").await;
    let reference = attempt["provider_reference"].as_str().expect("a reference");
    let path = format!("/v1/payment_intents/{reference}");
    let stripe = &shop.provider.0;
    let method = stripe.method(VISA).await;
    stripe.post(&path, &[("payment_method", &method)]).await;
    let record = stripe.post(&format!("{path}/confirm"), &[]).await;
    assert_eq!(record["status"], "requires_capture");
    (order, path)
}

#[tokio::test]
async fn what_is_reserved_after_all_is_let_go_when_stripe_tells() {
    let shop = Shop::<LocalStripe>::open("reserved_after_all").await;
    let (order, path) = declined_and_reserved_after_all(&shop).await;
    // localstripe does not tell of this one.
    let attempt = shop.attempt(&order, &["declined"]).await;
    shop.tell(&LocalStripe::notice("told", &order.id, &attempt)).await;
    shop.attempt(&order, &["voided"]).await;
    assert_eq!(shop.provider.0.get(&path).await["status"], json!("canceled"));
    assert_eq!(shop.agreed([&order]).await, [NOTHING]);
}

#[tokio::test]
async fn what_is_taken_after_all_is_given_back_when_localstripe_tells() {
    let shop = Shop::<LocalStripe>::open("taken_after_all").await;
    shop.listen().await;
    let (order, path) = declined_and_reserved_after_all(&shop).await;
    // By hand, at Stripe. Nobody asks about the attempt any more: only the webhook brings it back.
    shop.provider.0.post(&format!("{path}/capture"), &[]).await;
    shop.attempt(&order, &["refunded"]).await;
    assert_eq!(shop.agreed([&order]).await, [given_back(PRICE)]);
}
