//! Real connections: what is answered before any route is found, what is not waited for, and how a
//! stop ends what waits.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::get;
use serde_json::Value;
use taquilla_api::connections::{Bounds, serve};
use taquilla_api::limits::{LimitSettings, Limits, Rate, proxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tower::Service;

use super::box_office::BoxOffice;
use super::queue::{FAR_OFF, QUEUE};

/// Far more than any of these takes.
const LONG: Duration = Duration::from_secs(20);

struct Served {
    address: SocketAddr,
    stopping: CancellationToken,
    task: JoinHandle<()>,
}

impl Served {
    async fn start<S>(service: S, bounds: Bounds) -> Self
    where
        S: Service<Request, Response = Response, Error = Infallible>,
        S: Clone + Send + Unpin + 'static,
        S::Future: Send + Unpin,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let stopping = CancellationToken::new();
        let task = tokio::spawn(serve(listener, service, bounds, stopping.clone()));
        Self { address, stopping, task }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a connection")
    }

    /// Sends these bytes on a connection of their own; what comes back before it closes.
    async fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.expect("sent");
        rest(&mut stream).await
    }

    /// Stops, and returns once every connection has ended.
    async fn stop(self) {
        self.stopping.cancel();
        timeout(LONG, self.task).await.expect("it ends in time").expect("it does not panic");
    }
}

async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    timeout(LONG, stream.read_to_end(&mut bytes)).await.expect("it closes in time").expect("read");
    String::from_utf8(bytes).expect("text")
}

/// The body of an answer that is this problem.
fn problem(answer: &str, status: u16, slug: &str) -> Value {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {answer}"));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    let head = head.to_lowercase();
    assert!(head.contains("content-type: application/problem+json"), "{answer}");
    assert!(head.contains("x-request-id: "), "{answer}");
    assert!(head.contains(&format!("content-length: {}", body.len())), "{answer}");
    assert_eq!(head.contains("retry-after: "), status == 503, "{answer}");
    let body: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(body["type"], format!("/problems/{slug}"));
    body
}

#[tokio::test]
async fn a_head_that_cannot_be_read_is_answered_by_a_problem_too() {
    let office = BoxOffice::empty("heads").await;
    let served = Served::start(office.front(), Bounds::default()).await;
    let path = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "x".repeat(100_000));
    let field = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "x".repeat(500_000));
    let fields = format!("GET / HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(200));
    for head in [
        "nonsense\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "G\0T / HTTP/1.1\r\n\r\n",
        &path,
        &field,
        &fields,
    ] {
        let answer = served.send(head.as_bytes()).await;
        let body = problem(&answer, 400, "malformed-request");
        assert!(body["errors"][0]["detail"].is_string(), "{body}");
    }
    // What can be read is answered by its route, also on the same connection before the nonsense.
    let mut stream = served.connect().await;
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\nnonsense\r\n\r\n")
        .await
        .expect("sent");
    let answers = rest(&mut stream).await;
    assert!(answers.starts_with("HTTP/1.1 200 OK"), "{answers}");
    let own = answers.rfind("HTTP/1.1 ").expect("a second answer");
    problem(&answers[own..], 400, "malformed-request");
    served.stop().await;
}

#[tokio::test]
async fn a_body_with_broken_chunks_is_malformed_and_not_too_large() {
    let office = BoxOffice::empty("chunks").await;
    let served = Served::start(office.front(), Bounds::default()).await;
    let token = office.token("ana", "");
    let head = format!(
        "POST /holds HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer {token}\r\nidempotency-key: k\r\n\
         content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    for chunks in ["zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}oops\r\n0\r\n\r\n"] {
        let answer = served.send(format!("{head}{chunks}").as_bytes()).await;
        problem(&answer, 400, "malformed-request");
    }
    let large = format!("{head}{:x}\r\n{}\r\n0\r\n\r\n", 70_000, " ".repeat(70_000));
    problem(&served.send(large.as_bytes()).await, 413, "payload-too-large");
    served.stop().await;
}

