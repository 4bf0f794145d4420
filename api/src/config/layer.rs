//! Layers of configuration, and what is wrong with them. Each key's type is that of its default.

use std::error::Error as _;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// The shipped file.
const DEFAULTS: &str = include_str!("../../../config/taquilla.toml");

/// What every variable of ours begins with.
pub(super) const PREFIX: &str = "TAQUILLA__";

/// Secrets, which no configuration file holds.
const SECRETS: &[(&str, &str)] = &[("database", "url"), ("auth", "jwt_key"), ("mail", "smtp_url")];

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{} is not TOML: {reason}", path.display())]
    NotToml {
        /// Which.
        path: PathBuf,
        /// What the parser says.
        reason: String,
    },
    /// There is no such key.
    #[error("{origin}: there is no key {key}; config/taquilla.toml lists them all")]
    UnknownKey {
        /// File or variable.
        origin: String,
        /// The key.
        key: String,
    },
    /// The key has no default, and nobody set it.
    #[error("{key} is not set: give {give}")]
    NotSet {
        /// The key.
        key: &'static str,
        /// How it is set.
        give: String,
    },
    /// Several at once, one a line.
    #[error("{}", lines(.0))]
    Several(Vec<ConfigError>),
    /// The key's value cannot be used.
    #[error("{key} {rule}")]
    Value {
        /// The key.
        key: String,
        /// What would be right.
        rule: String,
    },
}

impl ConfigError {
    pub(crate) fn value(key: &str, rule: &str) -> Self {
        Self::Value { key: key.into(), rule: rule.into() }
    }

    /// A secret that is given by its variable or in a file that `<key>_file` names.
    pub(super) fn secret_not_set(key: &'static str) -> Self {
        Self::NotSet { key, give: format!("{} or {key}_file", variable(key)) }
    }
}

/// The variable that sets the key.
pub(super) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.to_uppercase().replacen('.', "__", 1))
}

/// Each with its source, since nobody follows the sources of several.
fn lines(errors: &[ConfigError]) -> String {
    let line = |error: &ConfigError| match error.source() {
        Some(source) => format!("\n  {error}: {source}"),
        None => format!("\n  {error}"),
    };
    format!("{} settings are missing or wrong:", errors.len())
        + &errors.iter().map(line).collect::<String>()
}

pub(super) fn load<T: DeserializeOwned>(
    file: Option<&Path>,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<T, ConfigError> {
    let mut table: Table = DEFAULTS.parse().expect("the shipped file is TOML");
    if let Some(path) = file {
        overlay_file(&mut table, path)?;
    }
    for (name, value) in environment {
        if let Some(key) = name.strip_prefix(PREFIX) {
            overlay_variable(&mut table, &name, key, &value)?;
        }
    }
    deserialize(table)
}

fn overlay_file(table: &mut Table, path: &Path) -> Result<(), ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Unreadable { path: path.into(), source })?;
    let layer: Table = text.parse().map_err(|error: toml::de::Error| ConfigError::NotToml {
        path: path.into(),
        reason: error.message().into(),
    })?;
    let origin = path.display().to_string();
    let unknown = |key: String| ConfigError::UnknownKey { origin: origin.clone(), key };
    for (section, keys) in layer {
        let known = table.get_mut(&section).and_then(Value::as_table_mut);
        let (Some(known), Value::Table(keys)) = (known, keys) else {
            return Err(unknown(section));
        };
        for (key, value) in keys {
            let name = format!("{section}.{key}");
            if SECRETS.contains(&(section.as_str(), key.as_str())) {
                let rule = format!("is a secret: set {}, or {name}_file", variable(&name));
                return Err(ConfigError::Value { key: name, rule });
            }
            let Some(slot) = known.get_mut(&key) else { return Err(unknown(name)) };
            if !slot.same_type(&value) {
                let rule = format!("is {}, not {}", kind(slot), kind(&value));
                return Err(ConfigError::Value { key: name, rule });
            }
            *slot = value;
        }
    }
    Ok(())
}

fn overlay_variable(
    table: &mut Table,
    name: &str,
    key: &str,
    value: &str,
) -> Result<(), ConfigError> {
    let unknown = || ConfigError::UnknownKey {
        origin: format!("the variable {name}"),
        key: key.to_lowercase().replacen("__", ".", 1),
    };
    let (section, key) = key.split_once("__").ok_or_else(unknown)?;
    let (section, key) = (section.to_lowercase(), key.to_lowercase());
    let slot = table
        .get_mut(&section)
        .and_then(Value::as_table_mut)
        .and_then(|keys| keys.get_mut(&key))
        .ok_or_else(unknown)?;
    let wrong = |slot: &Value| ConfigError::Value {
        key: format!("{section}.{key} ({name})"),
        rule: format!("is {}", kind(slot)),
    };
    *slot = match slot {
        Value::String(_) => Value::String(value.into()),
        Value::Integer(_) => Value::Integer(value.trim().parse().map_err(|_| wrong(slot))?),
        Value::Boolean(_) => Value::Boolean(value.trim().parse().map_err(|_| wrong(slot))?),
        Value::Array(_) => {
            let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
            Value::Array(items.map(|item| Value::String(item.into())).collect())
        }
        Value::Float(_) | Value::Datetime(_) | Value::Table(_) => return Err(wrong(slot)),
    };
    Ok(())
}

/// One key at a time, so that an error names its key.
fn deserialize<T: DeserializeOwned>(table: Table) -> Result<T, ConfigError> {
    Value::Table(table.clone()).try_into().map_err(|error: toml::de::Error| {
        let path = culprit::<T>(&table);
        ConfigError::Value { key: path, rule: format!("cannot be used: {}", error.message()) }
    })
}

/// The first key without whose value the rest, with defaults, can be read.
fn culprit<T: DeserializeOwned>(table: &Table) -> String {
    let defaults: Table = DEFAULTS.parse().expect("the shipped file is TOML");
    for (section, keys) in table {
        for (key, value) in keys.as_table().into_iter().flatten() {
            let mut alone = defaults.clone();
            alone[section][key] = value.clone();
            if Value::Table(alone).try_into::<T>().is_err() {
                return format!("{section}.{key}");
            }
        }
    }
    "the configuration".into()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a time",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}
