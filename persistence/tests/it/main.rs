//! Tests against a real Postgres. What the driver and the server do by themselves is shown beside
//! what this crate makes of it.

mod fencing;
mod migrations;
mod plain;
mod pool;
mod private_server;
mod proxy;
mod session;
mod standby_wait;
mod transactions;
mod unknown_outcomes;
mod writers;
