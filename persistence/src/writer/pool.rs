//! The few connections that all lanes share: one is borrowed for each batch.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::{NamedStatement, WriterConnection};
use crate::connect::ConnectError;
use crate::metric;
use crate::session::Session;
use crate::settings::DatabaseSettings;

/// Why there is no writer. Nothing was sent.
#[derive(Debug, thiserror::Error)]
pub enum BorrowError {
    /// By the deadline none had come back.
    #[error("all writers are lent, and none came back in time")]
    Busy,
    /// By the deadline the new one was not there yet.
    #[error("a new writer did not connect in time")]
    Connecting,
    /// There was room for a new one, and it could not be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

/// At most `writers_max` connections, opened when needed. Clones share them.
#[derive(Debug, Clone)]
pub struct WriterPool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: DatabaseSettings,
    session: Session,
    statements: &'static [NamedStatement],
    idle: Mutex<Vec<WriterConnection>>,
    permits: Arc<Semaphore>,
}

impl WriterPool {
    /// Opens nothing yet.
    pub fn new(
        settings: DatabaseSettings,
        session: Session,
        statements: &'static [NamedStatement],
    ) -> WriterPool {
        let permits = Arc::new(Semaphore::new(settings.writers_max));
        let idle = Mutex::new(Vec::with_capacity(settings.writers_max));
        WriterPool(Arc::new(Shared { settings, session, statements, idle, permits }))
    }

    /// A usable connection: an idle one, or a new one. Whoever asks first has his turn first.
    ///
    /// # Errors
    /// [`BorrowError`]; nothing was sent.
    pub async fn borrow(&self, deadline: Instant) -> Result<BorrowedWriter, BorrowError> {
        let turn = timeout_at(deadline, Arc::clone(&self.0.permits).acquire_owned()).await;
        let permit = turn.map_err(|_| BorrowError::Busy)?.expect("the semaphore is never closed");
        let connection = match self.0.take_idle() {
            Some(connection) => connection,
            None => self.0.open(deadline).await?,
        };
        Ok(BorrowedWriter {
            connection: Some(connection),
            pool: Arc::clone(&self.0),
            _permit: permit,
        })
    }

    /// Closes what is idle, for instance when the primary has changed.
    pub fn close_idle(&self) {
        self.0.idle.lock().clear();
    }
}

impl Shared {
    /// The one used last, which is the likeliest to be alive.
    fn take_idle(&self) -> Option<WriterConnection> {
        let mut idle = self.idle.lock();
        while let Some(connection) = idle.pop() {
            if connection.is_usable() {
                return Some(connection);
            }
        }
        None
    }

    async fn open(&self, deadline: Instant) -> Result<WriterConnection, BorrowError> {
        let opened = WriterConnection::connect(&self.settings, &self.session, self.statements);
        let opened = timeout_at(deadline, opened).await.map_err(|_| BorrowError::Connecting);
        let opened = opened.and_then(|opened| opened.map_err(BorrowError::Connect));
        metric::writer_opened(opened.is_ok());
        opened
    }
}

/// A writer on loan. Dropping it gives it back, or closes it if it is not usable any more.
#[derive(Debug)]
pub struct BorrowedWriter {
    /// `None` only while it is being dropped.
    connection: Option<WriterConnection>,
    pool: Arc<Shared>,
    _permit: OwnedSemaphorePermit,
}

impl Deref for BorrowedWriter {
    type Target = WriterConnection;

    fn deref(&self) -> &WriterConnection {
        self.connection.as_ref().expect("present until dropped")
    }
}

impl DerefMut for BorrowedWriter {
    fn deref_mut(&mut self) -> &mut WriterConnection {
        self.connection.as_mut().expect("present until dropped")
    }
}

impl Drop for BorrowedWriter {
    fn drop(&mut self) {
        // Given back before the permit is, so that whoever is next finds it.
        let Some(connection) = self.connection.take() else { return };
        if connection.is_usable() {
            self.pool.idle.lock().push(connection);
        } else {
            metric::writer_discarded();
        }
    }
}
