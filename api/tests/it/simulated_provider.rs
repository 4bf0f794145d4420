//! The simulated provider behind its router, on real files, without a socket.

mod authorisations;
mod books;
mod faults;
mod http;
mod lists;
mod methods;
mod movements;
mod process;
mod receiver;
mod refunds;
mod server;
mod webhooks;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode};
use chrono::Utc;
use serde_json::{Value, json};
use taquilla_api::simulated_provider::{Books, BooksError, Processor, Settings, router};
use tower::ServiceExt;
use uuid::{Builder, Uuid};

use process::Process;
pub(crate) use server::Server;

const ORDER: &str = "00000000-0000-4000-8000-000000000001";

/// A provider in this process. Dropping it without `close` leaves its file locked for a moment.
pub(crate) struct Provider {
    books: Books,
    router: Router,
}

impl Provider {
    pub(crate) fn open(dir: &Path) -> Self {
        Self::open_with(dir, &Settings::new("http://bank".to_owned()))
    }

    fn open_with(dir: &Path, settings: &Settings) -> Self {
        let books = open_books(dir, settings).expect("the books open");
        let router = router(Processor::new(&books));
        Self { books, router }
    }

    async fn close(self) {
        self.books.close().await.expect("the books close");
    }

    /// Under each key another attempt.
    async fn authorise(&self, key: &str, payment_method: &str) -> (StatusCode, Value) {
        self.post("/authorisations", key, request_of(key, payment_method)).await
    }

    /// Authorises, expects a yes, and returns the reference.
    async fn authorised(&self, key: &str) -> String {
        let (status, body) = self.authorise(key, "sim_ok").await;
        assert_eq!((status, &body["status"]), (StatusCode::CREATED, &json!("authorised")));
        body["reference"].as_str().expect("a reference").to_owned()
    }

    async fn capture(&self, reference: &str, key: &str) -> (StatusCode, Value) {
        self.post(&format!("/authorisations/{reference}/capture"), key, json!({})).await
    }

    async fn void(&self, reference: &str, key: &str) -> (StatusCode, Value) {
        self.post(&format!("/authorisations/{reference}/void"), key, json!({})).await
    }

    async fn refund(&self, reference: &str, key: &str, amount: u64) -> (StatusCode, Value) {
        let body = json!({ "amount": amount, "refund_id": id(key) });
        self.post(&format!("/authorisations/{reference}/refund"), key, body).await
    }

    async fn find(&self, key: &str) -> (StatusCode, Value) {
        self.get(&format!("/authorisations?idempotency_key={key}")).await
    }

    /// The kinds of all entries, in their order.
    async fn kinds(&self) -> Vec<String> {
        let (_, entries) = self.get("/books").await;
        let entries = entries.as_array().expect("an array of entries");
        entries.iter().map(|entry| entry["kind"].as_str().expect("a kind").to_owned()).collect()
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.call(Request::get(path).body(Body::empty()).expect("a request")).await
    }

    async fn post(&self, path: &str, key: &str, body: Value) -> (StatusCode, Value) {
        let request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header("idempotency-key", key)
            .body(Body::from(body.to_string()));
        self.call(request.expect("a request")).await
    }

    async fn call(&self, request: Request<Body>) -> (StatusCode, Value) {
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), 1 << 20).await.expect("a short body");
        (status, serde_json::from_slice(&bytes).expect("a JSON body"))
    }
}

/// Opens books that nobody else keeps. A process that another test is just starting may have their
/// lock for a moment: until it runs its own program, it has all files of this one.
fn open_books(dir: &Path, settings: &Settings) -> Result<Books, BooksError> {
    let patience = Instant::now() + Duration::from_secs(10);
    loop {
        match Books::open(dir, Utc::now, settings) {
            Err(BooksError::Locked { .. }) if Instant::now() < patience => thread::yield_now(),
            opened => return opened,
        }
    }
}

/// An id that is another one for each name.
fn id(name: &str) -> Uuid {
    let mut bytes = [0; 16];
    for (place, byte) in name.bytes().enumerate() {
        bytes[place % 16] ^= byte;
    }
    Builder::from_custom_bytes(bytes).into_uuid()
}

/// 12,500 for the attempt of this name.
fn request_of(attempt: &str, payment_method: &str) -> Value {
    json!({
        "order_id": ORDER,
        "attempt_id": id(attempt),
        "amount": 12_500,
        "currency": "EUR",
        "payment_method": payment_method,
    })
}

/// The same request with another amount.
fn with_amount(mut request: Value, amount: u64) -> Value {
    request["amount"] = json!(amount);
    request
}

fn assert_refused((status, body): &(StatusCode, Value), code: &str) {
    assert_eq!((*status, &body["code"]), (StatusCode::CONFLICT, &json!(code)));
}
