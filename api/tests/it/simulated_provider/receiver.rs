//! An endpoint of webhooks, which answers as a test wants it to.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// More than any delivery should take, the longest pause of a few failures included.
const PATIENCE: Duration = Duration::from_secs(15);

/// A running endpoint.
pub(crate) struct Receiver {
    pub(crate) url: String,
    arrived: mpsc::UnboundedReceiver<Arrival>,
    status: watch::Sender<StatusCode>,
    answers: Arc<Semaphore>,
    _serving: JoinSet<std::io::Result<()>>,
}

/// A webhook that came in.
pub(crate) struct Arrival {
    pub(crate) signature: String,
    pub(crate) body: Bytes,
}

#[derive(Clone)]
struct Desk {
    arrived: mpsc::UnboundedSender<Arrival>,
    status: watch::Receiver<StatusCode>,
    answers: Arc<Semaphore>,
}

impl Receiver {
    /// Answers everything with 200.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let (tell, arrived) = mpsc::unbounded_channel();
        let (status, said) = watch::channel(StatusCode::OK);
        let answers = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        let desk = Desk { arrived: tell, status: said, answers: answers.clone() };
        let router = Router::new().fallback(receive).with_state(desk);
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await });
        Self { url, arrived, status, answers, _serving: serving }
    }

    pub(crate) fn answer_with(&self, status: StatusCode) {
        self.status.send_replace(status);
    }

    /// Answers nothing before `release`.
    pub(crate) fn hold(&self) {
        self.answers.forget_permits(Semaphore::MAX_PERMITS);
    }

    pub(crate) fn release(&self) {
        self.answers.add_permits(Semaphore::MAX_PERMITS);
    }

    pub(crate) async fn next(&mut self) -> Arrival {
        let next = timeout(PATIENCE, self.arrived.recv()).await;
        next.expect("a webhook in time").expect("a running endpoint")
    }

    pub(crate) async fn event(&mut self) -> Value {
        self.next().await.event()
    }

    /// What has come and was not looked at.
    pub(crate) fn is_empty(&self) -> bool {
        self.arrived.is_empty()
    }

    /// The kind of the next event, without what all have in common.
    pub(crate) async fn kind(&mut self) -> String {
        let event = self.event().await;
        let kind = event["type"].as_str().expect("a type");
        kind.strip_prefix("authorisation.").expect("its kind").to_owned()
    }
}

impl Arrival {
    pub(crate) fn event(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

async fn receive(State(desk): State<Desk>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let signature = headers["simulated-signature"].to_str().expect("a text").to_owned();
    assert_eq!(headers["content-type"], "application/json");
    // The test may have ended.
    let _ = desk.arrived.send(Arrival { signature, body });
    let _answer = desk.answers.acquire().await;
    *desk.status.borrow()
}
