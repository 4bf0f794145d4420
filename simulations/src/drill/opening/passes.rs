//! Buyers' tokens, signed here: half a million processes of `taquilla token` would take an hour.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

/// Longer than any drill.
const LIFETIME_SECONDS: i64 = 4 * 3_600;

/// Signs tokens that the stage's server takes.
#[derive(Debug)]
pub(super) struct Passes {
    key: &'static str,
    /// When all of them begin.
    now: i64,
}

impl Passes {
    pub(super) fn new(key: &'static str) -> Self {
        Self { key, now: chrono::Utc::now().timestamp() }
    }

    /// The token of this subject, by which of his devices: another token of the same name.
    pub(super) fn of(&self, subject: &str, device: u8, scope: &str) -> String {
        let from = self.now - i64::from(device);
        let head = json!({"alg": "HS256", "typ": "JWT"}).to_string();
        let claims = json!({
            "sub": subject, "iss": "taquilla", "aud": "taquilla", "scope": scope,
            "iat": from, "nbf": from, "exp": from + LIFETIME_SECONDS,
        });
        let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let said = format!("{}.{}", encode(head.as_bytes()), encode(claims.to_string().as_bytes()));
        let mut seal =
            Hmac::<Sha256>::new_from_slice(self.key.as_bytes()).expect("a key of any length");
        seal.update(said.as_bytes());
        let seal = encode(&seal.finalize().into_bytes());
        format!("{said}.{seal}")
    }
}
