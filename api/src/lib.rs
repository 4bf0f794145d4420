//! The edge of taquilla: HTTP, configuration, the command line, and other people's HTTP.
//!
//! A request is extracted ([`auth`], [`strict`], [`forms`]), made a command, awaited, and answered
//! ([`views`], [`problem`]). No rule is here: the engine decides, persistence remembers.

pub mod app;
pub mod auth;
pub mod desk;
pub mod forms;
pub mod layout;
pub mod listings;
pub mod order_watch;
pub mod problem;
pub mod provider_client;
pub mod request_id;
pub mod routes;
pub mod seat_maps;
pub mod simulated_provider;
pub mod strict;
pub mod tickets;
pub mod views;

pub use app::{App, EdgeSettings};
