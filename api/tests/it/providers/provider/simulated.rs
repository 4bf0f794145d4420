//! The simulated provider on a socket, with its books on disk.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use reqwest::Url;
use serde_json::{Value, json};
use taquilla_api::payment_provider::{
    NoticeReader, SIMULATED, SignedWith, SimulatedNotices, SimulatedProvider,
};
use taquilla_api::provider_client::{Moved, SimulatedProviderClient};
use taquilla_engine::clock::Clock;
use taquilla_engine::payment::PaymentProvider;
use tempfile::{TempDir, tempdir};

use super::{Books, Pays, Provider};
use crate::providers::wire::Step;
use crate::simulated_provider::Server;

pub(in crate::providers) struct Simulated {
    server: Server,
    _books: TempDir,
}

impl Simulated {
    /// The entries of this order, as they stand in the books.
    async fn entries(&self, order: &str) -> Vec<Value> {
        let answer = reqwest::get(format!("{}/books", self.server.url)).await.expect("an answer");
        let entries: Vec<Value> = answer.json().await.expect("entries");
        entries.into_iter().filter(|entry| entry["order_id"] == order).collect()
    }
}

fn client(base: Url) -> SimulatedProviderClient {
    SimulatedProviderClient::new(base, Duration::from_secs(10)).expect("a client")
}

impl Provider for Simulated {
    const NAME: &'static str = SIMULATED;
    const SIGNATURE: &'static str = "simulated-signature";
    const STEPS: &'static [Step] = &[Step::Authorise, Step::Capture, Step::Refund];

    async fn start() -> Self {
        let books = tempdir().expect("a folder");
        Self { server: Server::start(books.path()).await, _books: books }
    }

    fn base(&self) -> Url {
        Url::parse(&self.server.url).expect("a URL")
    }

    fn step(method: &Method, path: &str) -> Step {
        match path.rsplit('/').next() {
            _ if method == Method::GET => Step::Look,
            Some("capture") => Step::Capture,
            Some("void") => Step::Void,
            Some("refund") => Step::Refund,
            _ => Step::Authorise,
        }
    }

    fn adapter(base: Url, _: Arc<dyn Clock>) -> Arc<dyn PaymentProvider> {
        Arc::new(SimulatedProvider::new(client(base)))
    }

    fn reader(secret: &str) -> Arc<dyn NoticeReader> {
        Arc::new(SimulatedNotices::new(SignedWith::new([secret.into()])))
    }

    async fn method(&self, pays: Pays) -> String {
        let method = match pays {
            Pays::Well => "sim_ok",
            Pays::Declined => "sim_decline",
            Pays::Challenged => "sim_challenge",
        };
        method.into()
    }

    async fn answer(&self, attempt: &Value, does: bool) -> bool {
        let page = attempt["next_action"]["url"].as_str().expect("the bank's page");
        let choice = if does { "" } else { "?answer=decline" };
        let answer = reqwest::get(format!("{page}{choice}")).await.expect("an answer");
        match answer.status() {
            StatusCode::OK => true,
            StatusCode::CONFLICT => false,
            status => panic!("the bank's page says {status}"),
        }
    }

    async fn let_go(&self, attempt: &Value) {
        let reference = attempt["provider_reference"].as_str().expect("a reference");
        let moved = client(self.base()).void(reference, "by-hand").await;
        assert!(matches!(moved, Moved::Done(_)), "{moved:?}");
    }

    async fn books(&self, order: &str) -> Books {
        let mut books = Books::default();
        for entry in self.entries(order).await {
            let amount = entry["amount"].as_i64().expect("an amount");
            match entry["kind"].as_str().expect("a kind") {
                "authorisation" => books.reserved += amount,
                "void" => books.reserved -= amount,
                "capture" => {
                    books.reserved -= amount;
                    books.captured += amount;
                }
                "refund" => books.refunded += amount,
                // Reconciliation compares these.
                "chargeback" => {}
                kind => panic!("{kind}"),
            }
        }
        books
    }

    async fn records(&self, order: &str) -> usize {
        let entries = self.entries(order).await;
        entries.iter().filter(|entry| entry["kind"] == "authorisation").count()
    }

    fn notice(id: &str, order: &str, attempt: &Value) -> Value {
        json!({"id": id, "type": "authorisation.authorised", "created_at": "2026-11-30T00:00:00Z",
               "order_id": order, "attempt_id": attempt["attempt_id"],
               "reference": attempt["provider_reference"],
               "amount": attempt["amount"]["amount"], "currency": attempt["amount"]["currency"]})
    }

    async fn charge_back(&self, id: &str, order: &str, attempt: &Value, amount: i64) -> Value {
        let reference = attempt["provider_reference"].as_str().expect("a reference");
        let url = format!("{}/authorisations/{reference}/chargeback", self.server.url);
        let request = reqwest::Client::new().post(url).header("idempotency-key", id);
        let answer = request.json(&json!({"amount": amount})).send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK);
        let mut notice = Self::notice(id, order, attempt);
        notice["type"] = json!("authorisation.charged_back");
        notice["amount"] = json!(amount);
        notice
    }

    async fn tell(&self, url: &Url, secret: &str) {
        let told = client(self.base()).set_webhook_endpoint(url, secret).await;
        told.expect("the provider takes it");
    }
}
