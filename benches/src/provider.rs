//! The simulated provider as a process of its own, as `taquilla dev` starts it: this very program,
//! started again with that command. Its books are on the disk, and are removed afterwards.

use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The command that `taquilla` knows.
const COMMAND: &str = "simulated-provider";

/// A running provider; it ends with the value.
#[derive(Debug)]
pub struct Provider {
    process: Child,
    url: String,
    _books: TempDir,
}

/// Whether this program was started to be one: then `taquilla_api::cli::run` is all it has to do.
#[must_use]
pub fn is_wanted() -> bool {
    std::env::args().nth(1).is_some_and(|argument| argument == COMMAND)
}

impl Provider {
    /// Starts one that books nothing yet.
    pub async fn start() -> Self {
        let books = TempDir::new().expect("a temporary directory");
        let program = std::env::current_exe().expect("this program");
        let mut process = Command::new(program)
            .args([COMMAND, "--data-dir"])
            .arg(books.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("this program starts");
        let mut said = BufReader::new(process.stdout.take().expect("piped")).lines();
        let line = said.next_line().await.expect("it speaks").expect("it lives");
        let url = line.rsplit(' ').next().expect("a word").to_owned();
        Self { process, url, _books: books }
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    ///
    /// # Panics
    /// If it has ended.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id().expect("it runs")
    }
}
