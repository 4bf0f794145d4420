//! Buyers, faults and kills against the real server, from a printed seed.
//!
//! The server is always the `taquilla` binary in a process of its own: the drills link nothing of it,
//! and what it did is judged by [`taquilla_auditor`], which shares no code with it.
//!
//! - [`drill`]: what is done to the server, and what must come of it.
//! - [`workload`]: what buyers do meanwhile.
//! - [`client`]: one buyer's requests, every one of them recorded.
//! - [`box_office`]: what an operator does before the doors open.
//! - [`stage`]: Postgres, a proxy before it, the payment provider, and a server between them.
//! - [`crowd`]: no server at all: the engine alone in virtual time, and an oracle that foretells it.
//! - [`server`]: the process itself, by `taquilla serve` or `taquilla dev`.
//!
//! [`model`] is the exception: the protocol with a small Postgres and no process, on the engine's own
//! types, every state of it visited.

pub mod box_office;
pub mod client;
pub mod crowd;
pub mod drill;
mod error;
mod evidence;
pub mod figures;
pub mod model;
mod patience;
pub mod server;
mod splitmix;
pub mod stage;
pub mod workload;

pub use error::DrillError;
