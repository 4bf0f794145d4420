//! The draw, computed again from the public proof by the words of docs/draw.md alone, as anybody may.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

const ROUNDS: u8 = 10;
/// Of half a number, at least so many bits for both.
const BITS_MIN: u32 = 8;

/// A draw whose parts follow from each other.
#[derive(Debug)]
pub(super) struct Draw {
    key: [u8; 32],
    /// Of those who took part, in the order of joining.
    pub(super) tickets: Vec<Uuid>,
    high: u32,
    low: u32,
}

impl Draw {
    /// What follows from this proof; `None` while nothing is drawn.
    ///
    /// # Errors
    /// What does not fit `commitment`, which was published before anybody joined, or each other.
    pub(super) fn from_proof(proof: &Value, commitment: &str) -> Result<Option<Self>, String> {
        let drawn = &proof["drawn"];
        if drawn.is_null() {
            return Ok(None);
        }
        let event = text(proof, "event_id").and_then(|it| Uuid::parse_str(it).map_err(said))?;
        let secret = hex::decode(text(drawn, "secret")?).map_err(said)?;
        let committed = hash(&[b"taquilla draw commitment 1", event.as_bytes(), &secret]);
        if hex::encode(committed) != commitment || text(proof, "commitment")? != commitment {
            return Err("the secret is not the one that was committed to".into());
        }
        let ids = BASE64_STANDARD.decode(text(drawn, "tickets")?).map_err(said)?;
        let value = hash(&[&ids]);
        if hex::encode(value) != text(drawn, "public_value")? {
            return Err("the public value is not that of the tickets".into());
        }
        let tickets: Vec<Uuid> =
            ids.as_chunks::<16>().0.iter().map(|id| Uuid::from_bytes(*id)).collect();
        if drawn["present"].as_u64() != u64::try_from(tickets.len()).ok() {
            return Err(format!("{} tickets of {}", tickets.len(), drawn["present"]));
        }
        let key = hash(&[b"taquilla draw key 1", event.as_bytes(), &secret, &value]);
        let last = u32::try_from(tickets.len()).map_err(said)?.saturating_sub(1);
        let bits = (u32::BITS - last.leading_zeros()).max(BITS_MIN);
        Ok(Some(Self { key, tickets, high: bits - bits / 2, low: bits / 2 }))
    }

    pub(super) fn present(&self) -> u32 {
        u32::try_from(self.tickets.len()).expect("it was when it was read")
    }

    /// Where the ticket of this index stands.
    pub(super) fn position(&self, index: u32) -> u32 {
        if index >= self.present() {
            return index;
        }
        let mut position = self.pass(index);
        while position >= self.present() {
            position = self.pass(position);
        }
        position
    }

    fn pass(&self, number: u32) -> u32 {
        let (mut upper, mut lower) = (number >> self.low, number & mask(self.low));
        for round in 0..ROUNDS {
            if round % 2 == 0 {
                lower ^= self.mixed(round, upper) & mask(self.low);
            } else {
                upper ^= self.mixed(round, lower) & mask(self.high);
            }
        }
        upper << self.low | lower
    }

    fn mixed(&self, round: u8, half: u32) -> u32 {
        let hash = hash(&[&self.key, &[round], &half.to_be_bytes()]);
        u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
    }
}

fn mask(bits: u32) -> u32 {
    (1 << bits) - 1
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

fn text<'a>(it: &'a Value, member: &str) -> Result<&'a str, String> {
    it[member].as_str().ok_or_else(|| format!("no {member} in the proof"))
}

fn said(error: impl ToString) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Draw;

    fn example() -> Value {
        let file = include_str!("../../../../docs/examples/draw.json");
        serde_json::from_str(file).expect("the example is JSON")
    }

    #[test]
    fn the_example_of_the_docs_is_drawn_as_they_say() {
        let proof = example();
        let commitment = proof["commitment"].as_str().expect("there is one");
        let draw = Draw::from_proof(&proof, commitment).expect("it is sound").expect("it is drawn");
        let positions: Vec<u32> = (0..6).map(|index| draw.position(index)).collect();
        assert_eq!(positions, [4, 0, 2, 3, 1, 5]);
    }

    #[test]
    fn a_proof_that_was_bent_is_none() {
        let commitment = example()["commitment"].as_str().expect("there is one").to_owned();
        assert!(Draw::from_proof(&example(), &commitment.replace('7', "8")).is_err());
        for (member, bent) in
            [("secret", "00".into()), ("present", 4.into()), ("tickets", "".into())]
        {
            let mut proof = example();
            proof["drawn"][member] = bent;
            assert!(Draw::from_proof(&proof, &commitment).is_err(), "{member}");
        }
    }
}
