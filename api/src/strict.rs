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
#[cfg(test)]
pub(crate) mod stuck;
mod tree;
mod words;

pub use crate::problem::{ERRORS_MAX, FormError, FormErrors, malformed};
pub(crate) use bounds::read as read_raw;
pub use bounds::{RequestBody, check_depth};
pub use json::{JsonText, StrictJson, read_form};
pub use keyed::{IDEMPOTENCY_KEY, KeyedJson};
pub use path::PathName;
pub use pointer::pointer_token;
pub use query::{StrictQuery, unknown_parameters};
