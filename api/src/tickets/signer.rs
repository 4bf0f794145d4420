//! Signing and verifying.

use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode,
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::key::{PublicKeys, TicketKeyError, read};

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

    /// The ticket's code. The same ticket has the same code.
    ///
    /// # Panics
    /// Never: the key has signed before.
    #[must_use]
    pub fn sign(&self, ticket: &SignedTicket) -> String {
        encode(&self.header, ticket, &self.key).expect("the key has signed before")
    }

    /// What scanners verify with.
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
    use crate::tickets::ticket_key_pem;

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
    fn what_is_no_key_is_refused() {
        let other = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
        for pem in ["", "a key", other] {
            assert!(TicketSigner::new(&pem.to_owned().into()).is_err(), "{pem:?}");
        }
    }
}
