//! Who asks for which seats. The same seed and round make the same requests, client by client.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::{Command, Keyed, Wish};
use taquilla_engine::hold::{Claim, Fingerprint};
use taquilla_engine::id::SeatIndex;

use crate::scale::Scale;

const SEED: u64 = 0x0074_6171_7569_6c6c;

/// In percent, for 1 to 4 seats: 2.45 on average.
const QUANTITIES: [(u32, u32); 4] = [(1, 20), (2, 35), (3, 25), (4, 20)];

/// A request for a hold.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Which of the events, from 0.
    pub event: usize,
    /// Who asks.
    pub buyer: BuyerId,
    /// The idempotency key, never used before.
    pub key: String,
    /// Of the request; drawn, since hashing a body is the edge's work.
    pub fingerprint: Fingerprint,
    /// Next to each other, in index order.
    pub seats: Vec<SeatIndex>,
}

impl Wanted {
    /// The request as the engine takes it.
    #[must_use]
    pub fn command(self) -> Command {
        Command::PlaceHold {
            buyer: self.buyer,
            keyed: Keyed { key: self.key.into(), fingerprint: self.fingerprint },
            wish: Wish::Claim { claim: Claim::of_seats(self.seats), accept_fewer: false },
            admission: None,
        }
    }
}

/// A buyer's wish for two seats that nobody else wants.
#[must_use]
pub fn numbered(number: u32, key: &str) -> Wanted {
    Wanted {
        event: 0,
        buyer: BuyerId::parse(&format!("buyer-{number:06}")).expect("a short name"),
        key: key.to_owned(),
        fingerprint: [0; 32],
        seats: vec![SeatIndex(2 * number), SeatIndex(2 * number + 1)],
    }
}

/// The endless requests of one client.
#[derive(Debug)]
pub struct Requests {
    random: StdRng,
    round: u64,
    client: u64,
    event: usize,
    made: u64,
    sections: u16,
    section_seats: u32,
    buyers: Arc<[BuyerId]>,
}

impl Requests {
    /// The requests of all clients. Rounds keep keys apart: no two loads on one event share one.
    #[must_use]
    pub fn of_clients(scale: &Scale, round: u64) -> Vec<Self> {
        let buyer = |n| BuyerId::parse(&format!("buyer-{n:06}")).expect("a short name");
        let buyers: Arc<[BuyerId]> = (0..scale.buyers).map(buyer).collect();
        (0..scale.in_flight as u64)
            .map(|client| Self {
                random: StdRng::seed_from_u64(SEED ^ (round << 32) ^ client),
                round,
                client,
                event: client as usize % usize::from(scale.events),
                made: 0,
                sections: scale.sections,
                section_seats: scale.section_seats,
                buyers: Arc::clone(&buyers),
            })
            .collect()
    }

    /// The next one.
    pub fn draw(&mut self) -> Wanted {
        self.made += 1;
        let section = self.random.random_range(0..self.sections);
        let quantity = self.quantity();
        let place = self.random.random_range(0..=self.section_seats - quantity);
        let first = u32::from(section) * self.section_seats + place;
        Wanted {
            event: self.event,
            buyer: self.buyers[self.random.random_range(0..self.buyers.len())].clone(),
            key: format!("{}-{}-{}", self.round, self.client, self.made),
            fingerprint: self.random.random(),
            seats: (first..first + quantity).map(SeatIndex).collect(),
        }
    }

    fn quantity(&mut self) -> u32 {
        let mut drawn = self.random.random_range(0..100);
        for (quantity, percent) in QUANTITIES {
            if drawn < percent {
                return quantity;
            }
            drawn -= percent;
        }
        unreachable!("the percentages add up to a hundred")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_wants_2_45_seats_on_average() {
        let mut requests = Requests::of_clients(&Scale::TINY, 0).swap_remove(0);
        let drawn = 20_000;
        let seats: usize = (0..drawn).map(|_| requests.draw().seats.len()).sum();
        let average = seats as f64 / f64::from(drawn);
        assert!((average - 2.45).abs() < 0.03, "{average}");
    }

    #[test]
    fn the_same_round_asks_the_same() {
        let drawn = |round| {
            let mut clients = Requests::of_clients(&Scale::TINY, round);
            clients.iter_mut().map(|client| client.draw().seats).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}
