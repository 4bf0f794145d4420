//! Secrets: by environment, or in a file of their own. Never logged: the type says so.

use std::path::Path;

use secrecy::{ExposeSecret, SecretString};

use super::ConfigError;

/// Whether there is one at all.
pub(super) fn is_set(value: &SecretString, file: &Path) -> bool {
    !value.expose_secret().trim().is_empty() || !file.as_os_str().is_empty()
}

/// The secret itself, or what its file holds.
pub(super) fn given(
    key: &'static str,
    value: &SecretString,
    file: &Path,
) -> Result<SecretString, ConfigError> {
    let given = value.expose_secret().trim();
    if !given.is_empty() {
        return Ok(given.to_owned().into());
    }
    if file.as_os_str().is_empty() {
        return Err(ConfigError::secret_not_set(key));
    }
    let held = from_file(file)?;
    if held.expose_secret().is_empty() {
        let rule = format!("is in {}, which is empty", file.display());
        return Err(ConfigError::value(key, &rule));
    }
    Ok(held)
}

/// What the file holds, without white space around it.
pub(super) fn from_file(file: &Path) -> Result<SecretString, ConfigError> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| ConfigError::Unreadable { path: file.into(), source })?;
    Ok(text.trim().to_owned().into())
}
