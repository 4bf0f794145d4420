//! Requests, parsed strictly: what is not understood is refused, and the place is named.
//!
//! A body is bounded in size and depth, then read into a tree in which no key stands twice, then into
//! its type, where all unknown fields and wrong types are told by JSON pointers, up to a bound. axum's own extractors
//! would take the last of two equal keys and answer in plain text.

mod bounds;
mod fingerprint;
mod form;
mod json;
mod keyed;
mod located;
mod path;
pub mod pieces;
mod pointer;
mod query;
mod tree;
mod words;

use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::{Problem, table};

pub use bounds::{RequestBody, check_depth};
pub use json::{JsonText, StrictJson, read_form};
pub use keyed::{IDEMPOTENCY_KEY, KeyedJson};
pub use path::PathName;
pub use pointer::pointer_token;
pub use query::{StrictQuery, unknown_parameters};

/// One place of a request, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FormError {
    /// A JSON pointer into the body, `?name` for a query parameter, or a header's name.
    pub pointer: String,
    /// In words.
    pub detail: String,
}

impl FormError {
    /// This place is wrong in this way.
    #[must_use]
    pub fn at(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), detail: detail.into() }
    }
}

impl From<FormError> for Problem {
    fn from(error: FormError) -> Self {
        malformed(vec![error])
    }
}

/// A request whose form is wrong in these places.
#[must_use]
pub fn malformed(errors: Vec<FormError>) -> Problem {
    let detail = match errors.as_slice() {
        [only] if only.pointer.is_empty() => only.detail.clone(),
        [only] => format!("{}: {}", only.pointer, only.detail),
        several => format!("{} places of the request are wrong", several.len()),
    };
    Problem::new(&table::MALFORMED_REQUEST, detail).with("errors", errors)
}

/// The errors found so far by checks that go on after the first.
#[derive(Debug, Default)]
pub struct FormErrors(Vec<FormError>);

impl FormErrors {
    /// Notes one more.
    pub fn add(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        self.0.push(FormError::at(pointer, detail));
    }

    /// Notes some more.
    pub fn extend(&mut self, errors: Vec<FormError>) {
        self.0.extend(errors);
    }

    /// Notes one unless `holds`.
    pub fn require(&mut self, holds: bool, pointer: &str, detail: &str) {
        if !holds {
            self.add(pointer, detail);
        }
    }

    /// Whether nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All that was noted.
    #[must_use]
    pub fn into_errors(self) -> Vec<FormError> {
        self.0
    }

    /// The problem, if anything was noted.
    ///
    /// # Errors
    /// All that was noted, as one problem.
    pub fn into_result(self) -> Result<(), Problem> {
        if self.0.is_empty() { Ok(()) } else { Err(malformed(self.0)) }
    }
}
