//! Sending a request to Stripe, and reading its answer within bounds. Only Stripe's own words are
//! definite: a refusal without its error object was somebody else's.

use reqwest::{RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::intent::PaymentIntent;
use crate::answer_body::{UnreadBody, read_body};

/// The longest answer that is read. A payment intent with its charge takes about ten kilobytes, and a page
/// has a hundred.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What Stripe said to a request.
pub(super) enum Said<T> {
    /// The object after it.
    Answer(T),
    /// Definitely not done, and why.
    Refused(Box<Refusal>),
    /// Stripe is at work on the same thing.
    Busy(String),
    /// Stripe failed, or will never answer this key: the next try needs another.
    Erred(String),
    /// No telling. The same key is right for the next try.
    Nothing(String),
}

/// The error object of a refusal.
#[derive(Debug, Deserialize)]
pub(super) struct Refusal {
    /// `card_error`, or whose fault it is else.
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    /// Stripe's code for programs.
    pub(super) code: Option<String>,
    /// The bank's.
    pub(super) decline_code: Option<String>,
    /// In words; of a `card_error`, for the buyer.
    pub(super) message: Option<String>,
    /// The parameter that was wrong.
    pub(super) param: Option<String>,
    /// The payment intent as it stands.
    pub(super) payment_intent: Option<Box<PaymentIntent>>,
}

#[derive(Deserialize)]
struct ErrorBody {
    error: Refusal,
}

impl<T> Said<T> {
    /// Another thing where there was an answer.
    pub(super) fn map<U>(self, into: impl FnOnce(T) -> U) -> Said<U> {
        match self {
            Self::Answer(answer) => Said::Answer(into(answer)),
            Self::Refused(refusal) => Said::Refused(refusal),
            Self::Busy(why) => Said::Busy(why),
            Self::Erred(why) => Said::Erred(why),
            Self::Nothing(why) => Said::Nothing(why),
        }
    }

    /// The answer to a question that moves nothing; else why there is none.
    pub(super) fn answered(self) -> Result<T, String> {
        match self {
            Self::Answer(answer) => Ok(answer),
            Self::Refused(refusal) => {
                tracing::error!(%refusal, "Stripe does not answer a question");
                Err(refusal.to_string())
            }
            Self::Busy(why) | Self::Erred(why) | Self::Nothing(why) => Err(why),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code.as_deref().or(self.kind.as_deref()).unwrap_or("no code");
        write!(f, "{code}: {}", self.message.as_deref().unwrap_or("no message"))
    }
}

/// Sends it and reads the answer.
pub(super) async fn ask<T: DeserializeOwned>(request: RequestBuilder) -> Said<T> {
    match request.send().await {
        Ok(answer) if answer.status() == StatusCode::OK => match read(answer).await {
            Ok(body) => Said::Answer(body),
            Err(why) => Said::Nothing(why),
        },
        Ok(answer) => not_done(answer).await,
        Err(error) => Said::Nothing(silence(&error)),
    }
}

async fn not_done<T>(answer: Response) -> Said<T> {
    let status = answer.status();
    if status.is_server_error() {
        return Said::Erred(format!("Stripe failed with status {status}"));
    }
    if !status.is_client_error() {
        return Said::Nothing(format!("somebody answered with status {status}"));
    }
    let refusal = match read::<ErrorBody>(answer).await {
        Ok(body) => body.error,
        Err(why) => return Said::Nothing(format!("status {status}, and {why}")),
    };
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            tracing::error!(%status, %refusal, "Stripe does not accept payments.stripe.secret_key");
            Said::Nothing(format!("status {status}: {refusal}"))
        }
        // Whatever the status: what was sent first under this key was something else.
        _ if refusal.kind.as_deref() == Some("idempotency_error") => {
            if status == StatusCode::CONFLICT {
                return Said::Busy(refusal.to_string());
            }
            tracing::error!(%refusal, "Stripe knows the key of a request by another request");
            Said::Erred(refusal.to_string())
        }
        StatusCode::CONFLICT => Said::Busy(refusal.to_string()),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
            Said::Nothing(refusal.to_string())
        }
        _ => Said::Refused(Box::new(refusal)),
    }
}

async fn read<T: DeserializeOwned>(answer: Response) -> Result<T, String> {
    let bytes = read_body(answer, ANSWER_BYTES_MAX).await.map_err(|unread| match unread {
        UnreadBody::TooLong(_) => format!("the answer is too long: {unread}"),
        UnreadBody::Lost(error) => silence(&error),
    })?;
    serde_json::from_slice(&bytes).map_err(|error| format!("the answer cannot be read: {error}"))
}

fn silence(error: &reqwest::Error) -> String {
    let what = if error.is_timeout() { "no answer in time" } else { "the connection failed" };
    format!("{what}: {error}")
}
