//! Sending a request, and reading its answer within bounds.

use reqwest::header::HeaderName;
use reqwest::{RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::answer::{ErrorAnswer, Refused, Said, Unknown};
use crate::answer_body::{UnreadBody, read_body};

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest answer about one authorisation that is read. The provider's own are under 1 kB, and
/// under 16 kB with as many refunds as there may be.
pub(super) const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The longest page: a hundred times as much, rounded.
pub(super) const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Deserialize)]
struct ErrorBody {
    code: String,
    detail: String,
}

/// Sends it and reads the answer.
pub(super) async fn ask<T: DeserializeOwned>(request: RequestBuilder, bytes_max: usize) -> Said<T> {
    match request.send().await {
        Ok(answer) => match answer.status() {
            StatusCode::OK | StatusCode::CREATED => match read(answer, bytes_max).await {
                Ok(body) => Said::Answer(body),
                Err(unknown) => Said::Nothing(unknown),
            },
            status => not_done(status, answer).await,
        },
        Err(error) => Said::Nothing(unknown(error)),
    }
}

/// Sends what is answered with 204.
pub(super) async fn command(request: RequestBuilder) -> Said<()> {
    match request.send().await {
        Ok(answer) => match answer.status() {
            StatusCode::NO_CONTENT => Said::Answer(()),
            status => not_done(status, answer).await,
        },
        Err(error) => Said::Nothing(unknown(error)),
    }
}

async fn not_done<T>(status: StatusCode, answer: Response) -> Said<T> {
    match status {
        StatusCode::BAD_REQUEST
        | StatusCode::NOT_FOUND
        | StatusCode::CONFLICT
        | StatusCode::UNPROCESSABLE_ENTITY => match read(answer, ANSWER_BYTES_MAX).await {
            Ok(ErrorBody { code, detail }) => Said::Refused(Refused { status, code, detail }),
            Err(unknown) => Said::Nothing(unknown),
        },
        // Whatever its body is, and whether it can be read.
        status if status.is_server_error() => Said::Error(ErrorAnswer { status }),
        status => Said::Nothing(Unknown::Status { status }),
    }
}

async fn read<T: DeserializeOwned>(answer: Response, bytes_max: usize) -> Result<T, Unknown> {
    let bytes = read_body(answer, bytes_max).await.map_err(|unread| match unread {
        UnreadBody::TooLong(_) => Unknown::Unreadable { reason: unread.to_string() },
        UnreadBody::Lost(error) => unknown(error),
    })?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Unknown::Unreadable { reason: error.to_string() })
}

fn unknown(error: reqwest::Error) -> Unknown {
    if error.is_timeout() { Unknown::TimedOut } else { Unknown::Connection(error) }
}
