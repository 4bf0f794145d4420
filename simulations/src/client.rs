//! One buyer at the server's door: every request that is sent is recorded, with when and what came.

mod answer;
mod bank;
mod purchase;
mod recorder;
mod repeat;
mod tokens;

use std::time::Duration;

use chrono::Utc;
use serde_json::Value;
use taquilla_auditor::Recorded;

use crate::DrillError;

pub use answer::Answer;
pub use bank::Bank;
pub use recorder::Recorder;
pub use repeat::Unresolved;
pub use tokens::Tokens;

/// Longer than any deadline of the server's: a request that takes so long was not answered.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// The server as buyers reach it. Cheap to copy.
#[derive(Debug, Clone)]
pub struct Site {
    http: reqwest::Client,
    url: String,
    recorder: Recorder,
}

impl Site {
    /// The site at `url`; what is asked there goes into `recorder`.
    ///
    /// # Errors
    /// If no HTTP client can be made.
    pub fn new(url: String, recorder: Recorder) -> Result<Self, DrillError> {
        let http = reqwest::Client::builder().timeout(ANSWER_MAX).build()?;
        Ok(Self { http, url, recorder })
    }

    /// What has been recorded here.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }
}

/// What a buyer asks for.
#[derive(Debug, Clone)]
pub struct Request {
    method: reqwest::Method,
    path: String,
    key: Option<String>,
    body: Value,
}

impl Request {
    /// A look at something.
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: reqwest::Method::GET, path: path.into(), key: None, body: Value::Null }
    }

    /// Something to be made, under a key.
    pub fn post(path: impl Into<String>, key: impl Into<String>, body: Value) -> Self {
        Self { method: reqwest::Method::POST, path: path.into(), key: Some(key.into()), body }
    }

    /// Something to be made by an operator, who needs no key.
    pub fn make(path: impl Into<String>, body: Value) -> Self {
        Self { key: None, ..Self::post(path, "", body) }
    }

    /// Something to be changed by an operator.
    pub fn patch(path: impl Into<String>, body: Value) -> Self {
        Self { method: reqwest::Method::PATCH, ..Self::make(path, body) }
    }

    /// Something to be ended.
    pub fn delete(path: impl Into<String>) -> Self {
        Self { method: reqwest::Method::DELETE, ..Self::get(path) }
    }

    /// The same key for something else.
    #[must_use]
    pub fn with_body(&self, body: Value) -> Self {
        Self { body, ..self.clone() }
    }

    /// The same wish under another key.
    #[must_use]
    pub fn with_key(&self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self.clone() }
    }
}

/// A buyer with a token.
#[derive(Debug, Clone)]
pub struct Buyer {
    site: Site,
    name: String,
    token: String,
}

impl Buyer {
    /// The buyer whose token says `name`.
    #[must_use]
    pub fn new(site: Site, name: String, token: String) -> Self {
        Self { site, name, token }
    }

    /// Sends the request once.
    pub async fn send(&self, request: &Request) -> Answer {
        let at_start = Utc::now();
        let answer = self.exchange(request).await.unwrap_or_default();
        self.site.recorder.keep(Recorded {
            at_start,
            at_end: Utc::now(),
            buyer: self.name.clone(),
            method: request.method.to_string(),
            path: request.path.clone(),
            key: request.key.clone(),
            request: request.body.clone(),
            status: answer.status,
            answer: answer.body.clone(),
        });
        answer
    }

    /// An error is no answer: what it was, nobody can tell the buyer either.
    async fn exchange(&self, request: &Request) -> Result<Answer, reqwest::Error> {
        let url = format!("{}{}", self.site.url, request.path);
        let mut sending = self.site.http.request(request.method.clone(), url);
        sending = sending.bearer_auth(&self.token);
        if let Some(key) = &request.key {
            sending = sending.header("Idempotency-Key", key);
        }
        if !request.body.is_null() {
            sending = sending.json(&request.body);
        }
        let response = sending.send().await?;
        let status = response.status().as_u16();
        let bytes = response.bytes().await?;
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Answer { status: Some(status), body })
    }
}
