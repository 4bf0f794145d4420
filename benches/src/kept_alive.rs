//! Connections to a server that is asked over HTTP: one for each request in flight, kept alive, no more
//! of the protocol than our own servers speak.

use std::sync::Mutex;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Far above any answer to a hold or about an order.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// A server, and the connections to it that nobody uses right now.
#[derive(Debug)]
pub struct KeptAlive {
    address: String,
    idle: Mutex<Vec<TcpStream>>,
}

/// A request that makes something, with a JSON body.
#[must_use]
pub fn post(path: &str, token: &str, key: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\
         Idempotency-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len(),
    )
}

/// A request that looks at something.
#[must_use]
pub fn get(path: &str, token: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n")
}

impl KeptAlive {
    /// The server at this address.
    #[must_use]
    pub fn new(address: String) -> Self {
        Self { address, idle: Mutex::default() }
    }

    /// Opens so many connections at once, each of which has asked this; they are idle then.
    ///
    /// # Panics
    /// If there is no answer.
    pub async fn open(&self, connections: u32, request: &str) {
        let mut opened = Vec::new();
        for _ in 0..connections {
            let mut stream = self.connect().await;
            stream.write_all(request.as_bytes()).await.expect("the server reads");
            read_answer(&mut stream).await;
            opened.push(stream);
        }
        self.idle.lock().expect("never poisoned").extend(opened);
    }

    async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).await.expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    /// Sends the request; the answer's status and body.
    ///
    /// # Panics
    /// If there is no answer.
    pub async fn ask(&self, request: &str) -> (u16, Vec<u8>) {
        let idle = self.idle.lock().expect("never poisoned").pop();
        let mut stream = match idle {
            Some(stream) => stream,
            None => self.connect().await,
        };
        stream.write_all(request.as_bytes()).await.expect("the server reads");
        let answer = read_answer(&mut stream).await;
        self.idle.lock().expect("never poisoned").push(stream);
        answer
    }
}

/// An answer's status, and its body.
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
            let status = status.expect("a status");
            return (status, answer.split_off(head + 4));
        }
    }
}
