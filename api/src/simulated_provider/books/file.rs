//! The file of the books: opened, locked, healed and read back.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::BooksError;
use crate::simulated_provider::entry::{FORMAT, Line};
use crate::simulated_provider::ledger::Ledger;
use crate::simulated_provider::settings::Settings;
use crate::simulated_provider::webhooks::Event;

const FILE_NAME: &str = "books.jsonl";

/// Unacknowledged events, by their numbers.
pub(super) type Unheard = BTreeMap<u64, Event>;

/// The open and locked file.
#[derive(Debug)]
pub(super) struct BooksFile {
    /// Dropping it gives the lock back.
    file: File,
    pub(super) instance: Uuid,
}

impl BooksFile {
    /// Opens the books of `dir`, and begins them if there are none.
    ///
    /// A last line without its end was never acknowledged, since the end is written and synced with
    /// it: it is cut off. Everything before it is synced again before anyone reads it, for the
    /// process that wrote it may have died between the write and the sync.
    pub(super) fn open(
        dir: &Path,
        now: DateTime<Utc>,
        settings: &Settings,
    ) -> Result<(Self, Ledger, Unheard), BooksError> {
        let path = dir.join(FILE_NAME);
        let io = |source| BooksError::Io { path: path.clone(), source };
        fs::create_dir_all(dir).map_err(io)?;
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(io)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => BooksError::Locked { path: path.clone() },
            TryLockError::Error(source) => io(source),
        })?;

        let read = read_back(&file, &path, settings)?;
        file.set_len(read.whole_bytes).map_err(io)?;
        let instance = match read.instance {
            Some(instance) => instance,
            None => begin(&mut file, now).map_err(io)?,
        };
        file.sync_all().map_err(io)?;
        // The file's name is durable only when its directory is.
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(io)?;
        Ok((Self { file, instance }, read.ledger, read.unheard))
    }

    /// Writes whole lines and returns once they are on the disk.
    ///
    /// After an error the file may hold a part of them: nothing may be written to it any more.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.file.write_all(lines)?;
        self.file.sync_data()
    }
}

struct ReadBack {
    /// `None` if not even the first line is whole.
    instance: Option<Uuid>,
    ledger: Ledger,
    unheard: Unheard,
    /// The length of the file without a torn last line.
    whole_bytes: u64,
}

fn read_back(file: &File, path: &Path, settings: &Settings) -> Result<ReadBack, BooksError> {
    let mut reader = BufReader::new(file);
    let mut read = ReadBack {
        instance: None,
        ledger: Ledger::new(settings),
        unheard: Unheard::new(),
        whole_bytes: 0,
    };
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        reader
            .read_until(b'\n', &mut bytes)
            .map_err(|source| BooksError::Io { path: path.to_owned(), source })?;
        if !bytes.ends_with(b"\n") {
            break;
        }
        let unreadable = |reason: String| BooksError::Unreadable {
            path: PathBuf::from(path),
            line: number,
            reason,
        };
        let line = serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
        match (read.instance, line) {
            (None, Line::Opened { format: 1..=FORMAT, instance, .. }) => {
                read.instance = Some(instance)
            }
            (None, _) => {
                return Err(unreadable(format!("it does not open books of format 1 to {FORMAT}")));
            }
            (Some(_), line) => {
                if let Line::Acknowledged { event, .. } = &line {
                    read.unheard.remove(event);
                }
                let told = read.ledger.apply(line).map_err(|why| unreadable(why.to_owned()))?;
                read.unheard.extend(told.map(|event| (event.number, event)));
            }
        }
        read.whole_bytes += bytes.len() as u64;
    }
    Ok(read)
}

fn begin(file: &mut File, at: DateTime<Utc>) -> io::Result<Uuid> {
    let instance = Uuid::new_v4();
    let mut bytes = Vec::new();
    Line::Opened { format: FORMAT, instance, at }.append_to(&mut bytes);
    file.write_all(&bytes)?;
    Ok(instance)
}
