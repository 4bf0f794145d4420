//! The simulated provider behind its router, on real files, without a socket.

mod authorisations;
mod books;
mod movements;
mod server;

use std::path::Path;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode};
use chrono::Utc;
use serde_json::{Value, json};
use taquilla_api::simulated_provider::{Books, Processor, router};
use tower::ServiceExt;

pub(crate) use server::Server;

const ORDER: &str = "00000000-0000-4000-8000-000000000001";
const ATTEMPT: &str = "00000000-0000-4000-8000-000000000002";

/// A provider in this process. Dropping it without `close` leaves its file locked for a moment.
pub(crate) struct Provider {
    books: Books,
    router: Router,
}

impl Provider {
    pub(crate) fn open(dir: &Path) -> Self {
        let books = Books::open(dir, Utc::now).expect("the books open");
        let router = router(Processor::new(&books));
        Self { books, router }
    }

    async fn close(self) {
        self.books.close().await.expect("the books close");
    }

    async fn authorise(&self, key: &str, payment_method: &str) -> (StatusCode, Value) {
        self.post("/authorisations", key, request(12_500, payment_method)).await
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
        let body = json!({ "amount": amount });
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

fn request(amount: u64, payment_method: &str) -> Value {
    json!({
        "order_id": ORDER,
        "attempt_id": ATTEMPT,
        "amount": amount,
        "currency": "EUR",
        "payment_method": payment_method,
    })
}
