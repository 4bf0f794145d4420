//! The one test binary of this crate.

mod edge;
mod provider_client;
mod simulated_provider;
