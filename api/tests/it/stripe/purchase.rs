//! Whole purchases over our HTTP edge, with localstripe as Stripe and its webhooks coming back to us.

use std::sync::Arc;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_api::payment_provider::stripe::{STRIPE, StripeNotices, StripeProvider};
use taquilla_api::payment_provider::{NoticeReader, SignedWith};
use taquilla_api::webhooks::Webhooks;
use taquilla_persistence::database::Database;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::inbox::Inbox;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch;
use tokio::net::TcpListener;

use super::events::signature;
use super::local::{ASKS_THE_BUYER, DECLINED, Local, VISA, settings};
use crate::edge::{BoxOffice, event_form};

const SECRET: &str = "whsec_between_us";

/// An edge that sells for Stripe, on a socket that its webhooks reach.
struct Shop {
    office: BoxOffice,
    local: Local,
    event: String,
}

impl Shop {
    async fn open(name: &str) -> Self {
        let local = Local::start().await;
        let database = scratch::shared().await.migrated_database(name).await.expect("a database");
        let pool = Pool::new(&database).expect("a pool");
        let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("the database's time"));
        let provider = StripeProvider::new(local.client(), settings(), clock.clone());
        let mut office = BoxOffice::over(database.clone(), Arc::new(provider)).await;
        let secrets = SignedWith::new(["whsec_of_before".into(), SECRET.into()]);
        let reader: Arc<dyn NoticeReader> = Arc::new(StripeNotices::new(secrets));
        let inbox = Inbox::new(Database::new(pool, &database));
        office.app.webhooks = Webhooks::new(inbox, vec![(STRIPE, reader)], clock);
        office.app.webhooks.keep_up(&office.app.payments);

        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let edge = listener.local_addr().expect("an address");
        let router = office.router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let url = format!("http://{edge}/payments/webhooks/stripe");
        local.post("/_config/webhooks/us", &[("url", &url), ("secret", SECRET)]).await;
        let event = office.create_event(&event_form()).await;
        Self { office, local, event }
    }

    async fn order(&self, seat: &str) -> Value {
        let hold = self.office.hold("ana", "hold", &self.event, &[seat]).send().await.ok(201);
        self.office.order("ana", "order", &hold["hold_id"]).send().await.ok(201)
    }

    async fn pay(&self, key: &str, order: &Value, card: &str) {
        let method = self.local.method(card).await;
        self.office.pay("ana", key, &order["order_id"], &method).send().await.ok(202);
    }

    /// Reads until it is so; each read waits for a change.
    async fn once(&self, order: &Value, is_so: impl Fn(&Value) -> bool) -> Value {
        let order = order["order_id"].as_str().expect("an id");
        for _ in 0..20 {
            let path = format!("/orders/{order}?wait_seconds=5");
            let order = self.office.read("ana", &path).send().await.ok(200);
            if is_so(&order) {
                return order;
            }
        }
        panic!("it never comes to that");
    }

    async fn settled(&self, order: &Value, status: &str) -> Value {
        self.once(order, |order| order["status"] == status).await
    }

    /// What its page is told when the bank asks the buyer: reference and secret.
    async fn asked(&self, order: &Value) -> (String, String) {
        let order = self.once(order, |it| it["attempts"][0]["status"] == "requires_action").await;
        let attempt = &order["attempts"][0];
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        (text(&attempt["provider_reference"]), text(&attempt["next_action"]["client_secret"]))
    }

    /// An order whose one attempt failed because the buyer did not do what the bank wanted, and then the
    /// buyer's page tried the same payment again with a good card, behind our back.
    async fn declined_and_reserved_after_all(&self) -> (Value, String) {
        let order = self.order("A-1-1").await;
        self.pay("pay", &order, ASKS_THE_BUYER).await;
        let (reference, secret) = self.asked(&order).await;
        self.local.authenticate(&reference, &secret, false).await;
        self.settled(&order, "declined").await;
        let path = format!("/v1/payment_intents/{reference}");
        let method = self.local.method(VISA).await;
        self.local.post(&path, &[("payment_method", &method)]).await;
        let record = self.local.post(&format!("{path}/confirm"), &[]).await;
        assert_eq!(record["status"], "requires_capture");
        (order, reference)
    }

    /// Stripe's record of the order's first attempt.
    async fn record(&self, order: &Value) -> Value {
        let reference = order["attempts"][0]["provider_reference"].as_str().expect("a reference");
        self.local.get(&format!("/v1/payment_intents/{reference}")).await
    }
}

