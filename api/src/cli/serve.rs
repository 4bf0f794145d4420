//! `taquilla serve`: one host of an installation.

use std::path::PathBuf;
use std::process::ExitCode;

use super::Outcome;
use crate::config::Config;
use crate::server::Server;
use crate::stop_signal::stop_signal;
use crate::telemetry;

pub(super) async fn run(file: Option<PathBuf>) -> Outcome {
    let config = Config::load(file.as_deref(), std::env::vars())?;
    telemetry::log(&config.log)?;
    let server = Server::start(&config).await?;
    println!("TAQUILLA READY http://{}", server.address());
    stop_signal().await;
    tracing::info!("asked to stop: answering what is under way");
    server.stop().await;
    Ok(ExitCode::SUCCESS)
}
