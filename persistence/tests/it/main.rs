//! Tests against a real Postgres. What the driver and the server do by themselves is shown beside
//! what this crate makes of it.

mod attempt_races;
mod attempt_steps;
mod attempts;
mod audit;
mod audit_violations;
mod box_office;
mod chronicle;
mod codec;
mod event_lists;
mod events;
mod fencing;
mod inbox;
mod journal;
mod ledger;
mod mail;
mod migrations;
mod order_outbox;
mod orders;
mod plain;
mod pool;
mod prepared;
mod private_server;
mod proxy;
mod reconciliation;
mod scans;
mod session;
mod several_hosts;
mod silent_database;
mod site;
mod standby_wait;
mod transactions;
mod two_servers;
mod unknown_outcomes;
mod venues;
mod writers;
