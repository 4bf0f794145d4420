//! What an answer means, and reading it within bounds.

use reqwest::{RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// The longest answer that is read. The provider's own are under 1 kB.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// How a request that changes something ended.
#[derive(Debug)]
pub enum Outcome {
    /// The provider's object after the request.
    Authorised(Authorisation),
    /// The provider declined, for good.
    Declined(Declined),
    /// The provider did nothing, and says why.
    Refused(Refused),
    /// It may have been done, or not.
    Unknown(Unknown),
}

/// What a key finds.
#[derive(Debug)]
pub enum Lookup {
    /// It was authorised; captures, voids and refunds since then are in the object.
    Authorised(Authorisation),
    /// It was declined, for good.
    Declined(Declined),
    /// It is in work.
    Pending,
    /// The provider does not know the key now. That is no promise: a request still on its way may
    /// book under it yet. Only a repeat with the same key settles it.
    Absent,
    /// The question was not understood; a bug.
    Refused(Refused),
    /// The provider did not say.
    Unknown(Unknown),
}

/// The provider's record of an authorised amount.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Authorisation {
    /// The provider's name for it, opaque.
    pub reference: String,
    /// The order that it was asked for.
    pub order_id: Uuid,
    /// The attempt that it was asked for.
    pub attempt_id: Uuid,
    /// Minor units.
    pub amount: u64,
    /// ISO 4217.
    pub currency: String,
    /// Whether the whole amount was captured.
    pub captured: bool,
    /// Whether it was let go.
    pub voided: bool,
    /// Minor units paid back so far.
    pub refunded_amount: u64,
}

/// The provider's record of an amount that it did not authorise.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Declined {
    /// The provider's name for it, opaque.
    pub reference: String,
    /// The order that it was asked for.
    pub order_id: Uuid,
    /// The attempt that it was asked for.
    pub attempt_id: Uuid,
    /// Minor units.
    pub amount: u64,
    /// ISO 4217.
    pub currency: String,
    /// Why.
    pub failure: Failure,
}

/// Why an authorisation was declined.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Failure {
    /// For programs, such as `card_declined`.
    pub code: String,
    /// For people.
    pub detail: String,
}

/// A definite no to a request, after which the provider's books are as before.
#[derive(Debug, Clone)]
pub struct Refused {
    /// 400, 404, 409 (the state does not allow it) or 422 (the key named another request).
    pub status: StatusCode,
    /// For programs, such as `already_voided`.
    pub code: String,
    /// For people.
    pub detail: String,
}

/// Why it is not known what the provider did.
#[derive(Debug, thiserror::Error)]
pub enum Unknown {
    /// No whole answer within the deadline.
    #[error("the provider did not answer in time")]
    TimedOut,
    /// The connection failed or was lost, before or after the request.
    #[error("the connection to the provider failed")]
    Connection(#[source] reqwest::Error),
    /// The provider itself failed or shed the request, or somebody else answered for it.
    #[error("the provider answered with status {status}")]
    Status {
        /// Neither a success nor one of [`Refused`].
        status: StatusCode,
    },
    /// An answer that is not the provider's, or not whole.
    #[error("the provider's answer cannot be read: {reason}")]
    Unreadable {
        /// What is wrong with it.
        reason: String,
    },
}

/// An answer that the provider meant.
#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub(super) enum Decided {
    Authorised(Authorisation),
    Declined(Declined),
    Pending {},
    #[serde(skip)]
    Refused(Refused),
}

#[derive(Deserialize)]
struct RefusalBody {
    code: String,
    detail: String,
}

pub(super) async fn read_answer(request: RequestBuilder) -> Result<Decided, Unknown> {
    let answer = request.send().await.map_err(unknown)?;
    match answer.status() {
        StatusCode::OK | StatusCode::CREATED => read_body(answer).await,
        status @ (StatusCode::BAD_REQUEST
        | StatusCode::NOT_FOUND
        | StatusCode::CONFLICT
        | StatusCode::UNPROCESSABLE_ENTITY) => {
            let RefusalBody { code, detail } = read_body(answer).await?;
            Ok(Decided::Refused(Refused { status, code, detail }))
        }
        status => Err(Unknown::Status { status }),
    }
}

async fn read_body<T: DeserializeOwned>(mut answer: Response) -> Result<T, Unknown> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(unknown)? {
        if bytes.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(Unknown::Unreadable { reason: "it is too long".to_owned() });
        }
        bytes.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| Unknown::Unreadable { reason: error.to_string() })
}

fn unknown(error: reqwest::Error) -> Unknown {
    if error.is_timeout() { Unknown::TimedOut } else { Unknown::Connection(error) }
}
