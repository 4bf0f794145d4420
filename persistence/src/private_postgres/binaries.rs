//! Where the server's programs are.

use std::path::{Path, PathBuf};

/// The folder that holds `initdb` and `postgres` of one version.
#[derive(Debug, Clone)]
pub(super) struct Binaries(PathBuf);

impl Binaries {
    /// `PATH` first, so that a developer can choose; then Debian's folders, newest version first,
    /// because Debian keeps the server's programs off `PATH`.
    pub(super) fn find() -> Option<Binaries> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .chain(debian_folders(Path::new("/usr/lib/postgresql")))
            .find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
            .map(Binaries)
    }

    pub(super) fn initdb(&self) -> PathBuf {
        self.0.join("initdb")
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.0.join("postgres")
    }
}

fn debian_folders(root: &Path) -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    versions.into_iter().map(|(_, folder)| folder).collect()
}
