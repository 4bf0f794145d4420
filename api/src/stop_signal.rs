//! Being asked to stop: Ctrl-C, or SIGTERM.

use tokio::signal::unix::{SignalKind, signal};

/// Returns at the first of either.
///
/// # Panics
/// If the process cannot listen for signals, which only a broken platform does.
pub async fn stop_signal() {
    let mut interrupt = signal(SignalKind::interrupt()).expect("SIGINT can be listened for");
    let mut terminate = signal(SignalKind::terminate()).expect("SIGTERM can be listened for");
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
