//! `taquilla simulated-provider`: the provider as a process of its own.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use chrono::{DateTime, Utc};
use taquilla_persistence::wall_clock;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Outcome, say};
use crate::simulated_provider::{Books, Faults, Settings, run as serve};
use crate::stop_signal::StopSignal;

/// A century: what is longer is a slip of the keyboard.
const LIFE_SECONDS_MAX: u64 = 100 * 366 * 24 * 60 * 60;

/// Where it lives, and what it promises.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where its books are.
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// The port on 127.0.0.1; 0 for any that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// How long an authorisation can be captured; seven days unless said.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = Settings::AUTHORISATION_LIFE.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=LIFE_SECONDS_MAX),
    )]
    authorisation_life_seconds: u64,
    /// What goes wrong, as shares from 0 to 1: timeout=0.2,error=0.2,duplicate=0.2,reorder=0.2.
    #[arg(long, value_name = "FAULTS")]
    faults: Option<Faults>,
    /// When it goes wrong: the same seed, the same faults.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(super) async fn run(args: Args) -> Outcome {
    std::fs::create_dir_all(&args.data_dir)?;
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await?;
    let address = listener.local_addr()?;
    let folder = args.data_dir.clone();
    let settings = Settings {
        authorisation_life: Duration::from_secs(args.authorisation_life_seconds),
        faults: Faults { seed: args.seed, ..args.faults.unwrap_or_default() },
        ..Settings::new(format!("http://{address}"))
    };
    let books = tokio::task::spawn_blocking(move || Books::open(&folder, now, &settings)).await??;
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
