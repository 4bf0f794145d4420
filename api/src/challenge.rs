//! Proof of work for a place in a waiting room, by ALTCHA's protocol in its first version: find the number
//! below `maxnumber` whose SHA-256 after the salt is `challenge`. That is the version that widgets 1 and 2
//! and most libraries speak; the second has another challenge and another response.
//!
//! Nothing is remembered of a challenge. What it is for stands in its salt, which hash and signature cover:
//! the buyer's ticket, which is his in this event only, and the last number that he had there. Once it has
//! brought him a place, that number is another one, so it brings no second.

mod response;
mod terms;

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use sha2::{Digest, Sha256};
use taquilla_engine::moment::Moment;
use uuid::Uuid;

pub use self::response::Shown;
use self::response::{ALGORITHM, Response};
use self::terms::Terms;
use crate::problem::{Problem, table};

/// What challenges are like.
#[derive(Clone, Debug)]
pub struct ChallengeSettings {
    /// Signs them. All processes of an installation have the same.
    pub key: SecretString,
    /// The number to be found is at most this; half of it is tried on the average.
    pub difficulty: u32,
    /// How long each is good.
    pub lifetime: Duration,
}

/// Makes challenges, and looks at responses.
pub struct Challenges(ChallengeSettings);

/// What a place in a line is asked for with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// The buyer's ticket: it is his, and in this event, whether he has joined or not.
    pub ticket: Uuid,
    /// The last number that he had in this line.
    pub after: Option<u32>,
}

/// A challenge, as ALTCHA's widget takes it.
#[derive(Debug, Serialize)]
struct Challenge {
    algorithm: &'static str,
    challenge: String,
    maxnumber: u32,
    salt: String,
    signature: String,
}

/// Why a place is not to be had yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Unsolved {
    #[error("solve `challenge`, and send the solution as `challenge_response`")]
    Missing,
    #[error("the `challenge_response` is longer than any solution")]
    TooLong,
    #[error("the `challenge_response` is of a challenge that was not made here")]
    Forged,
    #[error("the `challenge_response` does not solve its challenge: number or salt is another")]
    Wrong,
    #[error("the `challenge_response` is of a challenge that was made for another buyer or event")]
    Foreign,
    #[error("the `challenge_response` has brought a place already")]
    Used,
    #[error("the `challenge_response` is of a challenge whose time is over")]
    Expired,
}

impl Challenges {
    /// By these settings.
    #[must_use]
    pub fn new(settings: ChallengeSettings) -> Self {
        Self(settings)
    }

    /// Whether what is shown solves a challenge of ours, made for this, in its time.
    ///
    /// # Errors
    /// `challenge-required` with what is wrong and a fresh challenge.
    pub fn check(&self, shown: &Shown, purpose: Purpose, now: Moment) -> Result<(), Problem> {
        let solved = match shown {
            Shown::Nothing => Err(Unsolved::Missing),
            Shown::TooLong => Err(Unsolved::TooLong),
            Shown::Response(response) => self.verify(response, purpose, now),
        };
        solved.map_err(|why| {
            let problem = Problem::new(&table::CHALLENGE_REQUIRED, why.to_string());
            problem.with("challenge", self.challenge(purpose, now))
        })
    }

    fn challenge(&self, purpose: Purpose, now: Moment) -> Challenge {
        let nonce: [u8; 12] = rand::random();
        let terms = Terms { purpose, expires: seconds(now + self.0.lifetime) };
        let salt = terms.salt(nonce);
        let challenge = hash(&salt, rand::random_range(0..=self.0.difficulty).into());
        let signature = hex::encode(self.signature(&challenge).finalize().into_bytes());
        let maxnumber = self.0.difficulty;
        Challenge { algorithm: ALGORITHM, challenge, maxnumber, salt, signature }
    }

    /// An HMAC and a hash. Only after both is the salt ours, and what stands in it.
    fn verify(&self, response: &Response, purpose: Purpose, now: Moment) -> Result<(), Unsolved> {
        let signature = hex::decode(&response.signature).map_err(|_| Unsolved::Forged)?;
        let signed = self.signature(&response.challenge).verify_slice(&signature);
        signed.map_err(|_| Unsolved::Forged)?;
        if hash(&response.salt, response.number) != response.challenge {
            return Err(Unsolved::Wrong);
        }
        let terms = Terms::of_salt(&response.salt).ok_or(Unsolved::Wrong)?;
        match terms.purpose {
            it if it.ticket != purpose.ticket => Err(Unsolved::Foreign),
            it if it.after != purpose.after => Err(Unsolved::Used),
            _ if terms.expires <= seconds(now) => Err(Unsolved::Expired),
            _ => Ok(()),
        }
    }

    fn signature(&self, challenge: &str) -> Hmac<Sha256> {
        let key = self.0.key.expose_secret().as_bytes();
        let mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
        mac.chain_update(challenge)
    }
}

/// As hex, which is how it is signed.
fn hash(salt: &str, number: u64) -> String {
    let mut hash = Sha256::new();
    hash.update(salt);
    hash.update(number.to_string());
    hex::encode(hash.finalize())
}

/// Since 1970, as ALTCHA's `expires`.
fn seconds(at: Moment) -> u64 {
    at.since(Moment(0)).as_secs()
}

#[cfg(test)]
mod tests;
