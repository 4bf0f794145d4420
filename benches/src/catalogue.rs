//! A catalogue that is made up: events of many artists in the cities of a continent, from a seed.

use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng, SeedableRng};
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::sale::Sale;
use taquilla_persistence::catalogue::{Artist, EventRecord, EventSummary, VenueSummary};
use uuid::Uuid;

const SEED: u64 = 17;
const DAY: Duration = Duration::from_secs(86_400);

const SYLLABLES: [&str; 32] = [
    "ma", "rí", "lo", "ña", "ke", "tán", "vi", "ro", "sal", "ber", "gé", "lin", "du", "pra", "ço",
    "wa", "zé", "ür", "hol", "mé", "tro", "ste", "lla", "nor", "jo", "fu", "ba", "cri", "qui", "ø",
    "schi", "yu",
];

/// What the events are made of.
pub struct MadeUp {
    random: StdRng,
    artists: Vec<Artist>,
    venues: Vec<VenueSummary>,
}

impl MadeUp {
    /// For a catalogue of about so many events: an artist for twenty of them, a venue for fifty.
    #[must_use]
    pub fn of(events: usize) -> Self {
        let mut random = StdRng::seed_from_u64(SEED);
        let artists = (0..events / 20 + 1).map(|number| {
            let name = name(&mut random, 2);
            Artist { id: Uuid::from_u128(number as u128), slug: format!("artist-{number}"), name }
        });
        let artists = artists.collect();
        let venues = (0..events / 50 + 1).map(|number| VenueSummary {
            id: Uuid::from_u128(number as u128),
            slug: format!("venue-{number}"),
            name: name(&mut random, 2),
            city: name(&mut random, 1),
            country: "ES".into(),
            lat: random.random_range(36.0..60.0),
            lon: random.random_range(-9.0..30.0),
        });
        let venues = venues.collect();
        Self { random, artists, venues }
    }

    /// The event of this number, some day of the next two years.
    pub fn event(&mut self, number: i32) -> Arc<EventRecord> {
        let currency = Currency::parse("EUR").expect("a code");
        let starts_at = Moment(0) + DAY * self.random.random_range(20_000..20_730);
        let random = &mut self.random;
        let artists = (0..random.random_range(1..4)).map(|_| one_of(&self.artists, random));
        let artists = artists.collect();
        let sale = Sale {
            opens_at: Moment(0),
            closes_at: starts_at,
            hold_ttl: Duration::from_secs(480),
            buyer_seats_max: 6,
            waiting_room: false,
            paused: false,
            verifying_extension: Duration::ZERO,
            cancelled: false,
        };
        let summary = EventSummary {
            id: EventId::new(EventNumber(number), self.random.random()),
            slug: format!("event-{number}"),
            name: name(&mut self.random, 3),
            category: ["rock", "pop", "jazz", "flamenco"][self.random.random_range(0..4)].into(),
            starts_at,
            venue: one_of(&self.venues, &mut self.random),
            artists,
            currency,
            from_price: Money { amount: 1_000, currency },
            sale,
            plan: Uuid::nil(),
            hall: "main".into(),
            plan_version: 1,
            capacity: 60_000,
            as_of: Moment(0),
        };
        Arc::new(EventRecord {
            summary,
            description: String::new(),
            timezone: "Europe/Madrid".into(),
            conditions: String::new(),
            fees: Vec::new(),
            tiers: Vec::new(),
            sections: Vec::new(),
        })
    }

    /// What somebody looks for: a word of an artist's or a city's name; whole, begun or with a typo.
    pub fn words(&mut self) -> String {
        let random = &mut self.random;
        let name = match random.random_range(0..3) {
            0 => one_of(&self.venues, random).city,
            _ => one_of(&self.artists, random).name,
        };
        let word = name.split(' ').next().expect("a name has a word");
        let mut letters: Vec<char> = word.chars().collect();
        match random.random_range(0..3) {
            0 => {}
            1 => letters.truncate(letters.len().div_ceil(2).max(2)),
            _ => {
                let at = random.random_range(0..letters.len());
                letters[at] = 'x';
            }
        }
        letters.into_iter().collect()
    }

    /// A place on the continent, in degrees.
    pub fn place(&mut self) -> (f64, f64) {
        let venue = one_of(&self.venues, &mut self.random);
        (venue.lat + 0.1, venue.lon - 0.1)
    }
}

fn one_of<T: Clone>(all: &[T], random: &mut StdRng) -> T {
    all.choose(random).expect("there are some").clone()
}

fn name(random: &mut StdRng, words: usize) -> String {
    let word = |random: &mut StdRng| -> String {
        (0..random.random_range(2..5)).map(|_| *SYLLABLES.choose(random).expect("some")).collect()
    };
    (0..words).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}