#[tokio::test]
async fn a_good_card_buys_the_seat() {
    let shop = Shop::open("stripe_captured").await;
    let order = shop.order("A-1-1").await;
    shop.pay("pay", &order, VISA).await;
    let paid = shop.settled(&order, "captured").await;
    assert_eq!(paid["attempts"][0]["provider"], "stripe");
    let record = shop.record(&paid).await;
    assert_eq!((&record["status"], &record["amount"]), (&json!("succeeded"), &json!(9_550)));
}

#[tokio::test]
async fn a_bad_card_is_told_and_another_one_buys_the_seat() {
    let shop = Shop::open("stripe_declined").await;
    let order = shop.order("A-1-1").await;
    shop.pay("pay", &order, DECLINED).await;
    let declined = shop.settled(&order, "declined").await;
    assert_eq!(declined["attempts"][0]["failure"]["code"], "card_declined");
    shop.pay("again", &order, VISA).await;
    let paid = shop.settled(&order, "captured").await;
    assert_eq!(paid["attempts"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_buyer_who_is_asked_by_the_bank_goes_on_in_the_page() {
    let shop = Shop::open("stripe_asked").await;
    let order = shop.order("A-1-1").await;
    shop.pay("pay", &order, ASKS_THE_BUYER).await;
    let (reference, secret) = shop.asked(&order).await;
    shop.local.authenticate(&reference, &secret, true).await;
    shop.settled(&order, "captured").await;
}

#[tokio::test]
async fn what_is_reserved_after_all_is_let_go_when_stripe_tells() {
    let shop = Shop::open("stripe_after_all").await;
    let (order, reference) = shop.declined_and_reserved_after_all().await;
    // localstripe does not tell of this one.
    let object = shop.local.get(&format!("/v1/payment_intents/{reference}")).await;
    let body = json!({"id": "evt_1", "type": "payment_intent.amount_capturable_updated",
        "data": {"object": object}})
    .to_string();
    let at = shop.office.app.clock.now().0 / 1_000_000;
    let tell = |secret: &str| {
        let call = shop.office.anyone(Method::POST, "/payments/webhooks/stripe");
        call.header("stripe-signature", &signature(secret, at, &body)).raw(&body)
    };
    tell("whsec_theirs").send().await.problem(401, "unauthenticated");
    tell("whsec_of_before").send().await.ok(204);
    let order = shop.once(&order, |order| order["attempts"][0]["status"] == "voided").await;
    assert_eq!(shop.record(&order).await["status"], "canceled");
}

#[tokio::test]
async fn what_is_taken_after_all_is_given_back_when_localstripe_tells() {
    let shop = Shop::open("stripe_taken").await;
    let (order, reference) = shop.declined_and_reserved_after_all().await;
    // By hand, at Stripe. Nobody asks about the attempt any more: only the webhook brings it back.
    shop.local.post(&format!("/v1/payment_intents/{reference}/capture"), &[]).await;
    shop.once(&order, |order| order["attempts"][0]["status"] == "refunded").await;
    let refunds = shop.local.get(&format!("/v1/refunds?payment_intent={reference}")).await;
    assert_eq!(refunds["data"][0]["amount"], 9_550);
    assert_eq!(refunds["data"].as_array().map(Vec::len), Some(1));
}
