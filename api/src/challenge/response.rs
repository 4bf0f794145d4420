//! What comes back for a challenge: Base64 of JSON, as ALTCHA's widgets write it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use crate::problem::FormError;

/// The one algorithm that is asked for.
pub(super) const ALGORITHM: &str = "SHA-256";

/// A solution of ours has some 500.
const CHARS_MAX: usize = 4 * 1024;

/// What a buyer shows.
#[derive(Debug)]
pub enum Shown {
    /// No solution.
    Nothing,
    /// More than any solution has; unread.
    TooLong,
    /// Something of the right form.
    Response(Response),
}

/// A solution, right or wrong. Widgets add members, such as how long they took.
#[derive(Debug, Deserialize)]
pub struct Response {
    pub(super) algorithm: String,
    pub(super) challenge: String,
    pub(super) number: u64,
    pub(super) salt: String,
    pub(super) signature: String,
}

impl Shown {
    /// What this member of a request holds.
    ///
    /// # Errors
    /// If it is no solution of any challenge.
    pub fn read(text: Option<&str>) -> Result<Self, FormError> {
        let Some(text) = text else { return Ok(Self::Nothing) };
        if text.len() > CHARS_MAX {
            return Ok(Self::TooLong);
        }
        let wrong = |what: &str| {
            let right =
                "Base64 of JSON with `algorithm`, `challenge`, `number`, `salt` and `signature`";
            FormError::at("/challenge_response", format!("{what}: a solution is {right}"))
        };
        let json = BASE64_STANDARD.decode(text).map_err(|_| wrong("this is no Base64"))?;
        let response: Response =
            serde_json::from_slice(&json).map_err(|_| wrong("this is no solution"))?;
        if response.algorithm != ALGORITHM {
            return Err(wrong("the algorithm is SHA-256"));
        }
        Ok(Self::Response(response))
    }
}
