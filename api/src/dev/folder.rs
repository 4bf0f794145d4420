//! The folder of a dev instance: `postgres/`, `provider/` and `keys/`, and one server at a time.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rand::RngCore;
use secrecy::ExposeSecret;

use crate::tickets::ticket_key_pem;

/// A dev instance's folder.
#[derive(Clone, Debug)]
pub struct DevFolder(PathBuf);

/// Held while a server lives in the folder.
#[derive(Debug)]
pub struct Occupied {
    _file: File,
}

impl DevFolder {
    /// The folder at this path, absolute, whether it is there or not.
    ///
    /// # Errors
    /// If the working directory cannot be told.
    pub fn at(path: &Path) -> io::Result<Self> {
        Ok(Self(std::path::absolute(path)?))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where the private Postgres lives.
    #[must_use]
    pub fn postgres(&self) -> PathBuf {
        self.0.join("postgres")
    }

    /// Where the simulated provider keeps its books.
    #[must_use]
    pub fn provider(&self) -> PathBuf {
        self.0.join("provider")
    }

    /// The key of tokens, a line of text.
    #[must_use]
    pub fn jwt_key(&self) -> PathBuf {
        self.0.join("keys/jwt.key")
    }

    /// The key of tickets, PKCS#8 PEM.
    #[must_use]
    pub fn ticket_key(&self) -> PathBuf {
        self.0.join("keys/tickets.pem")
    }

    /// The key of challenges, a line of text.
    #[must_use]
    pub fn challenge_key(&self) -> PathBuf {
        self.0.join("keys/challenge.key")
    }

    /// Makes the folder and its keys if they are not there, and keeps others out of it.
    ///
    /// # Errors
    /// If it cannot be made or written, or another server lives in it (`WouldBlock`).
    pub fn occupy(&self) -> io::Result<Occupied> {
        std::fs::create_dir_all(self.0.join("keys"))?;
        std::fs::create_dir_all(self.provider())?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.0.join("server.lock"))?;
        file.try_lock().map_err(io::Error::from)?;
        let mut key = [0; 32];
        rand::rng().fill_bytes(&mut key);
        write_once(&self.jwt_key(), &hex::encode(key))?;
        rand::rng().fill_bytes(&mut key);
        write_once(&self.challenge_key(), &hex::encode(key))?;
        rand::rng().fill_bytes(&mut key);
        write_once(&self.ticket_key(), ticket_key_pem(&key).expose_secret())?;
        Ok(Occupied { _file: file })
    }
}

/// Writes a secret that stays as it is from then on; a start that is killed leaves none or all of it.
fn write_once(path: &Path, text: &str) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let unfinished = path.with_extension("new");
    let mut file =
        OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(unfinished, path)
}
