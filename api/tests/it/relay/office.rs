//! A hall whose sales are told to sinks, by as many relays as a test wants.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_api::background::Background;
use taquilla_api::relay::{MemorySink, Message, NamedSink, Pacing, Sink, Sinks};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::database::Database;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::relay::{Begins, Listener};
use taquilla_persistence::settings::DatabaseSettings;
use tokio::time::{interval, timeout};

use crate::edge::{BoxOffice, event_form};

/// Longer than anything here takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(30);

/// What a purchase of one seat tells of its event, in order.
pub(crate) const PURCHASE: [&str; 6] = [
    "taquilla.hold.placed.v1",
    "taquilla.order.placed.v1",
    "taquilla.hold.ended.v1",
    "taquilla.order.ended.v1",
    "taquilla.ticket.issued.v1",
    "taquilla.attempt.decided.v1",
];

pub(crate) const PACING: Pacing = Pacing {
    look: Duration::from_millis(50),
    claimed: 64,
    at_once: 8,
    first_pause: Duration::from_millis(10),
    longest_pause: Duration::from_millis(100),
};

pub(crate) struct Office {
    pub(crate) edge: BoxOffice,
    pub(crate) event: String,
    pub(crate) settings: DatabaseSettings,
    pub(crate) database: Database,
}

impl Office {
    pub(crate) async fn open(name: &str) -> Self {
        let settings = scratch::shared().await.migrated_database(name).await.expect("a database");
        Self::over(settings).await
    }

    pub(crate) async fn over(settings: DatabaseSettings) -> Self {
        let provider = Arc::new(MemoryProvider::default());
        let edge = BoxOffice::over(settings.clone(), provider).await;
        let mut form = event_form();
        form["sale"]["max_seats_per_buyer"] = json!(10);
        let event = edge.create_event(&form).await;
        let database = Database::new(Pool::new(&settings).expect("a pool"), &settings);
        Self { edge, event, settings, database }
    }

    /// A relay for these sinks, which looks by itself: nobody rings.
    pub(crate) fn relay(&self, sinks: &Sinks) -> Background {
        let background = Background::default();
        sinks.start(&background, &Listener::new(self.settings.clone()), PACING);
        background
    }

    pub(crate) fn sinks(&self, named: Vec<NamedSink>) -> Sinks {
        Sinks::new(named, self.database.clone())
    }

    /// A sink that begins with the first batch.
    pub(crate) fn only(&self, name: &str, sink: Arc<dyn Sink>) -> Sinks {
        self.sinks(vec![NamedSink::new(name, Begins::WithTheFirst, sink)])
    }

    /// Buys this seat, to the issue of its ticket.
    pub(crate) async fn buy(&self, buyer: &str, seat: &str) -> Value {
        let hold = self.edge.hold(buyer, seat, &self.event, &[seat]).send().await.ok(201);
        let order = self.edge.order(buyer, seat, &hold["hold_id"]).send().await.ok(201);
        self.edge.pay(buyer, seat, &order["order_id"], "ok").send().await.ok(202);
        let path = format!("/orders/{}", order["order_id"].as_str().expect("an id"));
        eventually("a captured order", async || {
            let shown = self.edge.read(buyer, &path).send().await.ok(200);
            (shown["status"] == "captured").then_some(shown)
        })
        .await
    }

    /// So many buyers take a place and give it back, one after the other.
    pub(crate) async fn churn(&self, buyers: &str, times: usize) {
        for time in 0..times {
            let buyer = &format!("{buyers}-{time}");
            let body =
                json!({"event_id": self.event, "general": [{"section": "FLOOR", "quantity": 1}]});
            let place = self.edge.buyer(buyer, Method::POST, "/holds");
            let hold = place.key(buyer).json(&body).send().await.ok(201);
            let path = format!("/holds/{}", hold["hold_id"].as_str().expect("an id"));
            self.edge.buyer(buyer, Method::DELETE, &path).send().await.ok(204);
        }
    }
}

/// Asks until there is something.
pub(crate) async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let mut looks = interval(Duration::from_millis(20));
    let seen = async {
        loop {
            looks.tick().await;
            if let Some(seen) = look().await {
                return seen;
            }
        }
    };
    timeout(DEADLINE, seen).await.unwrap_or_else(|_| panic!("never seen: {what}"))
}

/// What the sink was told of events, once it was told of so many.
pub(crate) async fn told(sink: &MemorySink, at_least: usize) -> Vec<Message> {
    eventually("what is told", async || {
        let taken: Vec<_> = sink.taken().into_iter().filter(is_of_event).collect();
        (taken.len() >= at_least).then_some(taken)
    })
    .await
}

/// Whether its name is an event's, a batch and a place.
fn is_of_event(message: &Message) -> bool {
    message.id.split('.').count() == 3
}

/// The CloudEvent.
pub(crate) fn cloud_event(message: &Message) -> Value {
    serde_json::from_slice(&message.body).expect("JSON")
}

/// The batches and places of messages of one event.
pub(crate) fn places(ids: impl Iterator<Item = String>) -> Vec<(i64, u32)> {
    let place = |id: String| {
        let mut parts = id.split('.').skip(1);
        let mut part = || parts.next().expect("three parts").to_owned();
        (part().parse().expect("a batch"), part().parse().expect("a place"))
    };
    ids.map(place).collect()
}
