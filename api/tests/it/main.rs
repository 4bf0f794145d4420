//! The one test binary of this crate.

mod command_line;
mod configuration;
mod edge;
mod house;
mod places;
mod plans;
mod provider_client;
mod providers;
mod relay;
mod simulated_provider;
mod stripe;
