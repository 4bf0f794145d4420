//! A server asked over HTTP where buyers stand in a waiting room: the product's router, and beside it the
//! floor, one route behind the same connections that answers the same bytes to whoever asks.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use tokio_postgres::Client;

use crate::generator;
use crate::http_servers;
use crate::http_way::buyer_number;
use crate::kept_alive::{self, KeptAlive};
use crate::load::{Placed, Way};
use crate::scale::Scale;
use crate::workload::Wanted;

/// The sale has a waiting room and is open, so that everybody stands somewhere.
const OPEN_ROOMS: &str = "/* open_rooms */ UPDATE events SET waiting_room = true";

/// In an answer before the draw.
const NO_POSITION: &[u8] = br#""position":null"#;

/// Gives every event a waiting room, before a server has read it.
pub async fn open_rooms(client: &Client) {
    client.execute(OPEN_ROOMS, &[]).await.expect("the events are there");
}

/// Where a buyer asks for his place.
#[must_use]
pub fn path(event_id: &str) -> String {
    format!("/events/{event_id}/queue")
}

/// A server, and the requests of those who may ask it.
pub struct QueueWay {
    server: KeptAlive,
    /// Of each buyer of the workload, by his number.
    requests: Vec<String>,
}

impl QueueWay {
    /// The server at this address.
    #[must_use]
    pub fn new(address: String, event_id: &str, scale: &Scale) -> Self {
        let path = path(event_id);
        let tokens = generator::tokens(scale);
        let requests = tokens.iter().map(|token| kept_alive::get(&path, token)).collect();
        Self { server: KeptAlive::new(address), requests }
    }

    /// What this buyer is answered, once he has a position: the room is taken over when the first one asks,
    /// and opens within a second.
    ///
    /// # Panics
    /// If he has no place.
    pub async fn ask_until_drawn(&self, number: usize) -> Vec<u8> {
        loop {
            let (status, answer) = self.server.ask(&self.requests[number]).await;
            let is_starting = status == 503;
            assert!(is_starting || status == 200, "{}", String::from_utf8_lossy(&answer));
            let is_drawn = !answer.windows(NO_POSITION.len()).any(|it| it == NO_POSITION);
            if is_drawn && !is_starting {
                return answer;
            }
        }
    }
}

impl Way for QueueWay {
    async fn place(&self, wanted: Wanted) -> Placed {
        let request = &self.requests[buyer_number(&wanted.buyer)];
        let (status, answer) = self.server.ask(request).await;
        assert_eq!(status, 200, "{request}: {}", String::from_utf8_lossy(&answer));
        Placed::Granted
    }
}

/// The floor.
pub async fn serve_floor(answer: Vec<u8>) -> SocketAddr {
    let answer = Bytes::from(answer);
    let show = async move || ([(CONTENT_TYPE, "application/json")], answer.clone());
    http_servers::serve(Router::new().route(&path("{event_id}"), get(show))).await
}
