//! A model of the protocol, searched exhaustively: two processes that may own one event, a small
//! Postgres with a synchronous standby, a few buyers, and a budget of faults.
//!
//! The owners are the product's own `Door`, `Lane`, `Section` and `Batch`, fed as the runtime feeds
//! them; nothing of them is written again here. Postgres, the network, the processes and the buyers
//! are the model's, and every answer is judged by code that shares nothing with the engine.
//!
//! - [`scenario`]: who asks for what. A new command joins the alphabet there.
//! - `world`, `actions`, `turn`: a state, what can happen in it, and what follows.
//! - `owner`, `canon`: the product's memory as a value with a fingerprint.
//! - `rows`, `database`: tables of one event; statements, the head's lock, the standby.
//! - `truth`: what is true, whether an answer was, and the words between.
//! - [`mutant`]: the protocol with one rule left out, each of which must be caught.
//! - [`search`]: breadth first, so that a violation's trace is the shortest.

mod actions;
mod canon;
mod database;
mod machine;
pub mod mutant;
mod narrate;
mod owner;
pub mod report;
mod rows;
pub mod scenario;
pub mod search;
mod truth;
mod turn;
mod world;

pub use actions::Fault;
pub use machine::{Machine, Violation, rule};
pub use search::{Bounds, Outcome, Searched, search, walk};
