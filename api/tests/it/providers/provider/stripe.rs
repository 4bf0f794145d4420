//! Stripe's adapter over localstripe.

use std::sync::Arc;

use axum::http::Method;
use reqwest::Url;
use serde_json::{Value, json};
use taquilla_api::payment_provider::stripe::{STRIPE, StripeNotices, StripeProvider};
use taquilla_api::payment_provider::{NoticeReader, SignedWith};
use taquilla_engine::clock::Clock;
use taquilla_engine::payment::PaymentProvider;

use super::{Books, Pays, Provider};
use crate::providers::wire::Step;
use crate::stripe::local::{ASKS_THE_BUYER, DECLINED, Local, VISA, settings};

pub(in crate::providers) struct LocalStripe(pub(in crate::providers) Local);

impl LocalStripe {
    /// Its payment intents that are of this order.
    async fn intents(&self, order: &str) -> Vec<Value> {
        let listed = self.0.get("/v1/payment_intents?limit=100").await;
        assert_eq!(listed["has_more"], false, "a test makes fewer");
        let mut intents = listed["data"].as_array().expect("a list").clone();
        intents.retain(|intent| intent["metadata"]["order_id"] == order);
        intents
    }
}

/// An event of a dispute.
pub(in crate::providers) fn dispute(id: &str, kind: &str, attempt: &Value, amount: i64) -> Value {
    let currency = attempt["amount"]["currency"].as_str().expect("a currency").to_lowercase();
    let object = json!({"id": "dp_1", "object": "dispute", "amount": amount, "currency": currency,
        "charge": "ch_1", "payment_intent": attempt["provider_reference"], "reason": "fraudulent",
        "status": "needs_response", "metadata": {}});
    json!({"id": id, "object": "event", "type": kind, "data": {"object": object}})
}

impl Provider for LocalStripe {
    const NAME: &'static str = STRIPE;
    const SIGNATURE: &'static str = "stripe-signature";
    const STEPS: &'static [Step] = &[Step::Open, Step::Authorise, Step::Capture, Step::Refund];

    async fn start() -> Self {
        Self(Local::start().await)
    }

    fn base(&self) -> Url {
        self.0.base.clone()
    }

    fn step(method: &Method, path: &str) -> Step {
        match path.rsplit('/').next() {
            _ if method == Method::GET => Step::Look,
            Some("confirm") => Step::Authorise,
            Some("capture") => Step::Capture,
            Some("cancel") => Step::Void,
            Some("refunds") => Step::Refund,
            _ => Step::Open,
        }
    }

    fn adapter(base: Url, clock: Arc<dyn Clock>) -> Arc<dyn PaymentProvider> {
        Arc::new(StripeProvider::new(Local::client_at(base), settings(), clock))
    }

    fn reader(secret: &str) -> Arc<dyn NoticeReader> {
        Arc::new(StripeNotices::new(SignedWith::new([secret.into()])))
    }

    async fn method(&self, pays: Pays) -> String {
        let card = match pays {
            Pays::Well => VISA,
            Pays::Declined => DECLINED,
            Pays::Challenged => ASKS_THE_BUYER,
        };
        self.0.method(card).await
    }

    async fn answer(&self, attempt: &Value, does: bool) -> bool {
        let reference = attempt["provider_reference"].as_str().expect("a reference");
        let secret = attempt["next_action"]["client_secret"].as_str().expect("a secret");
        self.0.authenticate(reference, secret, does).await
    }

    async fn let_go(&self, attempt: &Value) {
        let reference = attempt["provider_reference"].as_str().expect("a reference");
        self.0.post(&format!("/v1/payment_intents/{reference}/cancel"), &[]).await;
    }

    async fn books(&self, order: &str) -> Books {
        let mut books = Books::default();
        for intent in self.intents(order).await {
            let amount = intent["amount"].as_i64().expect("cents");
            match intent["status"].as_str().expect("a status") {
                "requires_capture" => books.reserved += amount,
                "succeeded" => {
                    books.captured += amount;
                    let reference = intent["id"].as_str().expect("a name");
                    let path = format!("/v1/refunds?limit=100&payment_intent={reference}");
                    let refunds = self.0.get(&path).await;
                    let refunds = refunds["data"].as_array().expect("a list").iter();
                    let refunds = refunds.filter(|it| it["status"] != "failed");
                    books.refunded +=
                        refunds.map(|it| it["amount"].as_i64().expect("cents")).sum::<i64>();
                }
                "canceled"
                | "requires_action"
                | "requires_confirmation"
                | "requires_payment_method" => {}
                status => panic!("{status}"),
            }
        }
        books
    }

    async fn records(&self, order: &str) -> usize {
        self.intents(order).await.len()
    }

    fn notice(id: &str, order: &str, attempt: &Value) -> Value {
        let money = &attempt["amount"];
        let currency = money["currency"].as_str().expect("a currency").to_lowercase();
        let object = json!({"id": attempt["provider_reference"], "object": "payment_intent",
            "amount": money["amount"], "currency": currency, "status": "requires_capture",
            "metadata": {"order_id": order, "attempt_id": attempt["attempt_id"]}});
        json!({"id": id, "object": "event", "type": "payment_intent.amount_capturable_updated",
               "data": {"object": object}})
    }

    /// localstripe knows no disputes: only the notice is Stripe's.
    async fn charge_back(&self, id: &str, _: &str, attempt: &Value, amount: i64) -> Value {
        dispute(id, "charge.dispute.funds_withdrawn", attempt, amount)
    }

    async fn tell(&self, url: &Url, secret: &str) {
        self.0.post("/_config/webhooks/us", &[("url", url.as_str()), ("secret", secret)]).await;
    }
}
