//! Signing and verifying.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode,
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use taquilla_engine::id::EventId;
use taquilla_persistence::orders::TicketRecord;
use uuid::Uuid;

use super::key::{PublicKeys, TicketKeyError, TicketKeys, read};

/// Tells a ticket from every other token that the same key might sign one day.
const TYPE: &str = "taquilla-ticket";

/// What a code says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedTicket {
    /// Which ticket.
    pub ticket_id: Uuid,
    /// For which event.
    pub event_id: Uuid,
    /// Where.
    pub section: String,
    /// On which seat, where the section has seats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seat: Option<String>,
}

impl SignedTicket {
    /// Of this ticket, for this event.
    #[must_use]
    pub fn of(ticket: &TicketRecord, event: EventId) -> Self {
        Self {
            ticket_id: ticket.id.uuid(),
            event_id: event.uuid(),
            section: ticket.section.clone(),
            seat: ticket.seat.clone(),
        }
    }
}

/// Signs tickets.
pub struct TicketSigner {
    header: Header,
    key: EncodingKey,
    public: PublicKeys,
}

impl TicketSigner {
    /// With this Ed25519 private key, PKCS #8 in PEM.
    ///
    /// # Errors
    /// [`TicketKeyError`].
    pub fn new(pem: &SecretString) -> Result<Self, TicketKeyError> {
        let (key, public) = read(pem)?;
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(TYPE.into());
        header.kid = public.common.key_id.clone();
        // Once, so that signing cannot fail later.
        jsonwebtoken::crypto::sign(b"", &key, Algorithm::EdDSA)?;
        Ok(Self { header, key, public: JwkSet { keys: vec![public] } })
    }

    /// With the keys of an installation.
    ///
    /// # Errors
    /// [`TicketKeyError`].
    pub fn of(keys: TicketKeys) -> Result<Self, TicketKeyError> {
        Ok(Self::new(&keys.signing)?.with_others(keys.others))
    }

    /// Verifies codes of these keys too, and publishes them. A key that is there already counts once.
    #[must_use]
    pub fn with_others(mut self, others: impl IntoIterator<Item = PublicKeys>) -> Self {
        for key in others.into_iter().flat_map(|set| set.keys) {
            let known = |other: &Jwk| other.common.key_id == key.common.key_id;
            if !self.public.keys.iter().any(known) {
                self.public.keys.push(key);
            }
        }
        self
    }

    /// The ticket's code. The same ticket has the same code for as long as the same key signs.
    ///
    /// # Panics
    /// Never: the key has signed before.
    #[must_use]
    pub fn sign(&self, ticket: &SignedTicket) -> String {
        encode(&self.header, ticket, &self.key).expect("the key has signed before")
    }

    /// A signature over these bytes, as RFC 8032 has it. They begin with none of what codes do.
    ///
    /// # Panics
    /// Never: the key has signed before.
    #[must_use]
    pub(super) fn sign_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let signature = jsonwebtoken::crypto::sign(bytes, &self.key, Algorithm::EdDSA);
        let text = signature.expect("the key has signed before");
        URL_SAFE_NO_PAD.decode(text).expect("a signature of the library's is base64url")
    }

    /// The name of the key that signs, as bytes: the SHA-256 that its `kid` spells.
    ///
    /// # Panics
    /// Never: the name is a hash of this size.
    #[must_use]
    pub fn key_id(&self) -> [u8; 32] {
        let name = self.header.kid.as_deref().and_then(|kid| URL_SAFE_NO_PAD.decode(kid).ok());
        let name = name.and_then(|bytes| bytes.try_into().ok());
        name.expect("a key is named by its thumbprint")
    }

    /// What the code says, if the key that signs, or one of the others, signed it.
    #[must_use]
    pub fn verify(&self, code: &str) -> Option<SignedTicket> {
        verify(code, &self.public)
    }

    /// What scanners verify with; the key that signs comes first.
    #[must_use]
    pub fn public_keys(&self) -> &PublicKeys {
        &self.public
    }
}

/// What the code says, if one of these keys signed it.
#[must_use]
pub fn verify(code: &str, keys: &PublicKeys) -> Option<SignedTicket> {
    let header = decode_header(code).ok().filter(|header| header.typ.as_deref() == Some(TYPE))?;
    let key = DecodingKey::from_jwk(keys.find(&header.kid?)?).ok()?;
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_aud = false;
    decode(code, &key, &validation).ok().map(|decoded| decoded.claims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tickets::{public_keys, ticket_key_pem};

    fn signer(seed: u8) -> TicketSigner {
        TicketSigner::new(&ticket_key_pem(&[seed; 32])).expect("32 bytes make a key")
    }

    fn ticket() -> SignedTicket {
        SignedTicket {
            ticket_id: Uuid::from_u128(1),
            event_id: Uuid::from_u128(2),
            section: "101".into(),
            seat: Some("101-C-14".into()),
        }
    }

    #[test]
    fn a_code_says_its_ticket_and_comes_out_the_same_each_time() {
        let code = signer(1).sign(&ticket());
        assert_eq!(verify(&code, signer(1).public_keys()), Some(ticket()));
        assert_eq!(code, signer(1).sign(&ticket()));
    }

    #[test]
    fn a_code_of_another_key_or_another_text_is_none() {
        let code = signer(1).sign(&ticket());
        assert_eq!(verify(&code, signer(2).public_keys()), None);
        let (head, tail) = code.split_at(code.len() / 2);
        let flipped = if tail.starts_with('A') { "B" } else { "A" };
        let forged = format!("{head}{flipped}{}", &tail[1..]);
        assert_eq!(verify(&forged, signer(1).public_keys()), None);
        assert_eq!(verify("", signer(1).public_keys()), None);
    }

    #[test]
    fn codes_of_an_older_key_stay_good_for_as_long_as_it_is_kept() {
        let old = signer(1).sign(&ticket());
        let rotated = || signer(2).with_others([signer(1).public_keys().clone()]);
        assert_eq!(rotated().verify(&old), Some(ticket()));
        let new = rotated().sign(&ticket());
        assert_ne!(new, old, "the new key signs");
        assert_eq!(rotated().verify(&new), Some(ticket()));
        assert_eq!(signer(2).verify(&old), None, "the old key is gone");
        let twice = rotated().with_others([signer(1).public_keys().clone()]);
        assert_eq!(twice.public_keys().keys.len(), 2, "a key counts once");
        let first = twice.public_keys().keys[0].common.key_id.clone();
        assert_eq!(first, signer(2).public_keys().keys[0].common.key_id, "the one that signs");
    }

    #[test]
    fn a_published_key_is_named_by_what_it_is() {
        let mut set = signer(1).public_keys().clone();
        set.keys[0].common.key_id = signer(2).public_keys().keys[0].common.key_id.clone();
        let read = public_keys(&serde_json::to_vec(&set).expect("JSON")).expect("a key");
        assert_eq!(read.keys, signer(1).public_keys().keys);
        let hmac = br#"{"keys": [{"kty": "oct", "kid": "k", "k": "c2VjcmV0"}]}"#;
        assert!(public_keys(hmac).is_err(), "no ticket is verified by a shared secret");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let other = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
        for pem in ["", "a key", other] {
            assert!(TicketSigner::new(&pem.to_owned().into()).is_err(), "{pem:?}");
        }
    }
}
