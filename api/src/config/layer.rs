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
const SECRETS: &[&str] = &[
    "database.url",
    "auth.jwt_key",
    "challenge.key",
    "mail.smtp_url",
    "nats.url",
    "payments.stripe.secret_key",
    "payments.stripe.webhook_secrets",
];

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
    format!("{PREFIX}{}", key.to_uppercase().replace('.', "__"))
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

/// The shipped defaults with these of ours over them, then the file, then the environment.
pub(super) fn load<T: DeserializeOwned>(
    other_defaults: &str,
    file: Option<&Path>,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<T, ConfigError> {
    let mut table: Table = DEFAULTS.parse().expect("the shipped file is TOML");
    let other_defaults = other_defaults.parse().expect("defaults of ours are TOML");
    overlay_section(&mut table, other_defaults, "", "a default")?;
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
    overlay_section(table, layer, "", &path.display().to_string())
}

/// The keys of a section; `within` is the section's name with a dot, empty for all of them.
fn overlay_section(
    known: &mut Table,
    layer: Table,
    within: &str,
    origin: &str,
) -> Result<(), ConfigError> {
    for (key, value) in layer {
        let name = format!("{within}{key}");
        if SECRETS.contains(&name.as_str()) {
            let rule = format!("is a secret: set {}, or {name}_file", variable(&name));
            return Err(ConfigError::Value { key: name, rule });
        }
        let Some(slot) = known.get_mut(&key) else {
            return Err(ConfigError::UnknownKey { origin: origin.into(), key: name });
        };
        match (slot, value) {
            (Value::Table(known), Value::Table(keys)) => {
                overlay_section(known, keys, &format!("{name}."), origin)?;
            }
            (slot, value) if slot.same_type(&value) => *slot = value,
            (slot, value) => {
                let rule = format!("is {}, not {}", kind(slot), kind(&value));
                return Err(ConfigError::Value { key: name, rule });
            }
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
    let key = key.to_lowercase();
    let path: Vec<&str> = key.split("__").collect();
    let slot = slot(table, &path).filter(|slot| !slot.is_table());
    let slot = slot.ok_or_else(|| ConfigError::UnknownKey {
        origin: format!("the variable {name}"),
        key: path.join("."),
    })?;
    let wrong = |slot: &Value| ConfigError::Value {
        key: format!("{} ({name})", path.join(".")),
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

/// What is at this path, through sections and their sections.
fn slot<'a>(table: &'a mut Table, path: &[&str]) -> Option<&'a mut Value> {
    let (key, rest) = path.split_first()?;
    let value = table.get_mut(*key)?;
    if rest.is_empty() { Some(value) } else { slot(value.as_table_mut()?, rest) }
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
    let (mut keys, mut path) = (Vec::new(), Vec::new());
    every_key(table, &mut path, &mut keys);
    let cannot_be_read = |(path, value): &(Vec<&str>, &Value)| {
        let mut alone = defaults.clone();
        let Some(slot) = slot(&mut alone, path) else { return true };
        *slot = (*value).clone();
        Value::Table(alone).try_into::<T>().is_err()
    };
    match keys.iter().find(|key| cannot_be_read(key)) {
        Some((path, _)) => path.join("."),
        None => "the configuration".into(),
    }
}

/// Every key below this section, with its value.
fn every_key<'a>(
    table: &'a Table,
    path: &mut Vec<&'a str>,
    keys: &mut Vec<(Vec<&'a str>, &'a Value)>,
) {
    for (key, value) in table {
        path.push(key);
        match value {
            Value::Table(section) => every_key(section, path, keys),
            value => keys.push((path.clone(), value)),
        }
        path.pop();
    }
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
