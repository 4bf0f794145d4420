//! Postgres behind the engine.
//!
//! - [`settings`], [`session`]: how the database is reached, and what a session must be.
//! - [`journal`]: the engine's journal; [`codec`]: the history that it leaves in the outbox.
//! - [`database_clock`]: the database's time.
//! - [`writer`]: the lanes' connections, where every statement ends as yes, no or unknown.
//! - [`pool`]: connections for everything else, and named transactions on them.
//! - [`migrations`]: the schema.
//! - [`private_postgres`]: a server of one's own for `taquilla dev`, tests and benches.

pub mod codec;
mod codes;
mod connect;
pub mod database_clock;
pub mod journal;
mod keys;
mod metric;
pub mod migrations;
mod outcome;
pub mod pool;
pub mod private_postgres;
pub mod session;
pub mod settings;
mod stamp;
pub mod writer;

pub use connect::ConnectError;
pub use metric::describe_metrics;
