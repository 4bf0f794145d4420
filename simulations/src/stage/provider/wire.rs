//! The wire between the server and localstripe: it loses requests and answers, and says that the provider
//! failed. And it keeps results by their key, which Stripe does and localstripe does not: the same key has
//! the same result, an error too.
//!
//! What a request meets is drawn from the seed, what it asks for and how often that was asked before, so
//! that no race between two requests changes it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::sync::OnceCell;
use tokio_util::task::AbortOnDropHandle;

use crate::{DrillError, splitmix};

/// A fifth of everything is lost, half of that before it arrives; a fifth ends in an error, half of that
/// with the work done. In thousandths, one behind the other.
const LOST_BEFORE: u64 = 100;
const LOST_AFTERWARDS: u64 = 200;
const FAILS: u64 = 300;
const FAILS_AFTERWARDS: u64 = 400;

/// No request to Stripe has a tenth of it.
const BODY_BYTES_MAX: usize = 1 << 20;

/// A running wire.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) url: String,
    desk: Arc<Desk>,
    _serving: AbortOnDropHandle<()>,
}

/// Status and body, or none where localstripe was not reached.
type Said = Option<(StatusCode, Bytes)>;

#[derive(Debug)]
struct Desk {
    provider: String,
    seed: u64,
    /// Whether nothing goes wrong any more.
    is_sound: AtomicBool,
    http: reqwest::Client,
    asked: Mutex<HashMap<String, u64>>,
    results: Mutex<HashMap<String, Arc<OnceCell<Said>>>>,
}

impl Wire {
    /// To the provider on this port.
    pub(super) async fn start(port: u16, seed: u64) -> Result<Self, DrillError> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let desk = Arc::new(Desk {
            provider: format!("http://127.0.0.1:{port}"),
            seed,
            is_sound: AtomicBool::new(false),
            http: reqwest::Client::new(),
            asked: Mutex::default(),
            results: Mutex::default(),
        });
        let router = Router::new().fallback(pass_on).with_state(Arc::clone(&desk));
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                eprintln!("the wire to localstripe broke: {error}");
            }
        });
        Ok(Self { url, desk, _serving: AbortOnDropHandle::new(serving) })
    }

    /// From now on it loses nothing, or does again.
    pub(super) fn be_sound(&self, is_sound: bool) {
        self.desk.is_sound.store(is_sound, Ordering::Relaxed);
    }
}

async fn pass_on(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_BYTES_MAX).await else { return broken() };
    let key = header_of(&parts, "idempotency-key");
    let draw = desk.draw(&parts, key.as_deref());
    if draw < LOST_BEFORE {
        return broken();
    }
    // A task of its own: what has left the server goes on when that is killed.
    let asking = tokio::spawn(async move {
        let fails = (LOST_AFTERWARDS..FAILS_AFTERWARDS).contains(&draw).then_some(draw < FAILS);
        match key {
            Some(key) => {
                let result = Arc::clone(locked(&desk.results).entry(key).or_default());
                result.get_or_init(|| desk.ask(parts, body, fails)).await.clone()
            }
            None => desk.ask(parts, body, fails).await,
        }
    });
    match asking.await {
        Ok(Some((status, body))) if draw >= LOST_AFTERWARDS => {
            (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
        Ok(_) | Err(_) => broken(),
    }
}

impl Desk {
    /// 0 to 999.
    fn draw(&self, parts: &Parts, key: Option<&str>) -> u64 {
        if self.is_sound.load(Ordering::Relaxed) {
            return FAILS_AFTERWARDS;
        }
        let what = format!("{} {} {key:?}", parts.method, parts.uri);
        let nth = {
            let mut asked = locked(&self.asked);
            let nth = asked.entry(what.clone()).or_default();
            *nth += 1;
            *nth
        };
        let mut hasher = DefaultHasher::new();
        (self.seed, what, nth).hash(&mut hasher);
        splitmix::mix(hasher.finish()) % 1_000
    }

    /// What the provider says; where it fails, whether before the work.
    async fn ask(&self, parts: Parts, body: Bytes, fails: Option<bool>) -> Said {
        let failure = (StatusCode::INTERNAL_SERVER_ERROR, Bytes::from_static(b"{}"));
        if fails == Some(true) {
            return Some(failure);
        }
        let url = format!("{}{}", self.provider, parts.uri);
        let mut onward = self.http.request(parts.method.clone(), url).body(body);
        for name in ["authorization", "content-type"] {
            if let Some(value) = header_of(&parts, name) {
                onward = onward.header(name, value);
            }
        }
        let answer = onward.send().await.ok()?;
        let status = answer.status();
        let body = answer.bytes().await.ok()?;
        Some(if fails.is_some() { failure } else { (status, body) })
    }
}

fn header_of(parts: &Parts, name: &str) -> Option<String> {
    Some(parts.headers.get(name)?.to_str().ok()?.to_owned())
}

fn locked<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The connection breaks.
fn broken() -> Response {
    Response::new(Body::new(Broken))
}

struct Broken;

impl http_body::Body for Broken {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, std::io::Error>>> {
        Poll::Ready(Some(Err(std::io::ErrorKind::BrokenPipe.into())))
    }
}
