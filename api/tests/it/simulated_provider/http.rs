//! The provider as its callers reach it: over a socket, in one word a request.

use std::time::Duration;

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{id, request_of};

/// More than any test should take.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone)]
pub(crate) struct Http {
    url: String,
    client: Client,
}

impl Http {
    pub(crate) fn at(url: &str) -> Self {
        let client = Client::builder().timeout(PATIENCE).no_proxy().build().expect("a client");
        Self { url: url.to_owned(), client }
    }

    /// For the attempt of the key's name.
    pub(crate) async fn authorise(&self, key: &str, method: &str) -> (StatusCode, Value) {
        self.authorise_for(key, key, method).await
    }

    pub(crate) async fn authorise_for(
        &self,
        attempt: &str,
        key: &str,
        method: &str,
    ) -> (StatusCode, Value) {
        self.post("/authorisations", key, request_of(attempt, method)).await
    }

    /// All at once, and their answers in the order of the keys.
    pub(crate) async fn authorise_all(
        &self,
        keys: &[String],
        method: &'static str,
    ) -> Vec<(StatusCode, Value)> {
        let ask = |key: &String| {
            let (http, key) = (self.clone(), key.clone());
            tokio::spawn(async move { http.authorise(&key, method).await })
        };
        let asked: Vec<_> = keys.iter().map(ask).collect();
        let mut answers = Vec::new();
        for one in asked {
            answers.push(one.await.expect("no panic"));
        }
        answers
    }

    /// A POST for an authorisation that is given up after so long, if it is not answered.
    pub(crate) async fn authorise_within(
        &self,
        patience: Duration,
        key: &str,
        method: &str,
    ) -> Option<StatusCode> {
        let request = self
            .client
            .post(format!("{}/authorisations", self.url))
            .header("idempotency-key", key)
            .json(&request_of(key, method))
            .timeout(patience);
        match request.send().await {
            Ok(answer) => Some(answer.status()),
            Err(error) => {
                assert!(error.is_timeout(), "{error:?}");
                None
            }
        }
    }

    pub(crate) async fn act(&self, reference: &str, act: &str, key: &str) -> (StatusCode, Value) {
        self.post(&format!("/authorisations/{reference}/{act}"), key, json!({})).await
    }

    /// What is known of the attempt of this name.
    pub(crate) async fn find(&self, attempt: &str) -> (StatusCode, Value) {
        self.get(&format!("/authorisations?attempt_id={}", id(attempt))).await
    }

    /// The same, once it is booked.
    pub(crate) async fn found(&self, attempt: &str) -> Value {
        let booked = async {
            loop {
                let (status, body) = self.find(attempt).await;
                if status == StatusCode::OK && body["status"] != "pending" {
                    return body;
                }
            }
        };
        timeout(PATIENCE, booked).await.expect("it is booked in time")
    }

    pub(crate) async fn kinds(&self) -> Vec<String> {
        let (_, entries) = self.get("/books").await;
        let entries = entries.as_array().expect("an array of entries");
        entries.iter().map(|entry| entry["kind"].as_str().expect("a kind").to_owned()).collect()
    }

    pub(crate) async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.call(Method::GET, path, None, None).await
    }

    pub(crate) async fn post(&self, path: &str, key: &str, body: Value) -> (StatusCode, Value) {
        self.call(Method::POST, path, Some(key), Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> (StatusCode, Value) {
        self.call(Method::PUT, path, None, Some(body)).await
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<Value>,
    ) -> (StatusCode, Value) {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("an answer");
        let status = answer.status();
        let bytes = answer.bytes().await.expect("a whole body");
        // A page for people is a text.
        let text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
        (status, serde_json::from_slice(&bytes).unwrap_or_else(|_| text()))
    }
}

/// The reference of an answer.
pub(crate) fn reference(body: &Value) -> String {
    body["reference"].as_str().expect("a reference").to_owned()
}
