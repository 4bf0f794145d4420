//! What a client asked and was told, one line a request that was sent.

use std::io::{self, BufRead, Write};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request that was sent, and what became of it. A repeat is a record of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Before the first byte was sent.
    pub at_start: DateTime<Utc>,
    /// After the last byte of the answer, or when the client gave up.
    pub at_end: DateTime<Utc>,
    /// The `sub` of the token.
    pub buyer: String,
    /// `POST` and so on.
    pub method: String,
    /// With its query, without the host.
    pub path: String,
    /// The `Idempotency-Key`.
    pub key: Option<String>,
    /// The body; null when there was none.
    pub request: Value,
    /// The answer's status; `None` when no answer came.
    pub status: Option<u16>,
    /// The answer's body; null when there was none.
    pub answer: Value,
}

impl Recorded {
    /// Whether it was answered with a yes.
    pub(crate) fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// The problem that the answer names, if it is one.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.answer.get("type")?.as_str()?.rsplit('/').next()
    }

    /// The slug of a 409 that is the result of its key, or would be if the request had one.
    pub(crate) fn refusal(&self) -> Option<&str> {
        let slug = self.problem().filter(|_| self.status == Some(409))?;
        let is_decided = matches!(
            slug,
            "seats-unavailable" | "buyer-limit-exceeded" | "hold-not-active" | "order-not-payable"
        );
        is_decided.then_some(slug)
    }
}

/// Why a recording could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file.
    #[error("the recording cannot be used")]
    Io(#[from] io::Error),
    /// A line that is no record.
    #[error("line {line} of the recording is no record")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What the parser says.
        source: serde_json::Error,
    },
}

/// Reads a recording: JSON, a record a line.
///
/// # Errors
/// [`RecordingError`], at the first line that is no record.
pub fn read_recording(input: impl BufRead) -> Result<Vec<Recorded>, RecordingError> {
    let mut all = Vec::new();
    for (place, line) in input.lines().enumerate() {
        let record = serde_json::from_str(&line?)
            .map_err(|source| RecordingError::Line { line: place + 1, source })?;
        all.push(record);
    }
    Ok(all)
}

/// Writes a recording that [`read_recording`] reads.
///
/// # Errors
/// [`RecordingError::Io`].
pub fn write_recording(recorded: &[Recorded], mut out: impl Write) -> Result<(), RecordingError> {
    for record in recorded {
        serde_json::to_writer(&mut out, record).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}
