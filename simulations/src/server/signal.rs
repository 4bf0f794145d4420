//! Signals to processes that we did not start with our own hands, and who they are.

use std::io;
use std::process::{Command, Stdio};

/// A signal, as `kill` spells it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Signal {
    Kill,
    Quit,
    Stop,
    Continue,
}

impl Signal {
    fn flag(self) -> &'static str {
        match self {
            Self::Kill => "-KILL",
            Self::Quit => "-QUIT",
            Self::Stop => "-STOP",
            Self::Continue => "-CONT",
        }
    }
}

/// Sends the signal to each of these. One that has ended meanwhile is no error.
pub(crate) fn send(signal: Signal, pids: &[u32]) -> io::Result<()> {
    if !pids.is_empty() {
        let named = pids.iter().map(u32::to_string);
        Command::new("kill").arg(signal.flag()).args(named).stderr(Stdio::null()).status()?;
    }
    Ok(())
}

/// The children of a process, by `/proc`.
pub(crate) fn children_of(parent: u32) -> io::Result<Vec<u32>> {
    let mut children = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // It may have ended since it was listed.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // `pid (name, which may hold anything) state parent …`
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        if after_name.split_whitespace().nth(1) == Some(&parent.to_string()) {
            children.push(pid);
        }
    }
    Ok(children)
}

/// Whether the process runs a program of this name, of which the system keeps 15 letters.
pub(crate) fn is_running(pid: u32, program: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == program)
}
