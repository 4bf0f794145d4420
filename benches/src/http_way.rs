//! A server asked for holds over HTTP.

use taquilla_engine::buyer::BuyerId;

use crate::hall;
use crate::kept_alive::{KeptAlive, post};
use crate::load::{Placed, Way};
use crate::scale::Scale;
use crate::workload::Wanted;

/// A server, and who may ask it.
pub struct HttpWay {
    server: KeptAlive,
    event_id: String,
    scale: Scale,
    /// A token for each buyer of the workload, by his number.
    tokens: Vec<String>,
}

impl HttpWay {
    /// The server at this address.
    #[must_use]
    pub fn new(address: String, event_id: String, scale: Scale, tokens: Vec<String>) -> Self {
        Self { server: KeptAlive::new(address), event_id, scale, tokens }
    }

    fn request(&self, wanted: &Wanted) -> String {
        let labels: Vec<String> =
            wanted.seats.iter().map(|seat| hall::seat_label(&self.scale, seat.0)).collect();
        let body = serde_json::json!({ "event_id": self.event_id, "seats": labels }).to_string();
        post("/holds", &self.tokens[buyer_number(&wanted.buyer)], &wanted.key, &body)
    }
}

/// As the workload counts its buyers.
#[must_use]
pub fn buyer_number(buyer: &BuyerId) -> usize {
    let digits = buyer.as_str().rsplit('-').next().expect("a word");
    digits.parse().expect("the workload numbers its buyers")
}

impl Way for HttpWay {
    async fn place(&self, wanted: Wanted) -> Placed {
        let request = self.request(&wanted);
        let (status, answer) = self.server.ask(&request).await;
        match status {
            201 => Placed::Granted,
            409 => Placed::Refused,
            other => panic!("{other} to {request}: {}", String::from_utf8_lossy(&answer)),
        }
    }
}
