//! `taquilla simulated-provider`: the provider as a process of its own.

use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{DateTime, Utc};
use taquilla_persistence::wall_clock;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Outcome, say};
use crate::simulated_provider::{Books, run as serve};
use crate::stop_signal::StopSignal;

/// Where it lives.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where its books are.
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// The port on 127.0.0.1; 0 for any that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

pub(super) async fn run(args: Args) -> Outcome {
    std::fs::create_dir_all(&args.data_dir)?;
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await?;
    let address = listener.local_addr()?;
    let folder = args.data_dir.clone();
    let books = tokio::task::spawn_blocking(move || Books::open(&folder, now)).await??;
    let stopping = CancellationToken::new();
    let mut signal = StopSignal::listen()?;
    let stop = stopping.clone();
    tokio::spawn(async move {
        signal.received().await;
        stop.cancel();
    });
    say(format_args!("TAQUILLA PROVIDER http://{address}"))?;
    serve(listener, books, stopping).await?;
    Ok(ExitCode::SUCCESS)
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp_micros(wall_clock::now().0).unwrap_or_default()
}
