//! The keys of ticket codes, and their public halves as a JWK set (RFC 7517).

use jsonwebtoken::jwk::{Jwk, JwkSet, ThumbprintHash};
use jsonwebtoken::{Algorithm, EncodingKey};
use secrecy::{ExposeSecret, SecretSlice, SecretString};

/// What stands before the 32 bytes of an Ed25519 seed in PKCS #8, version 1 (RFC 8410).
const PKCS8_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The key that signs tickets.
#[derive(Clone, Debug)]
pub enum TicketSettings {
    /// An Ed25519 private key, PKCS #8 in PEM, as `openssl genpkey -algorithm ed25519` writes it.
    Pem(SecretString),
    /// The 32 bytes that make one: for keys drawn by this program.
    Seed(SecretSlice<u8>),
}

/// The settings hold no usable key.
#[derive(Debug, thiserror::Error)]
pub enum TicketKeyError {
    /// A seed has another length.
    #[error("an Ed25519 seed has 32 bytes")]
    SeedLength,
    /// The key is none of this kind.
    #[error("the ticket key is no Ed25519 private key")]
    Unreadable(#[from] jsonwebtoken::errors::Error),
}

/// The public keys that a scanner needs, as published.
pub type PublicKeys = JwkSet;

impl TicketSettings {
    /// The private key, and its public half under a name that follows from it (RFC 7638).
    pub(super) fn read(&self) -> Result<(EncodingKey, Jwk), TicketKeyError> {
        let private = match self {
            Self::Pem(pem) => EncodingKey::from_ed_pem(pem.expose_secret().as_bytes())?,
            Self::Seed(seed) => {
                let seed = seed.expose_secret();
                if seed.len() != 32 {
                    return Err(TicketKeyError::SeedLength);
                }
                EncodingKey::from_ed_der(&[&PKCS8_PREFIX, seed].concat())
            }
        };
        let mut public = Jwk::from_encoding_key(&private, Algorithm::EdDSA)?;
        public.common.key_id = Some(public.thumbprint(ThumbprintHash::SHA256)?);
        Ok((private, public))
    }
}
