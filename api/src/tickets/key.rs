//! The keys of ticket codes, and their public halves as a JWK set (RFC 7517).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use secrecy::{ExposeSecret, SecretString};

/// What stands before the 32 bytes of an Ed25519 seed in PKCS #8, version 1 (RFC 8410).
const PKCS8_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The settings hold no usable key.
#[derive(Debug, thiserror::Error)]
#[error("the ticket key is no Ed25519 private key in PKCS #8 PEM")]
pub struct TicketKeyError(#[from] jsonwebtoken::errors::Error);

/// The public keys that a scanner needs, as published.
pub type PublicKeys = JwkSet;

/// The keys of an installation.
pub struct TicketKeys {
    /// The one that signs: Ed25519, PKCS #8 in PEM.
    pub signing: SecretString,
    /// Others that verify, and are published beside it.
    pub others: Vec<PublicKeys>,
}

/// The text holds no public keys of tickets.
#[derive(Debug, thiserror::Error)]
#[error(
    "neither a JWK set, as /.well-known/taquilla-ticket-keys.json has it, nor an Ed25519 public key in PEM"
)]
pub struct PublicKeysError;

/// The public keys in this text: a JWK set as published, or one public key in PEM. Each is named anew
/// by what it is: a set cannot give one key another's name.
///
/// # Errors
/// [`PublicKeysError`], for a set with a key of another kind too.
pub fn public_keys(text: &[u8]) -> Result<PublicKeys, PublicKeysError> {
    let keys: Option<PublicKeys> = match text.trim_ascii_start().starts_with(b"-----BEGIN") {
        true => of_pem(text).ok(),
        false => serde_json::from_slice(text).ok(),
    };
    let JwkSet { keys } = keys.ok_or(PublicKeysError)?;
    let keys = keys.into_iter().map(|key| named(key).ok_or(PublicKeysError));
    Ok(JwkSet { keys: keys.collect::<Result<_, _>>()? })
}

fn of_pem(text: &[u8]) -> jsonwebtoken::errors::Result<PublicKeys> {
    let key = DecodingKey::from_ed_pem(text)?;
    Ok(JwkSet { keys: vec![Jwk::from_decoding_key(&key, Some(Algorithm::EdDSA))?] })
}

/// A public key under the name that it is published by; none for what verifies no ticket.
fn named(mut public: Jwk) -> Option<Jwk> {
    DecodingKey::from_jwk(&public).ok()?;
    let AlgorithmParameters::OctetKeyPair(pair) = &public.algorithm else { return None };
    let is_ed25519 = pair.curve == EllipticCurve::Ed25519;
    public.common.key_id = Some(public.thumbprint(ThumbprintHash::SHA256).ok()?);
    is_ed25519.then_some(public)
}

/// A private key in PEM, and its public half under a name that follows from it (RFC 7638).
pub(super) fn read(pem: &SecretString) -> Result<(EncodingKey, Jwk), TicketKeyError> {
    let private = EncodingKey::from_ed_pem(pem.expose_secret().as_bytes())?;
    let mut public = Jwk::from_encoding_key(&private, Algorithm::EdDSA)?;
    public.common.key_id = Some(public.thumbprint(ThumbprintHash::SHA256)?);
    Ok((private, public))
}

/// The PEM of the key that these 32 random bytes make, as `openssl genpkey -algorithm ed25519` would
/// write it.
#[must_use]
pub fn ticket_key_pem(seed: &[u8; 32]) -> SecretString {
    let der = STANDARD.encode([PKCS8_PREFIX.as_slice(), seed].concat());
    format!("-----BEGIN PRIVATE KEY-----\n{der}\n-----END PRIVATE KEY-----\n").into()
}
