//! `taquilla serve`: one host of an installation.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{Outcome, say};
use crate::config::{Config, environment, settings};
use crate::server::Server;
use crate::stop_signal::StopSignal;
use crate::telemetry;

pub(super) async fn run(file: Option<PathBuf>) -> Outcome {
    let config = Config::load(file.as_deref(), environment()?.into_iter())?;
    settings::check_server(&config)?;
    telemetry::log(&config.log)?;
    let mut signal = StopSignal::listen()?;
    let server = tokio::select! {
        started = Server::start(&config) => started?,
        () = signal.received() => return Ok(ExitCode::SUCCESS),
    };
    if let Err(error) = say(format_args!("TAQUILLA READY http://{}", server.address())) {
        tracing::warn!(%error, "nobody reads that the server is ready");
    }
    let dead = tokio::select! {
        () = signal.received() => None,
        dead = server.died() => Some(dead),
    };
    tracing::info!("stopping: answering what is under way");
    server.stop().await;
    match dead {
        None => Ok(ExitCode::SUCCESS),
        Some(dead) => Err(format!("{dead} has died; start again").into()),
    }
}
