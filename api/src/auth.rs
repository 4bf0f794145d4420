//! Who asks: bearer tokens in, a [`Caller`] out.
//!
//! The usher of a group of routes does this, so that a missing token is told before a wrong method, media
//! type or body. Handlers take [`Buyer`] or [`Operator`] as arguments.

mod asks;
mod known;
mod mint;
mod token;

pub(crate) use asks::require_operator;
pub use asks::{Buyer, Operator, authenticate};
pub use mint::{Grant, MintError, mint};
pub use token::{Caller, KeyError, TokenSettings, TokenVerifier, VerificationKey};
