//! The edge of taquilla: HTTP, configuration, the command line, and other people's HTTP.
//!
//! - [`cli`], [`config`], [`server`], [`dev`]: how a process is started, and of what it is made.
//! - [`simulated_provider`]: a payment provider to try everything with, a process of its own.
//!
//! A request is extracted ([`auth`], [`strict`], [`forms`]), made a command, awaited, and answered
//! ([`views`], [`problem`]). No rule is here: the engine decides, persistence remembers.

pub mod admission;
mod answer_body;
pub mod app;
pub mod auth;
pub mod background;
pub mod challenge;
pub mod cli;
pub mod config;
pub mod connections;
pub mod cursor;
pub mod desk;
pub mod dev;
pub mod draw;
pub mod forms;
mod in_time;
pub mod instant;
mod kept;
pub mod layout;
pub mod limits;
pub mod listings;
pub mod live_maps;
pub mod mail;
pub mod order_watch;
pub mod payment_provider;
pub mod plans;
pub mod problem;
pub mod proofs;
pub mod provider_client;
pub mod reconciliation;
pub mod relay;
pub mod request_id;
pub mod routes;
pub mod search;
pub mod seat_maps;
pub mod server;
pub mod shedding;
pub mod simulated_provider;
pub mod slug;
pub mod stop_signal;
pub mod stopping;
pub mod strict;
pub mod telemetry;
mod this_machine;
pub mod tickets;
mod turns;
pub mod views;
pub mod waiting_rooms;
pub mod webhooks;

pub use app::{App, EdgeSettings};
