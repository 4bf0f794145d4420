//! Buyers of the whole way: each holds two seats that nobody else wants, orders, pays, and waits until the
//! money is taken; then the next one comes.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::generator::tokens;
use crate::hall;
use crate::kept_alive::{KeptAlive, get, post};
use crate::load::{Clients, Slice, Until, micros};
use crate::scale::Scale;

/// The longest that the server lets a look at an order wait.
const WAIT_SECONDS: u32 = 30;

/// As many buyers at once as the scale has requests in flight.
#[derive(Debug)]
pub struct Purchases {
    shop: Arc<Shop>,
    at_once: usize,
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
    /// In the shop at this address, paid by this method of the provider.
    #[must_use]
    pub fn new(scale: &Scale, address: String, event_id: String, method: String) -> Self {
        let shop = Shop {
            server: KeptAlive::new(address),
            event_id,
            method,
            scale: *scale,
            tokens: tokens(scale),
            next: AtomicU32::new(0),
        };
        Self { shop: Arc::new(shop), at_once: scale.in_flight }
    }

    async fn slice(&self, until: Until) -> Slice {
        let Until::Elapsed(time) = until else { panic!("purchases go on for a time") };
        let started = Instant::now();
        let mut buyers = JoinSet::new();
        for _ in 0..self.at_once {
            let shop = Arc::clone(&self.shop);
            buyers.spawn(async move {
                let mut latencies = Vec::new();
                while started.elapsed() < time {
                    let asked = Instant::now();
                    shop.buy().await;
                    latencies.push(micros(asked.elapsed()));
                }
                latencies
            });
        }
        let mut slice = Slice::default();
        while let Some(buyer) = buyers.join_next().await {
            slice.latencies.extend(buyer.expect("a buyer does not panic"));
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

impl Shop {
    /// One whole purchase.
    async fn buy(&self) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        assert!(2 * number + 1 < self.scale.seats(), "the hall has sold out");
        let token = &self.tokens[number as usize % self.tokens.len()];
        let seats = [2 * number, 2 * number + 1].map(|seat| hall::seat_label(&self.scale, seat));
        let body = json!({ "event_id": self.event_id, "seats": seats });
        let hold = self.make("/holds", token, &format!("hold-{number}"), &body).await;
        let body = json!({ "hold_id": hold["hold_id"] });
        let order = self.make("/orders", token, &format!("order-{number}"), &body).await;
        let order = format!("/orders/{}", order["order_id"].as_str().expect("an id"));
        let body = json!({ "payment_method": self.method });
        let pay = format!("{order}/payments");
        self.make(&pay, token, &format!("pay-{number}"), &body).await;
        self.wait(&order, token).await;
    }

    async fn make(&self, path: &str, token: &str, key: &str, body: &Value) -> Value {
        let request = post(path, token, key, &body.to_string());
        self.answer(&request).await
    }

    /// Looks at the order at each of its changes, until it is paid for.
    async fn wait(&self, order: &str, token: &str) {
        let look = get(&format!("{order}?wait_seconds={WAIT_SECONDS}"), token);
        loop {
            let order = self.answer(&look).await;
            match order["status"].as_str().expect("a status") {
                "captured" => return,
                "pending_payment" | "authorizing" | "confirmed" => {}
                other => panic!("an order that is paid for is {other}: {order}"),
            }
        }
    }

    async fn answer(&self, request: &str) -> Value {
        let (status, answer) = self.server.ask(request).await;
        let good = matches!(status, 200..300);
        assert!(good, "{status} to {request}: {}", String::from_utf8_lossy(&answer));
        serde_json::from_slice(&answer).expect("an answer is JSON")
    }
}
