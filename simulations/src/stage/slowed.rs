//! A Postgres that is five times as slow: all its processes run for a while, then stand still for four
//! times as long, again and again.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use super::Frozen;

/// How long they run, and how long they then stand still. Shorter slices would cost more for their signals
/// than they give.
const RUNS: Duration = Duration::from_millis(15);
const STANDS: Duration = Duration::from_millis(60);

/// A slow Postgres, until this is dropped.
#[derive(Debug)]
pub struct Slowed {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Slowed {
    /// Its processes are looked for each time: some are born meanwhile.
    pub(super) fn to_a_fifth(postmaster: u32) -> io::Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&over);
        let thread = thread::Builder::new().name("slow-postgres".into()).spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                match Frozen::postgres(postmaster) {
                    Ok(frozen) => {
                        sleep(STANDS);
                        drop(frozen);
                    }
                    Err(error) => eprintln!("postgres is not slowed down: {error}"),
                }
                sleep(RUNS);
            }
        })?;
        Ok(Self { over, thread: Some(thread) })
    }
}

impl Drop for Slowed {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // A thread that panicked has let Postgres go: the frozen value does so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