#[tokio::test]
async fn nobody_waits_for_half_a_head_nor_for_a_client_that_takes_nothing_in() {
    let large = "x".repeat(64 * 1024 * 1024);
    let router = Router::new().route("/large", get(async move || large.clone()));
    let bounds = Bounds {
        head_patience: Duration::from_millis(200),
        write_patience: Duration::from_millis(200),
        ..Bounds::default()
    };
    let served = Served::start(router, bounds).await;
    assert_eq!(served.send(b"GET /half").await, "", "closed without an answer");
    assert_eq!(served.send(b"").await, "", "as is one that never begins");
    let mut deaf = served.connect().await;
    deaf.write_all(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    // The stop waits for answers that are being sent: this one is given up.
    let mut first = [0; 4];
    deaf.read_exact(&mut first).await.expect("it begins");
    served.stop().await;
}

#[tokio::test]
async fn who_asks_is_whoever_is_at_the_other_end_whatever_he_says() {
    let mut office = BoxOffice::empty("peers").await;
    let one = NonZeroU32::MIN;
    let per_address = Some(Rate { burst: one, one_each: Duration::from_secs(3_600) });
    let limits = |trusted: &[&str]| {
        let trusted_proxies = trusted.iter().map(|it| proxy(it).expect("a network")).collect();
        let settings = LimitSettings { per_address, trusted_proxies, ..LimitSettings::default() };
        Arc::new(Limits::new(&settings))
    };
    let ask = |said: &str| {
        format!(
            "GET /events HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-forwarded-for: {said}\r\n\r\n"
        )
    };
    for (trusted, second) in [(&["192.0.2.0/24"][..], 429), (&["127.0.0.0/8"], 200)] {
        office.app.limits = limits(trusted);
        let served = Served::start(office.front(), Bounds::default()).await;
        let first = served.send(ask("198.51.100.1").as_bytes()).await;
        assert!(first.starts_with("HTTP/1.1 200 "), "{first}");
        let answer = served.send(ask("198.51.100.2").as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {second} ")), "{trusted:?}: {answer}");
        served.stop().await;
    }
}

#[tokio::test]
async fn one_connection_too_many_is_told_so() {
    let office = BoxOffice::empty("too_many").await;
    let served = Served::start(office.front(), Bounds { open_max: 1, ..Bounds::default() }).await;
    let ask = b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
    let mut first = served.connect().await;
    first.write_all(ask).await.expect("sent");
    let mut status = [0; 15];
    first.read_exact(&mut status).await.expect("an answer");
    assert_eq!(&status, b"HTTP/1.1 200 OK");
    problem(&served.send(ask).await, 503, "overloaded");
    drop(first);
    // Its place is free again once the server has seen its end.
    let until = Instant::now() + LONG;
    while !served
        .send(b"GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .await
        .contains(" 200 ")
    {
        assert!(Instant::now() < until, "the place is never free");
    }
    served.stop().await;
}

#[tokio::test]
async fn a_stop_answers_a_long_poll_at_once() {
    let (office, event) = BoxOffice::open("stop").await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ana", "k", &hold["hold_id"]).send().await.ok(201);
    let served = Served::start(office.front(), Bounds::default()).await;
    let mut poll = served.connect().await;
    let ask = format!(
        "GET /orders/{}?wait_seconds=30 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\n\r\n",
        order["order_id"].as_str().expect("an id"),
        office.token("ana", ""),
    );
    poll.write_all(ask.as_bytes()).await.expect("sent");
    // It waits: nothing comes for a while.
    let silence = timeout(Duration::from_millis(300), poll.read_u8()).await;
    silence.expect_err("a poll waits for a change");
    let asked = Instant::now();
    served.stop().await;
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    let answer = rest(&mut poll).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains("pending_payment"), "{answer}");
}

#[tokio::test]
async fn a_stop_ends_a_stream_at_once() {
    let (office, _) = BoxOffice::with_a_room("stop_stream", FAR_OFF).await;
    office.join("ana").send().await.ok(201);
    let served = Served::start(office.front(), Bounds::default()).await;
    let mut stream = served.connect().await;
    let ask = format!(
        "GET {QUEUE}/stream HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\n\r\n",
        office.token("ana", ""),
    );
    stream.write_all(ask.as_bytes()).await.expect("sent");
    let mut heard = String::new();
    while !heard.contains("\"pre_sale\"") {
        let byte = timeout(LONG, stream.read_u8()).await.expect("in time").expect("it is open");
        heard.push(char::from(byte));
    }
    assert!(heard.starts_with("HTTP/1.1 200 OK"), "{heard}");
    let asked = Instant::now();
    served.stop().await;
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    let last = rest(&mut stream).await;
    assert!(last.ends_with("\r\n0\r\n\r\n"), "it ends whole, and is not cut off: {last}");
}
