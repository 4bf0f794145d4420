//! The provider's books: durable before anyone hears of them.

mod bookkeeper;
mod desk;
mod file;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use chrono::{DateTime, Utc};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::settings::Settings;
use super::webhooks::{EndpointFile, Outbox};
use bookkeeper::{Bookkeeper, Call};
use file::BooksFile;

pub(super) use desk::{BooksDesk, Posted};

/// Calls that wait for the bookkeeper: sixteen batches, some tens of milliseconds on a common disk.
const QUEUE_MAX: usize = 4_096;

/// The append-only books of one provider, open for writing by this process alone.
///
/// They live in `books.jsonl`, one JSON object a line. A thread of their own does all file work; it
/// ends when they are closed, or when nothing is left that could call it.
#[derive(Debug)]
pub struct Books {
    dir: PathBuf,
    instance: Uuid,
    settings: Settings,
    now: fn() -> DateTime<Utc>,
    endpoint_file: Arc<EndpointFile>,
    outbox: Arc<Outbox>,
    desk: BooksDesk,
    stopped: oneshot::Receiver<io::Result<()>>,
}

/// Why the books could not be opened, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum BooksError {
    /// Another process has these books open.
    #[error("{path} is locked by another process")]
    Locked {
        /// The file of the books.
        path: PathBuf,
    },
    /// A whole line cannot be read, or contradicts those before it. Nothing was changed.
    #[error("line {line} of {path} cannot be read: {reason}")]
    Unreadable {
        /// The file of the books.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The disk did not do what was asked.
    #[error("the books in {path} could not be read or written")]
    Io {
        /// The file or directory concerned.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Books {
    /// Opens the books in `dir`, beginning them if there are none, and starts their thread.
    ///
    /// A torn last line, the trace of a kill, is cut off. `now` dates the entries. Blocks for as
    /// long as reading the whole file takes.
    pub fn open(
        dir: &Path,
        now: fn() -> DateTime<Utc>,
        settings: &Settings,
    ) -> Result<Self, BooksError> {
        let (file, ledger, unheard) = BooksFile::open(dir, now(), settings)?;
        let io = |source| BooksError::Io { path: dir.to_owned(), source };
        let instance = file.instance;
        let endpoint_file = Arc::new(EndpointFile::in_dir(dir));
        let endpoint = endpoint_file.read().map_err(io)?;
        let outbox = Arc::new(Outbox::new(instance, settings.faults, endpoint));
        for event in unheard.into_values() {
            outbox.put(event, None);
        }
        let (queue, calls) = mpsc::channel(QUEUE_MAX);
        let (tell_stopped, stopped) = oneshot::channel();
        let keeper = Bookkeeper { file, ledger, outbox: outbox.clone(), now };
        let work = move || {
            // Nobody listens when the books were dropped rather than closed.
            drop(tell_stopped.send(keeper.run(calls)));
        };
        thread::Builder::new().name("provider-books".to_owned()).spawn(work).map_err(io)?;
        Ok(Self {
            dir: dir.to_owned(),
            instance,
            settings: settings.clone(),
            now,
            endpoint_file,
            outbox,
            desk: BooksDesk { queue },
            stopped,
        })
    }

    /// The random id drawn when these books were begun; it survives every restart.
    pub fn instance(&self) -> Uuid {
        self.instance
    }

    /// The directory that they live in.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Answers all calls made so far, then closes the file and gives its lock back.
    pub async fn close(mut self) -> Result<(), BooksError> {
        // If the thread has ended already, its outcome says why.
        drop(self.desk.queue.send(Call::Close).await);
        self.stopped().await
    }

    /// Completes when the thread has ended, with the error that ended it, if any.
    pub(super) async fn stopped(&mut self) -> Result<(), BooksError> {
        let outcome = (&mut self.stopped)
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the thread of the books panicked")));
        outcome.map_err(|source| BooksError::Io { path: self.dir.clone(), source })
    }

    pub(super) fn now(&self) -> fn() -> DateTime<Utc> {
        self.now
    }

    pub(super) fn endpoint_file(&self) -> Arc<EndpointFile> {
        self.endpoint_file.clone()
    }

    pub(super) fn outbox(&self) -> Arc<Outbox> {
        self.outbox.clone()
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn desk(&self) -> BooksDesk {
        self.desk.clone()
    }
}
