//! Where the `taquilla` binary is: built once a run, so that no stale one is tested.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::DrillError;

const VARIABLE: &str = "TAQUILLA_BIN";

/// The folder that the workspace was built from.
pub(crate) fn workspace() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// The path of the `taquilla` binary: `TAQUILLA_BIN` as it stands, or the one in the target folder of
/// whoever asks, which is brought up to date first.
///
/// # Errors
/// [`DrillError::NoBinary`].
pub fn taquilla() -> Result<PathBuf, DrillError> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    FOUND.get_or_init(find).clone().map_err(DrillError::NoBinary)
}

/// A server of somebody else's, which `make test` installs. Debian puts it where only root looks.
pub(crate) fn of_system(name: &str) -> Result<PathBuf, DrillError> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    folders.extend(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = folders.into_iter().map(|folder| folder.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| {
        let install = format!("sh config/install-tools.sh {name} (make test does)");
        DrillError::Broken(format!("{name} is missing: {install}"))
    })
}

fn find() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(VARIABLE) {
        return Ok(path.into());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let beside = |folder: &Path| folder.join(format!("taquilla{}", std::env::consts::EXE_SUFFIX));
    // A test lies in `deps` below the folder of the binaries.
    let folders: Vec<&Path> = own.ancestors().skip(1).take(2).collect();
    let is_release = folders.iter().any(|folder| folder.ends_with("release"));
    let mut build = vec!["build", "--quiet", "-p", "taquilla-api", "--bin", "taquilla"];
    build.extend(is_release.then_some("--release"));
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(&build)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    let failed =
        || format!("`cargo {}` ended with {built:?}; {VARIABLE} names one", build.join(" "));
    if !built.as_ref().is_ok_and(|status| status.success()) {
        return Err(failed());
    }
    let there = folders.iter().map(|folder| beside(folder)).find(|path| path.is_file());
    there.ok_or_else(failed)
}
