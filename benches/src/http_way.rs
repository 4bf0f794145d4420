//! A server asked over HTTP: one connection for each request in flight, kept alive, no more of the
//! protocol than our own servers speak.

use std::sync::Mutex;

use taquilla_engine::buyer::BuyerId;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::hall;
use crate::load::{Placed, Way};
use crate::scale::Scale;
use crate::workload::Wanted;

/// Far above any answer to a hold.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// A server, and who may ask it.
pub struct HttpWay {
    address: String,
    event_id: String,
    scale: Scale,
    /// A token for each buyer of the workload, by his number.
    tokens: Vec<String>,
    idle: Mutex<Vec<TcpStream>>,
}

impl HttpWay {
    /// The server at this address.
    #[must_use]
    pub fn new(address: String, event_id: String, scale: Scale, tokens: Vec<String>) -> Self {
        Self { address, event_id, scale, tokens, idle: Mutex::default() }
    }

    fn request(&self, wanted: &Wanted) -> String {
        let labels: Vec<String> =
            wanted.seats.iter().map(|seat| hall::seat_label(&self.scale, seat.0)).collect();
        let body = serde_json::json!({ "event_id": self.event_id, "seats": labels }).to_string();
        format!(
            "POST /holds HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {}\r\n\
             Idempotency-Key: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.tokens[number(&wanted.buyer)],
            wanted.key,
            body.len(),
        )
    }
}

/// As the workload counts its buyers.
fn number(buyer: &BuyerId) -> usize {
    let digits = buyer.as_str().rsplit('-').next().expect("a word");
    digits.parse().expect("the workload numbers its buyers")
}

impl Way for HttpWay {
    async fn place(&self, wanted: Wanted) -> Placed {
        let idle = self.idle.lock().expect("never poisoned").pop();
        let mut stream = match idle {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(&self.address).await.expect("the server listens");
                stream.set_nodelay(true).expect("a socket");
                stream
            }
        };
        stream.write_all(self.request(&wanted).as_bytes()).await.expect("the server reads");
        let (status, answer) = read_answer(&mut stream).await;
        self.idle.lock().expect("never poisoned").push(stream);
        match status {
            201 => Placed::Granted,
            409 => Placed::Refused,
            other => {
                panic!("{other} to {}: {}", self.request(&wanted), String::from_utf8_lossy(&answer))
            }
        }
    }
}

/// An answer's status, and the whole of it.
async fn read_answer(stream: &mut TcpStream) -> (u16, Vec<u8>) {
    let mut answer = Vec::with_capacity(4 * 1024);
    loop {
        let read = stream.read_buf(&mut answer).await.expect("the server answers");
        assert!(read > 0 && answer.len() < ANSWER_BYTES_MAX, "the server answers, in short");
        let Some(head) = answer.windows(4).position(|it| it == b"\r\n\r\n") else { continue };
        let text = std::str::from_utf8(&answer[..head]).expect("a head is text");
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_it = name.eq_ignore_ascii_case("content-length");
            is_it.then(|| value.trim().parse::<usize>().expect("a length"))
        });
        if answer.len() == head + 4 + length.expect("answers say their length") {
            let status = text.split(' ').nth(1).and_then(|it| it.parse().ok());
            return (status.expect("a status"), answer);
        }
    }
}
