//! Buyers of the whole way: each holds two seats that nobody else wants, orders, pays, and waits until the
//! money is taken; then the next one comes.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::generator::tokens;
use crate::hall;
use crate::kept_alive::{KeptAlive, get, post};
use crate::load::{Clients, Slice, Until, micros};
use crate::scale::Scale;

/// The longest that the server lets a look at an order wait.
const WAIT_SECONDS: u32 = 30;

/// How long a buyer waits whom a busy server has turned away.
const PAUSE: Duration = Duration::from_millis(200);

/// So many buyers at once. In no time at all they only connect.
#[derive(Debug)]
pub struct Purchases {
    shop: Arc<Shop>,
    at_once: u32,
}

/// Where they buy.
#[derive(Debug)]
struct Shop {
    server: KeptAlive,
    event_id: String,
    method: String,
    scale: Scale,
    /// Of each buyer of the workload, by his number.
    tokens: Vec<String>,
    next: AtomicU32,
}

impl Purchases {
    /// In the shop at this address, who pay by this method of the provider and buy the hall's pairs of seats
    /// from the first on.
    #[must_use]
    pub fn new(
        scale: &Scale,
        address: String,
        event_id: String,
        method: String,
        at_once: u32,
        first: u32,
    ) -> Self {
        let shop = Shop {
            server: KeptAlive::new(address),
            event_id,
            method,
            scale: *scale,
            tokens: tokens(scale),
            next: AtomicU32::new(first),
        };
        Self { shop: Arc::new(shop), at_once }
    }

    async fn slice(&self, until: Until) -> Slice {
        let Until::Elapsed(time) = until else { panic!("purchases go on for a time") };
        if time.is_zero() {
            self.shop.connect(self.at_once).await;
        }
        let started = Instant::now();
        let mut buyers = JoinSet::new();
        for _ in 0..self.at_once {
            let shop = Arc::clone(&self.shop);
            buyers.spawn(async move {
                let mut seen = Slice::default();
                while started.elapsed() < time {
                    let asked = Instant::now();
                    seen.refused += shop.buy().await;
                    seen.latencies.push(micros(asked.elapsed()));
                }
                seen
            });
        }
        let mut slice = Slice::default();
        while let Some(buyer) = buyers.join_next().await {
            let seen = buyer.expect("a buyer does not panic");
            slice.refused += seen.refused;
            slice.latencies.extend(seen.latencies);
        }
        slice.elapsed = started.elapsed();
        slice.granted = slice.latencies.len() as u64;
        slice
    }
}

impl Clients for Purchases {
    fn run(&mut self, until: Until) -> Pin<Box<dyn Future<Output = Slice> + '_>> {
        Box::pin(self.slice(until))
    }
}

/// One purchase under way.
struct Purchase<'a> {
    shop: &'a Shop,
    number: u32,
    token: &'a str,
    /// How often the server was too busy.
    turned_away: u64,
}

impl Shop {
    /// So many buyers look at the event, and stay connected.
    async fn connect(&self, buyers: u32) {
        let look = get(&format!("/events/{}", self.event_id), &self.tokens[0]);
        self.server.open(buyers, &look).await;
    }

    /// One whole purchase; how often the server was too busy for it.
    async fn buy(&self) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        assert!(2 * number + 1 < self.scale.seats(), "the hall has sold out");
        let token = &self.tokens[number as usize % self.tokens.len()];
        let mut purchase = Purchase { shop: self, number, token, turned_away: 0 };
        purchase.carry_through().await;
        purchase.turned_away
    }
}

impl Purchase<'_> {
    async fn carry_through(&mut self) {
        let Shop { event_id, method, scale, .. } = self.shop;
        let seats = [2 * self.number, 2 * self.number + 1];
        let seats = seats.map(|seat| hall::seat_label(scale, seat));
        let hold = self.make("/holds", &json!({ "event_id": event_id, "seats": seats })).await;
        let order = self.make("/orders", &json!({ "hold_id": hold["hold_id"] })).await;
        let order = format!("/orders/{}", order["order_id"].as_str().expect("an id"));
        self.make(&format!("{order}/payments"), &json!({ "payment_method": method })).await;
        self.wait(&order).await;
    }

    /// Keys of one buyer are told apart by path and purchase.
    async fn make(&mut self, path: &str, body: &Value) -> Value {
        let noun = path.rsplit('/').next().expect("a word");
        let key = format!("{noun}-{}", self.number);
        self.answer(&post(path, self.token, &key, &body.to_string())).await
    }

    /// Looks at the order at each of its changes, until it is paid for.
    async fn wait(&mut self, order: &str) {
        let look = get(&format!("{order}?wait_seconds={WAIT_SECONDS}"), self.token);
        loop {
            let order = self.answer(&look).await;
            match order["status"].as_str().expect("a status") {
                "captured" => return,
                "pending_payment" | "authorizing" | "confirmed" => {}
                other => panic!("an order that is paid for is {other}: {order}"),
            }
        }
    }

    /// The answer to a request, which is sent again under the same key while the server is too busy.
    async fn answer(&mut self, request: &str) -> Value {
        loop {
            let (status, answer) = self.shop.server.ask(request).await;
            match status {
                200..300 => return serde_json::from_slice(&answer).expect("an answer is JSON"),
                503 => {
                    self.turned_away += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                _ => panic!("{status} to {request}: {}", String::from_utf8_lossy(&answer)),
            }
        }
    }
}
