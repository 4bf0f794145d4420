//! Postgres behind the engine.
//!
//! - [`settings`], [`session`]: how the database is reached, and what a session must be.
//! - [`journal`]: the engine's journal; [`codec`]: the history that it leaves in the outbox.
//! - [`database_clock`]: the database's time.
//! - [`writer`]: the lanes' connections, where every statement ends as yes, no or unknown.
//! - [`pool`]: connections for everything else, and named transactions on them.
//! - [`migrations`]: the schema.
//! - [`database`]: the pool, with a bound on every answer.
//! - [`catalogue`]: venues and events, made once and read by everybody.
//! - [`orders`], [`attempts`]: what buyers bought, and how far their money has come.
//! - [`refunds`]: money that is owed for tickets that came back.
//! - [`reconciliation`]: our money against the provider's books.
//! - [`inbox`]: what payment providers told by themselves.
//! - [`chronicle`]: what was refused; [`story`]: everything that happened to a seat, buyer, hold or order.
//! - [`tickets`]: what gates scan, and what they must not let in.
//! - [`order_outbox`]: what became of orders' money, for those who follow it.
//! - [`waiting_room`]: who waits for a sale, and in which order.
//! - [`mail`]: what buyers are written about, once an outbox tells of it.
//! - [`relay`]: the outboxes as they leave for the bus, by lease; [`deliveries`]: what was posted to webhooks.
//! - [`audit`]: whether the rows agree with each other.
//! - [`operator_action`]: the trail of what operators did; [`site`]: what holds for all events.
//! - [`private_postgres`]: a server of one's own for `taquilla dev`, tests and benches.

pub mod attempts;
pub mod audit;
pub mod catalogue;
pub mod chronicle;
pub mod codec;
mod codes;
mod columns;
mod connect;
pub mod database;
pub mod database_clock;
pub mod deliveries;
pub mod inbox;
pub mod journal;
mod keys;
pub mod mail;
mod metric;
pub mod migrations;
pub mod operator_action;
pub mod order_outbox;
pub mod orders;
mod outbox;
mod outcome;
pub mod page;
pub mod pool;
pub mod private_postgres;
pub mod reconciliation;
pub mod refunds;
pub mod relay;
mod remarks;
pub mod session;
pub mod settings;
pub mod site;
mod stamp;
pub mod story;
pub mod tickets;
pub mod waiting_room;
pub mod wall_clock;
pub mod writer;

pub use columns::BrokenRow;
pub use connect::ConnectError;
pub use metric::describe_metrics;
pub use outbox::HistoryBatch;
pub use outcome::in_full;
