//! The engine's tests: rules through a text table, order and durability without IO, actors in paused
//! time.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod actors;
mod admission_rate;
mod best_available;
mod cancellations;
mod chronicle;
mod churn;
mod desk;
mod draw;
mod durability;
mod extensions;
mod forgotten_keys;
mod lines;
mod members;
mod moody;
mod moves;
mod operators;
mod payments;
mod quarantine;
mod reconciliation;
mod returns;
mod room_owner;
mod rooms;
mod rules;
mod script;
mod stress;
mod sweeps;
mod wide_holds;
mod windows;
