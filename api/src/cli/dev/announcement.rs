//! What `taquilla dev` says once it serves: for people where things are and what to try, for programs
//! the addresses. `TAQUILLA READY` is the last line.

use std::env;
use std::io::{self, Write};
use std::path::Path;

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

use super::super::instance::DATA_DIR;

/// Where everything is.
pub(super) struct Announcement<'a> {
    /// As it was named.
    pub(super) data_dir: &'a Path,
    /// Whether the demo is there.
    pub(super) demo: bool,
    /// Its password is not printed: standard output ends up in files.
    pub(super) database: &'a SecretString,
    pub(super) password: &'a Path,
    pub(super) metrics: &'a str,
    pub(super) provider: &'a str,
    pub(super) api: &'a str,
}

impl Announcement<'_> {
    pub(super) fn print(&self) -> io::Result<()> {
        let Self { api, metrics, .. } = self;
        let (folder, database) = (self.data_dir.display(), self.database());
        let password = self.password.display();
        let taquilla = env::args().next().unwrap_or_else(|| "taquilla".into());
        let elsewhere = match self.data_dir == Path::new(DATA_DIR) {
            true => String::new(),
            false => format!(" --data-dir \"{folder}\""),
        };
        let mut out = io::stdout().lock();
        if self.demo {
            writeln!(
                out,
                "events    demo-open: on sale, 60,000 seats such as 201-A-1, and a FLOOR"
            )?;
            writeln!(
                out,
                "          demo-onsale: opens a minute after the first start, with a waiting room"
            )?;
        }
        writeln!(out, "data      {folder}; delete it, stopped, to start afresh")?;
        writeln!(out, "database  PGPASSWORD=\"$(cat \"{password}\")\" psql {database}")?;
        writeln!(out, "next      curl {api}/events")?;
        writeln!(out, "          {taquilla} token --sub ann{elsewhere}")?;
        writeln!(out, "          README.md, \"A first purchase\"")?;
        writeln!(out, "          Ctrl-C stops it all; the next start finds it as it was")?;
        writeln!(out, "TAQUILLA METRICS {metrics}")?;
        writeln!(out, "TAQUILLA PROVIDER {}", self.provider.trim_end_matches('/'))?;
        writeln!(out, "TAQUILLA READY {api}")?;
        out.flush()
    }

    /// The database's address without the password.
    fn database(&self) -> String {
        let Ok(mut url) = Url::parse(self.database.expose_secret()) else { return String::new() };
        // Fails only for an address without a host.
        let _ = url.set_password(None);
        url.into()
    }
}
