//! The journal against real rows, driven by the engine's own door, lane and batches.

mod beliefs;
pub(crate) mod box_office;
mod constraints;
mod extensions;
mod held_answer;
mod history;
mod net_effects;
mod operators;
pub(crate) mod owner;
mod owners;
mod plans;
mod returns;
mod snapshots;
mod stories;
mod unknown;
