//! Which server processes live in a data folder, and signals to them.
//!
//! A process counts when it is called `postgres` and its working directory *is* the folder, by
//! device and inode. That survives what a number in `postmaster.pid` does not: a pid used again by
//! another program, a zombie that nobody has reaped yet (it has no working directory), and children
//! that outlive a killed postmaster.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// The server processes of the data folder, in no order. Reads `/proc`, so it is for Linux.
pub(super) fn living_in(data: &Path) -> io::Result<Vec<u32>> {
    let folder = std::fs::metadata(data)?;
    let mut living = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        // A process may end between any two of these reads.
        let Ok(entry) = entry else { continue };
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let process = entry.path();
        let Ok(cwd) = std::fs::metadata(process.join("cwd")) else { continue };
        let Ok(name) = std::fs::read_to_string(process.join("comm")) else { continue };
        if (cwd.dev(), cwd.ino()) == (folder.dev(), folder.ino()) && name.trim_end() == "postgres" {
            living.push(pid);
        }
    }
    Ok(living)
}

/// A signal that the server gives a meaning to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Signal {
    /// Fast shutdown: sessions end, a checkpoint is written.
    Int,
    /// Immediate shutdown: recovery at the next start.
    Quit,
    /// No shutdown at all.
    Kill,
}

/// Sends the signal; a process that has ended meanwhile is no error.
pub(super) fn send(signal: Signal, pids: &[u32]) -> io::Result<()> {
    if pids.is_empty() {
        return Ok(());
    }
    let name = match signal {
        Signal::Int => "INT",
        Signal::Quit => "QUIT",
        Signal::Kill => "KILL",
    };
    // The shell's own `kill`: std signals only children, and only with KILL.
    Command::new("/bin/sh")
        .args(["-c", r#"kill -s "$0" "$@" 2>/dev/null"#, name])
        .args(pids.iter().map(u32::to_string))
        .status()?;
    Ok(())
}
