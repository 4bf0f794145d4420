//! Refunds that a buyer's bank does not take: Stripe tells days later.

use serde_json::{Value, json};

use super::agreement::{given_back, taken};
use super::provider::LocalStripe;
use super::shop::{Order, Shop};

const DUE_AGAIN: &str = "SELECT bool_and(status = 'due' AND errors = 1 AND \
    again_at > clock_timestamp() + interval '50 minutes') FROM refunds";
const SETTLED: &str = "SELECT bool_and(settled_at IS NOT NULL) FROM provider_notices";

impl Shop<LocalStripe> {
    /// Those of the order's payment, newest first.
    async fn refunds(&self, order: &Order) -> Vec<Value> {
        let attempt = self.attempt(order, &["captured"]).await;
        let reference = attempt["provider_reference"].as_str().expect("a reference");
        let path = format!("/v1/refunds?limit=100&payment_intent={reference}");
        self.provider.0.get(&path).await["data"].as_array().expect("a list").clone()
    }

    /// Its money comes back to us: an event of this kind says so.
    async fn refund_failed(&self, id: &str, kind: &str, refund: &Value) {
        let name = refund["id"].as_str().expect("a name");
        let failed = self.provider.0.post(&format!("/v1/refunds/{name}/_fail"), &[]).await;
        assert_eq!(failed["status"], "failed");
        self.tell_of(id, kind, failed).await;
    }

    async fn tell_of(&self, id: &str, kind: &str, object: Value) {
        let event = json!({"id": id, "object": "event", "type": kind, "data": {"object": object}});
        self.tell(&event).await;
    }
}

#[tokio::test]
async fn a_refund_that_comes_back_is_owed_again_until_another_reaches_its_buyer() {
    let shop = Shop::<LocalStripe>::open("refund_comes_back").await;
    let order = shop.sold("ana", &["A-1-1", "A-1-2"]).await;
    shop.give_back(&order, "all", None).await;
    shop.until(&order, "refunded").await;
    assert_eq!(shop.agreed([&order]).await, [given_back(order.total)]);

    let first = shop.refunds(&order).await[0].clone();
    shop.refund_failed("f1", "refund.failed", &first).await;
    shop.rows.until(DUE_AGAIN).await;
    let seen = shop.read(&order).await;
    assert_eq!(seen["status"], "refunded", "an end is never taken back");
    assert_eq!(seen["refunded"], Value::Null, "nothing is with the buyer: {seen}");
    assert_eq!(shop.ours(&order).await, taken(order.total), "nor booked so");
    // The same failure by another event, and no second reverse.
    shop.refund_failed("f2", "charge.refund.updated", &first).await;
    shop.rows.until(SETTLED).await;
    assert_eq!(shop.ours(&order).await, taken(order.total));

    shop.rows.change("UPDATE refunds SET again_at = clock_timestamp()").await;
    shop.rows.until("SELECT bool_and(status = 'settled') FROM refunds").await;
    let seen = shop.read(&order).await;
    assert_eq!(seen["refunded"]["amount"], order.total);
    // Late, and of the first one: the second stands.
    shop.refund_failed("f3", "refund.updated", &first).await;
    shop.rows.until(SETTLED).await;
    assert_eq!(shop.read(&order).await["status"], "refunded");
    let statuses = shop.refunds(&order).await;
    let statuses: Vec<_> = statuses.iter().map(|it| it["status"].clone()).collect();
    assert_eq!((statuses.len(), statuses.contains(&json!("succeeded"))), (2, true), "{statuses:?}");
    assert_eq!(shop.agreed([&order]).await, [given_back(order.total)]);
}
