//! Somebody's endpoint, over real HTTP: what it is posted, and what it answers.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use serde_json::Value;
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// 24 bytes.
const SECRET: [u8; 24] = [9; 24];

/// A running endpoint.
pub(crate) struct Endpoint {
    address: SocketAddr,
    shared: Arc<Shared>,
    _task: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct Shared {
    /// What comes next; 204 when there is nothing left.
    answers: Mutex<VecDeque<u16>>,
    posted: Mutex<Vec<Posted>>,
}

/// A message as it came.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) id: String,
    pub(crate) event: Value,
    pub(crate) answered: u16,
}

impl Endpoint {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        let router = Router::new().route("/in", post(take)).with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it serves");
        });
        Self { address, shared, _task: AbortOnDropHandle::new(task) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/in", self.address)
    }

    pub(crate) fn secret() -> String {
        format!("whsec_{}", STANDARD.encode(SECRET))
    }

    /// What the next posts are answered, before all is well again.
    pub(crate) fn answer(&self, statuses: impl IntoIterator<Item = u16>) {
        self.shared.answers.lock().extend(statuses);
    }

    /// Everything that came, signed as it must be.
    pub(crate) fn posted(&self) -> Vec<Posted> {
        self.shared.posted.lock().clone()
    }

    /// What it said yes to.
    pub(crate) fn taken(&self) -> Vec<Posted> {
        self.posted().into_iter().filter(|it| it.answered == 204).collect()
    }
}

async fn take(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name: &str| headers[name].to_str().expect("ASCII").to_owned();
    assert_eq!(header("content-type"), "application/cloudevents+json");
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let mut mac = Hmac::<Sha256>::new_from_slice(&SECRET).expect("a key");
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(&body);
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    assert_eq!(header("webhook-signature"), expected);
    let event: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(event["id"], id.as_str());
    let answered = shared.answers.lock().pop_front().unwrap_or(204);
    shared.posted.lock().push(Posted { id, event, answered });
    StatusCode::from_u16(answered).expect("a status")
}
