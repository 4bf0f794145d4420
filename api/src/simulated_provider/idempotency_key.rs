//! The caller's name for one operation.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// 1 to 255 visible ASCII characters. All operations share one namespace: a key that authorised
/// cannot capture.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct IdempotencyKey(String);

impl IdempotencyKey {
    /// A number below `bound` that is the same for the same key, on any machine and in any version:
    /// what the simulation draws from a key has to survive a restart.
    pub(super) fn draw(&self, bound: u64) -> u64 {
        let digest = Sha256::digest(self.0.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        u64::from_be_bytes(first) % bound
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// An id that is the same for the same key.
    pub(super) fn uuid(&self) -> Uuid {
        let digest = Sha256::digest(self.0.as_bytes());
        let mut first = [0; 16];
        first.copy_from_slice(&digest[..16]);
        Builder::from_custom_bytes(first).into_uuid()
    }
}

impl From<IdempotencyKey> for String {
    fn from(key: IdempotencyKey) -> Self {
        key.0
    }
}

impl TryFrom<String> for IdempotencyKey {
    type Error = String;

    fn try_from(key: String) -> Result<Self, String> {
        let visible = key.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=255).contains(&key.len()) {
            Ok(Self(key))
        } else {
            Err("an idempotency key is 1 to 255 visible ASCII characters".to_owned())
        }
    }
}
