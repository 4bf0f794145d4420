//! Postgres behind the engine.
//!
//! - [`settings`], [`session`]: how the database is reached, and what a session must be.
//! - [`writer`]: the lanes' connections, where every statement ends as yes, no or unknown.
//! - [`pool`]: connections for everything else, and named transactions on them.
//! - [`migrations`]: the schema.
//! - [`private_postgres`]: a server of one's own for `taquilla dev`, tests and benches.

mod connect;
mod metric;
pub mod migrations;
mod outcome;
pub mod pool;
pub mod private_postgres;
pub mod session;
pub mod settings;
pub mod writer;

pub use connect::ConnectError;
pub use metric::describe_metrics;
