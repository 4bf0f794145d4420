//! Whom the server runs as, and how that user gets at a data folder it could not walk to.
//!
//! Postgres refuses to run as root. Below `/root`, or any folder of mode 0700, an unprivileged user
//! cannot reach the data by path. So root opens the data folder and the child inherits the open
//! descriptor: `/proc/self/fd/9` leads straight to the folder, past its parents. Postgres makes it
//! its working directory, and every process that it forks keeps the descriptor.

use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Standard input carries the descriptor into the shell, which moves it to 9: std closes every
/// other descriptor on exec, and initdb gives its own children another standard input.
const PASS_FOLDER: &str = r#"exec 9<&0 </dev/null; exec "$@""#;
const FOLDER_IN_CHILD: &str = "/proc/self/fd/9";

/// The user that owns the cluster's files and runs its processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identity {
    /// Not root: the server runs as whoever started it.
    Own,
    /// Root: the server runs as this user, which has no other groups.
    Other { uid: u32, gid: u32 },
}

impl Identity {
    /// As root, the owner of the existing data folder, else `postgres`, else `nobody`.
    pub(super) fn choose(data: &Path) -> io::Result<Identity> {
        let id = Command::new("id").arg("-u").output()?;
        if id.stdout.trim_ascii() != b"0" {
            return Ok(Identity::Own);
        }
        match std::fs::metadata(data) {
            Ok(owner) if owner.uid() != 0 => {
                return Ok(Identity::Other { uid: owner.uid(), gid: owner.gid() });
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let users = std::fs::read_to_string("/etc/passwd")?;
        ["postgres", "nobody"]
            .iter()
            .find_map(|name| user_named(&users, name))
            .ok_or_else(|| io::Error::other("no user `postgres` or `nobody` to run Postgres as"))
    }

    /// Makes that user the owner of a file or folder which root has just created.
    pub(super) fn own(self, path: &Path) -> io::Result<()> {
        match self {
            Identity::Own => Ok(()),
            Identity::Other { uid, gid } => chown(path, Some(uid), Some(gid)),
        }
    }

    /// A command that runs as that user, and the path by which it sees `folder`.
    pub(super) fn command(self, program: &Path, folder: &Path) -> io::Result<(Command, PathBuf)> {
        let (mut command, seen) = match self {
            Identity::Own => (Command::new(program), folder.canonicalize()?),
            Identity::Other { uid, gid } => {
                let mut command = Command::new("/bin/sh");
                command.args(["-c", PASS_FOLDER, "sh"]).arg(program);
                // std also drops the supplementary groups when root sets a user.
                command.uid(uid).gid(gid).stdin(File::open(folder)?);
                (command, PathBuf::from(FOLDER_IN_CHILD))
            }
        };
        // The caller's folder may be closed to that user; a group of its own keeps Ctrl-C away.
        command.current_dir("/").process_group(0);
        Ok((command, seen))
    }
}

fn user_named(passwd: &str, name: &str) -> Option<Identity> {
    let line = passwd.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut ids = line.split(':').skip(2);
    let uid = ids.next()?.parse().ok()?;
    let gid = ids.next()?.parse().ok()?;
    Some(Identity::Other { uid, gid })
}
