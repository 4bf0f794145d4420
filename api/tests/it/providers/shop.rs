//! A box office whose payments go over a wire to a provider, and whoever buys there.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_api::webhooks::Webhooks;
use taquilla_engine::payment::PaymentProvider;
use taquilla_engine::runtime::PaymentSettings;
use taquilla_persistence::database::Database;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::inbox::Inbox;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch;
use tokio::time::{Instant, interval};

use super::provider::{Pays, Provider};
use super::wire::Wire;
use crate::edge::{BoxOffice, Rows, event_form};

/// What the provider signs its notices with.
pub(super) const SECRET: &str = "whsec_between_us";

/// How long a test waits for what must come.
const DEADLINE: Duration = Duration::from_secs(30);

/// `A-1-1` with its fees.
pub(super) const PRICE: i64 = 9_550;

/// How payments ask.
#[derive(Clone, Copy)]
pub(super) enum Pace {
    /// What was not answered is asked about many times a second.
    Quick,
    /// It is never asked about, unless a notice says that there is news.
    ByNotice,
}

impl Pace {
    fn settings(self) -> PaymentSettings {
        let (first, most) = match self {
            Self::Quick => (Duration::from_millis(50), Duration::from_millis(200)),
            Self::ByNotice => (Duration::from_secs(3_600), Duration::from_secs(3_600)),
        };
        PaymentSettings { first_query: first, pause_max: most, ..PaymentSettings::default() }
    }
}

/// One buyer's order.
pub(super) struct Order {
    pub(super) buyer: String,
    pub(super) id: String,
    pub(super) total: i64,
}

pub(super) struct Shop<P> {
    pub(super) office: BoxOffice,
    pub(super) provider: P,
    pub(super) wire: Wire,
    /// The product's side, which reconciliation reads as well.
    pub(super) adapter: Arc<dyn PaymentProvider>,
    pub(super) rows: Rows,
    pub(super) event: String,
}

impl<P: Provider> Shop<P> {
    pub(super) async fn open(name: &str) -> Self {
        Self::with(name, Pace::Quick, 480).await
    }

    /// Whose payments ask at this pace, and whose holds live so many seconds.
    pub(super) async fn with(name: &str, pace: Pace, hold_ttl_seconds: u32) -> Self {
        let provider = P::start().await;
        let wire = Wire::to(provider.base(), P::step).await;
        let name = format!("suite_{}_{name}", P::NAME);
        let database = scratch::shared().await.migrated_database(&name).await.expect("a database");
        let pool = Pool::new(&database).expect("a pool");
        let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("the database's time"));
        let adapter = P::adapter(wire.base.clone(), clock.clone());
        let rows = Rows::of(&database).await;
        let shared = Arc::clone(&adapter);
        let mut office = BoxOffice::at_pace(database.clone(), shared, pace.settings()).await;
        let readers = vec![(P::NAME, P::reader(SECRET))];
        let inbox = Inbox::new(Database::new(pool, &database));
        office.app.webhooks = Webhooks::new(inbox, readers, clock);
        office.app.webhooks.keep_up(&office.app.payments);
        office.app.payments.keep_up();
        let mut form = event_form();
        form["sale"]["hold_ttl_seconds"] = json!(hold_ttl_seconds);
        let event = office.create_event(&form).await;
        Self { office, provider, wire, adapter, rows, event }
    }

    /// A new order of these seats.
    pub(super) async fn order(&self, buyer: &str, seats: &[&str]) -> Order {
        self.order_at(&self.event, buyer, seats).await
    }

    /// The same of another event.
    pub(super) async fn order_at(&self, event: &str, buyer: &str, seats: &[&str]) -> Order {
        let hold = self.office.hold(buyer, "hold", event, seats).send().await.ok(201);
        let order = self.office.order(buyer, "order", &hold["hold_id"]).send().await.ok(201);
        Order {
            buyer: buyer.into(),
            id: order["order_id"].as_str().expect("an id").into(),
            total: order["total"]["amount"].as_i64().expect("minor units"),
        }
    }

    /// The attempt, as it is when nobody has heard of it yet.
    pub(super) async fn pay(&self, order: &Order, key: &str, pays: Pays) -> Value {
        let method = self.provider.method(pays).await;
        self.office.pay(&order.buyer, key, &json!(order.id), &method).send().await.ok(202)
    }

    /// An order of these seats, paid to the last step.
    pub(super) async fn sold(&self, buyer: &str, seats: &[&str]) -> Order {
        let order = self.order(buyer, seats).await;
        self.buy(&order).await;
        order
    }

    /// Pays it to the last step.
    pub(super) async fn buy(&self, order: &Order) {
        self.pay(order, "pay", Pays::Well).await;
        self.until(order, "captured").await;
    }

    pub(super) async fn read(&self, order: &Order) -> Value {
        self.office.read(&order.buyer, &format!("/orders/{}", order.id)).send().await.ok(200)
    }

    /// The order once it is so, as its buyer sees it.
    pub(super) async fn once(
        &self,
        order: &Order,
        what: impl Debug,
        is_so: impl Fn(&Value) -> bool,
    ) -> Value {
        // A look waits for a change, but not at an order that has come to its end.
        let path = format!("/orders/{}?wait_seconds=1", order.id);
        let mut looks = interval(Duration::from_millis(10));
        let started = Instant::now();
        let mut seen = self.read(order).await;
        while !is_so(&seen) {
            assert!(started.elapsed() < DEADLINE, "it never comes to {what:?}: {seen}");
            looks.tick().await;
            seen = self.office.read(&order.buyer, &path).send().await.ok(200);
        }
        seen
    }

    /// The same, of this status.
    pub(super) async fn until(&self, order: &Order, status: &str) -> Value {
        self.once(order, status, |seen| seen["status"] == status).await
    }

    /// The order's last attempt, once it has one of these statuses.
    pub(super) async fn attempt(&self, order: &Order, statuses: &[&str]) -> Value {
        let is_so =
            |seen: &Value| last(seen)["status"].as_str().is_some_and(|it| statuses.contains(&it));
        last(&self.once(order, statuses, is_so).await).clone()
    }

    /// The attempt of an order whose buyer is asked by the bank.
    pub(super) async fn asked(&self, buyer: &str, seats: &[&str]) -> (Order, Value) {
        let order = self.order(buyer, seats).await;
        self.pay(&order, "pay", Pays::Challenged).await;
        let attempt = self.attempt(&order, &["requires_action"]).await;
        (order, attempt)
    }

    /// The buyer gives the order up.
    pub(super) async fn cancel(&self, order: &Order) {
        let path = format!("/orders/{}", order.id);
        self.office.buyer(&order.buyer, Method::DELETE, &path).send().await.ok(204);
    }

    /// All tickets or these, by an operator, under a key of the order's own.
    pub(super) async fn give_back(
        &self,
        order: &Order,
        key: &str,
        tickets: Option<&[Value]>,
    ) -> Value {
        let mut body = json!({"reason": "rain"});
        if let Some(tickets) = tickets {
            body["tickets"] = json!(tickets);
        }
        let key = format!("{}-{key}", order.buyer);
        self.office.refund(&key, &json!(order.id), &body).send().await.ok(202)
    }
}

fn last(order: &Value) -> &Value {
    order["attempts"].as_array().and_then(|attempts| attempts.last()).unwrap_or(&Value::Null)
}
