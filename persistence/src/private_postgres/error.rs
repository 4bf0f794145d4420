//! Why a private server did not start, in words for whoever typed `taquilla dev`.

use std::io;
use std::path::{Path, PathBuf};

/// Why a private server, or a database in it, is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No Postgres on this machine.
    #[error(
        "no Postgres binaries found on PATH or under /usr/lib/postgresql; \
         on Debian or Ubuntu: apt-get install postgresql"
    )]
    NoBinaries,
    /// A file of the cluster's folder could not be used, or a program not run.
    #[error("cannot use the database folder {}", path.display())]
    Folder {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The cluster could not be made.
    #[error("initdb failed:\n{said}")]
    Initdb {
        /// Its output.
        said: String,
    },
    /// A database of the cluster could not be made.
    #[error("cannot make the database {name}")]
    Database {
        /// Its name.
        name: String,
        /// What the server said, or why there was no connection to it.
        source: tokio_postgres::Error,
    },
    /// The server gave no answer in time; the database may have been made.
    #[error("the server gives no answer, and the database {name} is perhaps not made")]
    DatabaseTimedOut {
        /// Its name.
        name: String,
    },
    /// The server ended while it was being started.
    #[error("Postgres ended while starting:\n{log}")]
    Ended {
        /// The end of its log.
        log: String,
    },
    /// The server runs and takes no connection: it recovers, or shuts down. The next start looks again.
    #[error("Postgres is not ready after 30 s:\n{log}")]
    NotReady {
        /// The end of its log.
        log: String,
    },
    /// The server in this folder does not take the password kept beside it.
    #[error("Postgres refuses the password that is kept in the database folder")]
    WrongPassword,
}

impl StartError {
    pub(super) fn folder(path: &Path, source: io::Error) -> StartError {
        StartError::Folder { path: path.to_owned(), source }
    }
}
