//! The edge of taquilla: HTTP, configuration, the command line, and other people's HTTP.

pub mod provider_client;
pub mod simulated_provider;
