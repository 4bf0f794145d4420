//! Being asked to stop: Ctrl-C, or SIGTERM.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens from its making on, so that nothing asked meanwhile is missed.
#[derive(Debug)]
pub struct StopSignal {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignal {
    /// Starts to listen.
    ///
    /// # Errors
    /// If the process cannot listen for signals.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Returns once either has come.
    pub async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
