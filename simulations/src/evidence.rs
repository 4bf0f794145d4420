//! The folder of a run: logs, books, the recording. It stays, and its place is printed, unless the run
//! went well.

use std::io;
use std::path::Path;

use tempfile::TempDir;

/// A folder that goes only after [`KeptFolder::went_well`].
#[derive(Debug)]
pub(crate) struct KeptFolder {
    folder: TempDir,
    went_well: bool,
}

impl KeptFolder {
    /// A new one, whose name begins so.
    pub(crate) fn new(prefix: &str) -> io::Result<Self> {
        Ok(Self { folder: TempDir::with_prefix(prefix)?, went_well: false })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Nobody needs to look into it.
    pub(crate) fn went_well(&mut self) {
        self.went_well = true;
    }
}

impl Drop for KeptFolder {
    fn drop(&mut self) {
        if !self.went_well {
            self.folder.disable_cleanup(true);
            eprintln!("kept for a look: {}", self.folder.path().display());
        }
    }
}
