//! The one test binary of this crate.

mod provider_client;
mod simulated_provider;
