//! The wire between the product and a provider, as a proxy of HTTP: it passes everything on, and loses or
//! spoils what a test tells it to.
//!
//! What is spoilt by an error stays so for its key, as providers keep their results: only another key gets
//! through.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use reqwest::{Client, Url};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_util::task::AbortOnDropHandle;

/// What the product asks of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// A record, before any money, where that is a question of its own.
    Open,
    Authorise,
    Capture,
    Void,
    Refund,
    /// A question that moves nothing.
    Look,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It never arrives.
    LosesRequest,
    /// It is done, and nobody hears of that.
    LosesAnswer,
    /// The provider fails before it has done it.
    Fails,
    /// The provider fails once it has done it.
    FailsAfterwards,
}

impl Fault {
    pub(super) const ALL: [Self; 4] =
        [Self::LosesRequest, Self::LosesAnswer, Self::Fails, Self::FailsAfterwards];
}

/// Whether a request is passed on, and whether its answer is.
struct Way {
    goes: bool,
    comes_back: bool,
    fails: bool,
}

#[derive(Default)]
struct Told {
    /// The next request of this step meets this.
    once: Vec<(Step, Fault)>,
    /// No request of these steps arrives.
    cut: HashSet<Step>,
    failed_keys: HashSet<String>,
    held: Option<(Step, Arc<Held>)>,
    asked: Vec<Step>,
}

/// An answer that waits on the wire.
struct Held {
    /// One, once the provider has answered.
    came: Semaphore,
    /// One, once the answer may go on.
    go: Semaphore,
}

struct Desk {
    provider: Url,
    http: Client,
    step: fn(&Method, &str) -> Step,
    told: Mutex<Told>,
    /// Requests that met a fault.
    met: watch::Sender<usize>,
}

/// A running wire. Ends with the test.
pub(super) struct Wire {
    /// What the product takes for the provider's address.
    pub(super) base: Url,
    desk: Arc<Desk>,
    _running: AbortOnDropHandle<()>,
}

/// Lets the answer go on once it is dropped.
pub(super) struct Holding(Arc<Held>);

impl Holding {
    /// Until the provider has done what it was asked.
    pub(super) async fn until_done(&self) {
        self.0.came.acquire().await.expect("never closed").forget();
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.0.go.add_permits(1);
    }
}

impl Wire {
    pub(super) async fn to(provider: Url, step: fn(&Method, &str) -> Step) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let base = Url::parse(&base).expect("a URL");
        let (met, _) = watch::channel(0);
        let told = Mutex::default();
        let desk = Arc::new(Desk { provider, http: Client::new(), step, told, met });
        let router = Router::new().fallback(pass_on).with_state(Arc::clone(&desk));
        let serving = async move { axum::serve(listener, router).await.expect("it serves") };
        Self { base, desk, _running: AbortOnDropHandle::new(tokio::spawn(serving)) }
    }

    /// The next request of this step meets this fault; several are met one after the other.
    pub(super) fn spoil(&self, step: Step, fault: Fault) {
        self.desk.told.lock().once.push((step, fault));
    }

    /// The next answer to this step waits.
    pub(super) fn hold(&self, step: Step) -> Holding {
        let held = Arc::new(Held { came: Semaphore::new(0), go: Semaphore::new(0) });
        self.desk.told.lock().held = Some((step, Arc::clone(&held)));
        Holding(held)
    }

    /// No request of this step arrives until it is mended.
    pub(super) fn cut(&self, step: Step) {
        self.desk.told.lock().cut.insert(step);
    }

    pub(super) fn mend(&self, step: Step) {
        self.desk.told.lock().cut.remove(&step);
    }

    /// Until this many requests have met a fault.
    pub(super) async fn until_met(&self, faults: usize) {
        let mut met = self.desk.met.subscribe();
        met.wait_for(|met| *met >= faults).await.expect("the desk is there");
    }

    /// That every fault was met: else the test has shown nothing.
    pub(super) fn assert_met(&self) {
        let left = &self.desk.told.lock().once;
        assert!(left.is_empty(), "never met: {left:?}");
    }

    /// All that was asked so far.
    pub(super) fn asked(&self) -> Vec<Step> {
        self.desk.told.lock().asked.clone()
    }
}

impl Desk {
    fn way(&self, step: Step, key: Option<&str>) -> Way {
        let mut told = self.told.lock();
        told.asked.push(step);
        if key.is_some_and(|key| told.failed_keys.contains(key)) {
            return Way { goes: false, comes_back: true, fails: true };
        }
        let place = told.once.iter().position(|(spoilt, _)| *spoilt == step);
        let fault = match place {
            _ if told.cut.contains(&step) => Some(Fault::LosesRequest),
            Some(place) => Some(told.once.remove(place).1),
            None => None,
        };
        let Some(fault) = fault else { return Way { goes: true, comes_back: true, fails: false } };
        let fails = matches!(fault, Fault::Fails | Fault::FailsAfterwards);
        if fails {
            told.failed_keys.extend(key.map(Into::into));
        }
        self.met.send_modify(|met| *met += 1);
        let goes = matches!(fault, Fault::LosesAnswer | Fault::FailsAfterwards);
        Way { goes, comes_back: fails, fails }
    }

    fn held(&self, step: Step) -> Option<Arc<Held>> {
        let mut told = self.told.lock();
        let held = told.held.take_if(|(held, _)| *held == step)?;
        Some(held.1)
    }
}

const FORWARDED: [&str; 4] = ["authorization", "content-type", "idempotency-key", "stripe-version"];

async fn pass_on(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.expect("a short request");
    let step = (desk.step)(&parts.method, parts.uri.path());
    let key = parts.headers.get("idempotency-key").map(|key| key.to_str().expect("ASCII"));
    let way = desk.way(step, key);
    let mut answer = None;
    if way.goes {
        let mut url = desk.provider.clone();
        url.set_path(parts.uri.path());
        url.set_query(parts.uri.query());
        let mut onward = desk.http.request(parts.method, url).body(body);
        for name in FORWARDED.map(HeaderName::from_static) {
            if let Some(value) = parts.headers.get(&name) {
                onward = onward.header(name, value);
            }
        }
        answer = Some(whole(onward.send().await.expect("the provider answers")).await);
    }
    if let Some(held) = desk.held(step) {
        held.came.add_permits(1);
        held.go.acquire().await.expect("never closed").forget();
    }
    match answer {
        _ if way.fails => (StatusCode::INTERNAL_SERVER_ERROR, "{}").into_response(),
        Some(answer) if way.comes_back => answer,
        Some(_) | None => broken(),
    }
}

async fn whole(answer: reqwest::Response) -> Response {
    let status = answer.status();
    let kind = answer.headers().get(header::CONTENT_TYPE).cloned();
    let mut whole = (status, answer.bytes().await.expect("a body")).into_response();
    whole.headers_mut().extend(kind.map(|kind| (header::CONTENT_TYPE, kind)));
    whole
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
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, std::io::Error>>> {
        std::task::Poll::Ready(Some(Err(std::io::ErrorKind::BrokenPipe.into())))
    }
}
