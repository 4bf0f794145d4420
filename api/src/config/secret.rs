//! Secrets: by environment, or in a file of their own. Never logged: the type says so.

use std::path::Path;

use secrecy::{ExposeSecret, SecretString};

use super::ConfigError;

/// The secret itself, or what its file holds.
pub(super) fn given(
    key: &str,
    value: &SecretString,
    file: &Path,
) -> Result<SecretString, ConfigError> {
    if !value.expose_secret().is_empty() {
        return Ok(value.clone());
    }
    if file.as_os_str().is_empty() {
        let variable = key.to_uppercase().replace('.', "__");
        let rule = format!("is not set: give TAQUILLA__{variable} or {key}_file");
        return Err(ConfigError::value(key, &rule));
    }
    from_file(&format!("{key}_file"), file)
}

/// What the file holds, without white space around it.
pub(super) fn from_file(key: &str, file: &Path) -> Result<SecretString, ConfigError> {
    if file.as_os_str().is_empty() {
        return Err(ConfigError::value(key, "is not set: it names a file"));
    }
    let text = std::fs::read_to_string(file)
        .map_err(|source| ConfigError::Unreadable { path: file.into(), source })?;
    Ok(text.trim().to_owned().into())
}
