//! A token by the service's own secret: for `taquilla token`, `taquilla dev` and tests. Where another
//! party signs, there is no secret here and nothing can be minted.

use std::time::Duration;

use jsonwebtoken::{EncodingKey, Header, encode};
use secrecy::ExposeSecret;
use serde::Serialize;
use taquilla_engine::moment::Moment;

use super::token::{TokenSettings, VerificationKey};

/// What a token is to say.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Who it speaks for.
    pub subject: String,
    /// Space-separated; may be empty.
    pub scope: String,
    /// How long it is good.
    pub lifetime: Duration,
    /// An address to be named as verified.
    pub email: Option<String>,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum MintError {
    /// The settings have public keys only.
    #[error("the configured keys verify tokens but cannot sign them")]
    NoSecret,
    /// The secret does not fit the algorithm.
    #[error("the token cannot be signed")]
    Sign(#[from] jsonwebtoken::errors::Error),
}

#[derive(Serialize)]
struct Claims<'a> {
    sub: &'a str,
    iss: &'a str,
    aud: &'a str,
    iat: u64,
    nbf: u64,
    exp: u64,
    #[serde(skip_serializing_if = "str::is_empty")]
    scope: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_verified: Option<bool>,
}

/// A token good from `now`, signed by the first of the settings' keys that can sign.
///
/// # Errors
/// [`MintError`].
pub fn mint(settings: &TokenSettings, grant: &Grant, now: Moment) -> Result<String, MintError> {
    let mut secrets = settings.keys.iter().filter_map(|key| match key {
        VerificationKey::Secret(secret) => Some(secret),
        VerificationKey::Pem(_) => None,
    });
    let secret = secrets.next().ok_or(MintError::NoSecret)?.expose_secret();
    let now = now.since(Moment(0)).as_secs();
    let claims = Claims {
        sub: &grant.subject,
        iss: &settings.issuer,
        aud: &settings.audience,
        iat: now,
        nbf: now,
        exp: now + grant.lifetime.as_secs(),
        scope: &grant.scope,
        email: grant.email.as_deref(),
        email_verified: grant.email.as_ref().map(|_| true),
    };
    let key = EncodingKey::from_secret(secret.as_bytes())?;
    Ok(encode(&Header::new(settings.algorithm), &claims, &key)?)
}
