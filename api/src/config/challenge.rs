//! `[challenge]`

use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::ConfigError;
use super::secret::given;
use crate::challenge::ChallengeSettings;

/// `[challenge]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Challenge {
    /// Whether a place in a waiting room asks for work.
    pub enabled: bool,
    pub(super) difficulty: u32,
    pub(super) expires_seconds: u64,
    key: SecretString,
    key_file: PathBuf,
}

impl Challenge {
    /// What challenges are like; none if they are off.
    ///
    /// # Errors
    /// [`ConfigError`] if they are on and their key is not set, cannot be read, or is shorter than 32
    /// bytes, which is what its hash has.
    pub fn settings(&self) -> Result<Option<ChallengeSettings>, ConfigError> {
        if !self.enabled {
            return Ok(None);
        }
        let key = given("challenge.key", &self.key, &self.key_file)?;
        if key.expose_secret().len() < 32 {
            return Err(ConfigError::value("challenge.key", "has at least 32 bytes"));
        }
        let lifetime = Duration::from_secs(self.expires_seconds);
        Ok(Some(ChallengeSettings { key, difficulty: self.difficulty, lifetime }))
    }
}
