//! Logs and metrics of the process.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use tokio::net::TcpListener;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

use crate::background::Background;
use crate::config::{ConfigError, Log, LogFormat};
use crate::connections::{self, Bounds};
use crate::limits;
use crate::listings;
use crate::live_maps;
use crate::reconciliation;
use crate::relay;
use crate::request_id::keep_request_id;
use crate::shedding;
use crate::webhooks;

/// From a memory access away to a request's patience: 100 µs to 10 s.
const SECONDS: &[f64] = &[
    0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0,
];

/// Up to the largest batch.
const COUNTS: &[f64] =
    &[0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0];

/// Histograms keep what is recorded until it is rendered or kept up.
const UPKEEP: Duration = Duration::from_secs(5);

/// A few collectors of metrics, near by.
const READERS: Bounds = Bounds {
    open_max: 16,
    head_patience: Duration::from_secs(30),
    write_patience: Duration::from_secs(5),
};

/// Starts logging to standard error.
///
/// # Errors
/// [`ConfigError`] if the filter cannot be read.
pub fn log(settings: &Log) -> Result<(), ConfigError> {
    let filter = EnvFilter::try_new(&settings.filter)
        .map_err(|error| ConfigError::value("log.filter", &format!("cannot be used: {error}")))?;
    // Whoever reads the log must not be able to stop the sale: a full or broken pipe loses lines.
    static WORKER: OnceLock<WorkerGuard> = OnceLock::new();
    let (writer, worker) = tracing_appender::non_blocking(std::io::stderr());
    let _ = WORKER.set(worker);
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .log_internal_errors(false)
        .with_writer(writer);
    // A second server in one process, as in tests, logs where the first does.
    let _ = match settings.format {
        LogFormat::Text => builder.finish().try_init(),
        LogFormat::Json => builder.json().finish().try_init(),
    };
    Ok(())
}

/// The process's recorder. Installed once.
///
/// # Errors
/// If there is one already.
pub fn recorder() -> Result<PrometheusHandle, BuildError> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), SECONDS)?
        .set_buckets_for_metric(Matcher::Suffix("_facts".into()), COUNTS)?
        .set_buckets(SECONDS)?
        .install_recorder()?;
    taquilla_engine::telemetry::describe();
    taquilla_persistence::describe_metrics();
    reconciliation::describe_metrics();
    relay::describe_metrics();
    webhooks::describe_metrics();
    limits::describe_metrics();
    listings::describe_metrics();
    live_maps::describe_metrics();
    shedding::describe_metrics();
    metrics::describe_counter!("taquilla_problems_total", "answers that say no, by problem");
    metrics::describe_counter!(
        "taquilla_mails_total",
        "tries to send tickets, by what came of them"
    );
    Ok(handle)
}

/// Serves `/metrics` on the listener, in the background.
pub fn serve(handle: PrometheusHandle, listener: TcpListener, background: &Background) {
    let process = Collector::default();
    process.describe();
    let upkeep = handle.clone();
    let router = Router::new()
        .route(
            "/metrics",
            get(move || {
                process.collect();
                std::future::ready(handle.render())
            }),
        )
        // An answer without an id would be taken for one that no router made.
        .layer(from_fn(keep_request_id));
    background.spawn_told(|stopping| connections::serve(listener, router, READERS, stopping));
    background.keep("the upkeep of the metrics", UPKEEP, move || keep_up(upkeep.clone()));
}

async fn keep_up(handle: PrometheusHandle) {
    let mut beat = tokio::time::interval(UPKEEP);
    loop {
        beat.tick().await;
        handle.run_upkeep();
    }
}
