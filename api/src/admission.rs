//! Admission tokens: the permission to shop in one event, of one buyer, for a while.
//!
//! A token is Base64 (URL-safe) of a version, the round, from when until when, and an HMAC-SHA256 over these
//! and the buyer's name with the room's own key. It names nobody: shown by another buyer, at another event, or
//! after the round was raised, it is nothing.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::moment::Moment;
use taquilla_engine::waiting_room::admission::Admission;

const VERSION: u8 = 1;
/// Version, round, from, until.
const SAID: usize = 1 + 4 + 8 + 8;
const SIGNED: usize = SAID + 32;

/// Signs and reads the tokens of one room in its present round.
#[derive(Clone)]
pub struct AdmissionTokens {
    key: [u8; 32],
    round: i32,
}

impl AdmissionTokens {
    /// With the room's key.
    #[must_use]
    pub fn new(key: [u8; 32], round: i32) -> Self {
        Self { key, round }
    }

    /// The token of this admission. The same each time.
    #[must_use]
    pub fn sign(&self, buyer: &BuyerId, admission: Admission) -> String {
        let mut token = Vec::with_capacity(SIGNED);
        token.push(VERSION);
        token.extend(self.round.to_be_bytes());
        token.extend(admission.from.0.to_be_bytes());
        token.extend(admission.until.0.to_be_bytes());
        let seal = self.seal(buyer, &token).finalize().into_bytes();
        token.extend(seal);
        BASE64_URL_SAFE_NO_PAD.encode(token)
    }

    /// The admission that this buyer's token is of, over or not; none if it is not one of this room's, of
    /// this round, for him.
    #[must_use]
    pub fn read(&self, buyer: &BuyerId, token: &str) -> Option<Admission> {
        let token = BASE64_URL_SAFE_NO_PAD.decode(token).ok()?;
        let token: [u8; SIGNED] = token.try_into().ok()?;
        let (said, seal) = token.split_at(SAID);
        self.seal(buyer, said).verify_slice(seal).ok()?;
        let (version, said) = said.split_first()?;
        let (round, said) = said.split_first_chunk()?;
        let (from, said) = said.split_first_chunk()?;
        let until = said.first_chunk()?;
        let is_ours = *version == VERSION && i32::from_be_bytes(*round) == self.round;
        let moment = |bytes: &[u8; 8]| Moment(i64::from_be_bytes(*bytes));
        is_ours.then(|| Admission { from: moment(from), until: moment(until) })
    }

    fn seal(&self, buyer: &BuyerId, said: &[u8]) -> Hmac<Sha256> {
        let mut seal = Hmac::<Sha256>::new_from_slice(&self.key).expect("a key of any length");
        seal.update(said);
        seal.update(buyer.as_str().as_bytes());
        seal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buyer(name: &str) -> BuyerId {
        BuyerId::parse(name).expect("a buyer")
    }

    const TOKENS: AdmissionTokens = AdmissionTokens { key: [7; 32], round: 1 };
    const ADMISSION: Admission = Admission { from: Moment(1_000), until: Moment(2_000) };

    #[test]
    fn a_token_is_its_buyers_admission_and_the_same_each_time() {
        let token = TOKENS.sign(&buyer("ana"), ADMISSION);
        assert_eq!(TOKENS.read(&buyer("ana"), &token), Some(ADMISSION));
        assert_eq!(TOKENS.sign(&buyer("ana"), ADMISSION), token);
        assert_eq!(token.len(), 71);
    }

    #[test]
    fn a_token_of_anybody_or_anything_else_is_nothing() {
        let token = TOKENS.sign(&buyer("ana"), ADMISSION);
        assert_eq!(TOKENS.read(&buyer("eva"), &token), None);
        assert_eq!(TOKENS.read(&buyer("an"), &token), None);
        let others = [
            AdmissionTokens { key: [8; 32], ..TOKENS },
            AdmissionTokens { round: 2, ..TOKENS },
            AdmissionTokens { round: 0, ..TOKENS },
        ];
        for other in others {
            assert_eq!(other.read(&buyer("ana"), &token), None);
        }
    }

    #[test]
    fn a_token_of_which_one_letter_was_changed_is_nothing() {
        let token = TOKENS.sign(&buyer("ana"), ADMISSION);
        for place in 0..token.len() {
            for letter in ['A', 'z', '-', '=', '\u{e9}'] {
                let mut changed: Vec<char> = token.chars().collect();
                if std::mem::replace(&mut changed[place], letter) == letter {
                    continue;
                }
                let changed: String = changed.into_iter().collect();
                assert_eq!(TOKENS.read(&buyer("ana"), &changed), None, "{changed}");
            }
        }
        for other in ["", "A", &token[1..], &format!("{token}A"), &"A".repeat(100_000)] {
            assert_eq!(TOKENS.read(&buyer("ana"), other), None);
        }
    }
}
