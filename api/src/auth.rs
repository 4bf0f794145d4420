//! Who asks: bearer tokens in, a [`Caller`] out.
//!
//! A layer in front of a group of routes does this, so that a missing token is told before a wrong
//! method, media type or body. Handlers take [`Buyer`] or [`Operator`] as arguments.

mod layer;
mod mint;
mod token;

pub use layer::{Buyer, Operator, require_buyer, require_operator};
pub use mint::{Grant, MintError, mint};
pub use token::{Caller, KeyError, TokenSettings, TokenVerifier, VerificationKey};
