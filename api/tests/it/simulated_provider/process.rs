//! The provider as a process of its own, to be killed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::http::Http;

/// A running `taquilla simulated-provider`. Dropping it kills it, as SIGKILL does.
pub(crate) struct Process {
    child: Child,
    pub(crate) http: Http,
}

impl Process {
    /// On the books of this folder, once it says where it listens.
    pub(crate) fn start(dir: &Path, flags: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_taquilla"))
            .args(["simulated-provider", "--data-dir"])
            .arg(dir)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut said = String::new();
        let stdout = child.stdout.take().expect("its words");
        BufReader::new(stdout).read_line(&mut said).expect("a line");
        let url = said.trim().strip_prefix("TAQUILLA PROVIDER ").expect("where it listens");
        let http = Http::at(url);
        Self { child, http }
    }

    /// Ends it at once, and waits until its books are free.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // Who has ended already needs no more.
        let _ = self.child.kill();
        self.child.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
