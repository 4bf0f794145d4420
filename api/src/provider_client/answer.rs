//! What an answer means.

use reqwest::StatusCode;
use serde::Deserialize;

use super::authorisation::{Authorisation, Declined, RequiredAction};

/// How a request for an authorisation ended.
#[derive(Debug)]
pub enum Outcome {
    /// The provider's object after the request.
    Authorised(Authorisation),
    /// Nothing is decided before the buyer has acted.
    RequiresAction(RequiredAction),
    /// The provider declined, for good.
    Declined(Declined),
    /// The provider did nothing, and says why.
    Refused(Refused),
    /// The provider failed: it may have been done, or not, and this key will not tell.
    Failed(ErrorAnswer),
    /// It may have been done, or not; the same key will tell.
    Unknown(Unknown),
}

/// How a capture, void or refund ended.
#[derive(Debug)]
pub enum Moved {
    /// The provider's object after it.
    Done(Authorisation),
    /// The provider did nothing now, and says why: perhaps because it was done before.
    Refused(Refused),
    /// The provider failed: it may have been done, or not, and this key will not tell.
    Failed(ErrorAnswer),
    /// It may have been done, or not; the same key will tell.
    Unknown(Unknown),
}

/// What a look-up finds.
#[derive(Debug)]
pub enum Lookup {
    /// It was authorised; captures, voids and refunds since then are in the object.
    Authorised(Authorisation),
    /// It waits for the buyer.
    RequiresAction(RequiredAction),
    /// It was declined, for good.
    Declined(Declined),
    /// It is in work.
    Pending,
    /// The provider does not know it now. That is no promise: a request still on its way may book it
    /// yet. Only a repeat settles it.
    Absent,
    /// The question was not understood; a bug.
    Refused(Refused),
    /// The provider did not say.
    Unknown(Unknown),
}

/// A definite no to a request, after which the provider's books are as before.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the provider refuses it as `{code}`: {detail}")]
pub struct Refused {
    /// 400, 404, 409 (the state does not allow it) or 422 (the key, attempt or refund named another
    /// request).
    pub status: StatusCode,
    /// For programs, such as `already_voided`.
    pub code: String,
    /// For people.
    pub detail: String,
}

/// The provider, or somebody in front of it, said that it failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the provider failed with status {status}")]
pub struct ErrorAnswer {
    /// A 5xx.
    pub status: StatusCode,
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
    /// Somebody else answered for the provider, or to a look-up the provider failed.
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

/// Why a question that moves no money has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// It was not understood.
    #[error(transparent)]
    Refused(Refused),
    /// The provider failed.
    #[error(transparent)]
    Failed(ErrorAnswer),
    /// Nothing was heard.
    #[error(transparent)]
    Unknown(Unknown),
}

/// What came back, as a request reads it.
pub(super) enum Said<T> {
    Answer(T),
    Refused(Refused),
    Error(ErrorAnswer),
    Nothing(Unknown),
}

/// An authorisation by its status.
#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub(super) enum Decided {
    Authorised(Authorisation),
    RequiresAction(RequiredAction),
    Declined(Declined),
    Pending {},
}

impl<T> Said<T> {
    pub(super) fn answered(self) -> Result<T, Unanswered> {
        match self {
            Self::Answer(answer) => Ok(answer),
            Self::Refused(refused) => Err(Unanswered::Refused(refused)),
            Self::Error(error) => Err(Unanswered::Failed(error)),
            Self::Nothing(unknown) => Err(Unanswered::Unknown(unknown)),
        }
    }
}

impl From<Said<Decided>> for Outcome {
    fn from(said: Said<Decided>) -> Self {
        match said {
            Said::Answer(Decided::Authorised(authorisation)) => Self::Authorised(authorisation),
            Said::Answer(Decided::RequiresAction(action)) => Self::RequiresAction(action),
            Said::Answer(Decided::Declined(declined)) => Self::Declined(declined),
            // Only a look-up may find it still in work.
            Said::Answer(Decided::Pending {}) => {
                Self::Unknown(Unknown::Unreadable { reason: "a pending answer".to_owned() })
            }
            Said::Refused(refused) => Self::Refused(refused),
            Said::Error(error) => Self::Failed(error),
            Said::Nothing(unknown) => Self::Unknown(unknown),
        }
    }
}

impl From<Said<Authorisation>> for Moved {
    fn from(said: Said<Authorisation>) -> Self {
        match said {
            Said::Answer(authorisation) => Self::Done(authorisation),
            Said::Refused(refused) => Self::Refused(refused),
            Said::Error(error) => Self::Failed(error),
            Said::Nothing(unknown) => Self::Unknown(unknown),
        }
    }
}
