//! The server's door as half a million buyers use it: a bounded set of connections that are kept, HTTP/1.1
//! by hand. A client that does more would take the processors that the server needs.

use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::DrillError;
use crate::client::Answer;

/// Longer than any deadline of the server's.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// A server that was killed has to read half a million places before it answers.
const SETTLED_MAX: Duration = Duration::from_secs(120);
const PAUSE_FIRST: Duration = Duration::from_millis(40);
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// No answer that comes this way has a tenth of it.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) method: &'static str,
    pub(super) path: String,
    /// Without `Bearer`; empty for what is public.
    pub(super) pass: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Value,
}

impl Ask {
    pub(super) fn new(method: &'static str, path: impl Into<String>, pass: String) -> Self {
        Self { method, path: path.into(), pass, headers: Vec::new(), body: Value::Null }
    }

    pub(super) fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    pub(super) fn body(self, body: Value) -> Self {
        Self { body, ..self }
    }

    fn bytes(&self) -> Vec<u8> {
        let Self { method, path, pass, headers, body } = self;
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: box\r\n");
        if !pass.is_empty() {
            head += &format!("Authorization: Bearer {pass}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if body.is_null() {
            return (head + "\r\n").into_bytes();
        }
        let body = body.to_string();
        let length = body.len();
        head += &format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
        (head + &body).into_bytes()
    }
}

/// The way in.
#[derive(Debug)]
pub(super) struct Door {
    address: SocketAddr,
    idle: Mutex<Vec<TcpStream>>,
    places: Semaphore,
    asked: AtomicU64,
    unanswered: AtomicU64,
}

impl Door {
    /// At this address, by so many connections at the most.
    pub(super) fn new(address: SocketAddr, connections: usize) -> Self {
        Self {
            address,
            idle: Mutex::default(),
            places: Semaphore::new(connections),
            asked: AtomicU64::new(0),
            unanswered: AtomicU64::new(0),
        }
    }

    /// Requests so far, and those of them that were not answered.
    pub(super) fn count(&self) -> (u64, u64) {
        (self.asked.load(Ordering::Relaxed), self.unanswered.load(Ordering::Relaxed))
    }

    /// Sends it once; says how long the answer took.
    pub(super) async fn ask(&self, ask: &Ask) -> (Answer, Duration) {
        let _place = self.places.acquire().await.expect("the door is never closed");
        let started = Instant::now();
        self.asked.fetch_add(1, Ordering::Relaxed);
        let answered = tokio::time::timeout(ANSWER_MAX, self.exchange(&ask.bytes())).await;
        let answer = answered.ok().and_then(Result::ok).unwrap_or_default();
        if answer.status.is_none() {
            self.unanswered.fetch_add(1, Ordering::Relaxed);
        }
        (answer, started.elapsed())
    }

    /// Sends it again while nothing is decided.
    ///
    /// # Errors
    /// [`DrillError::Broken`] if it is never settled.
    pub(super) async fn settle(&self, ask: &Ask) -> Result<(Answer, Duration), DrillError> {
        self.settle_with(ask, |_, _| ()).await
    }

    /// The same; each answer is kept, with when it was asked for.
    ///
    /// # Errors
    /// As [`Door::settle`].
    pub(super) async fn settle_with(
        &self,
        ask: &Ask,
        mut keep: impl FnMut(DateTime<Utc>, &Answer),
    ) -> Result<(Answer, Duration), DrillError> {
        let deadline = Instant::now() + SETTLED_MAX;
        let mut pause = PAUSE_FIRST;
        loop {
            let at_start = Utc::now();
            let (answer, took) = self.ask(ask).await;
            keep(at_start, &answer);
            if answer.is_decided() {
                return Ok((answer, took));
            }
            if Instant::now() >= deadline {
                let Ask { method, path, .. } = ask;
                return Err(DrillError::Broken(format!(
                    "never settled: {method} {path}: {answer:?}"
                )));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    async fn exchange(&self, request: &[u8]) -> io::Result<Answer> {
        let idle = self.idle.lock().expect("nobody panics with the door in hand").pop();
        let mut stream = match idle {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(self.address).await?;
                stream.set_nodelay(true)?;
                stream
            }
        };
        stream.write_all(request).await?;
        let (answer, is_kept) = read(&mut stream).await?;
        if is_kept {
            self.idle.lock().expect("nobody panics with the door in hand").push(stream);
        }
        Ok(answer)
    }
}

/// The answer, and whether the connection is good for another.
async fn read(stream: &mut TcpStream) -> io::Result<(Answer, bool)> {
    let mut bytes = Vec::with_capacity(1_024);
    let head = loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            Some(end) => break end,
            None if bytes.len() > ANSWER_BYTES_MAX => return Err(broken("a head without end")),
            None => {}
        }
    };
    let Head { status, length, is_kept } = Head::read(&bytes[..head])?;
    let body = head + 4;
    while bytes.len() < body + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    let body = serde_json::from_slice(&bytes[body..body + length]).unwrap_or_default();
    Ok((Answer { status: Some(status), body }, is_kept))
}

struct Head {
    status: u16,
    length: usize,
    is_kept: bool,
}

impl Head {
    fn read(bytes: &[u8]) -> io::Result<Self> {
        let text = str::from_utf8(bytes).map_err(|_| broken("a head that is no text"))?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let status = status.ok_or_else(|| broken("no status"))?;
        let mut head = Self { status, length: 0, is_kept: true };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                head.length = value.parse().map_err(|_| broken("no length"))?;
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                return Err(broken("an answer in chunks"));
            } else if name.eq_ignore_ascii_case("connection") {
                head.is_kept = !value.eq_ignore_ascii_case("close");
            }
        }
        if head.length > ANSWER_BYTES_MAX {
            return Err(broken("an answer that is too long"));
        }
        Ok(head)
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::Head;

    #[test]
    fn a_head_says_status_length_and_whether_the_connection_is_kept() {
        let head = Head::read(b"HTTP/1.1 201 Created\r\ncontent-length: 12").expect("a head");
        assert_eq!((head.status, head.length, head.is_kept), (201, 12, true));
        let head = Head::read(b"HTTP/1.1 503 No\r\nConnection: close").expect("a head");
        assert_eq!((head.status, head.length, head.is_kept), (503, 0, false));
        for bad in ["HTTP/1.1", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked", "x y"] {
            assert!(Head::read(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
