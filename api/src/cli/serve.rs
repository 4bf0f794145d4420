//! `taquilla serve`: one host of an installation.

use std::path::PathBuf;
use std::process::ExitCode;

use super::Outcome;
use crate::config::Config;
use crate::server::Server;
use crate::stop_signal::StopSignal;
use crate::telemetry;

pub(super) async fn run(file: Option<PathBuf>) -> Outcome {
    let config = Config::load(file.as_deref(), std::env::vars())?;
    telemetry::log(&config.log)?;
    let mut signal = StopSignal::listen()?;
    let server = tokio::select! {
        started = Server::start(&config) => started?,
        () = signal.received() => return Ok(ExitCode::SUCCESS),
    };
    println!("TAQUILLA READY http://{}", server.address());
    let died = tokio::select! {
        () = signal.received() => false,
        () = server.died() => true,
    };
    tracing::info!("stopping: answering what is under way");
    server.stop().await;
    if died {
        return Err("the supervisor of events has died; start again".into());
    }
    Ok(ExitCode::SUCCESS)
}
