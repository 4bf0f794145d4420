//! What everybody was told of his place, and the judge of it: a place is one for ever, is where the public
//! proof says, and is never better than before.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::Value;
use uuid::Uuid;

use super::draw::Draw;

/// No number of anybody.
const NONE: u32 = u32::MAX;
/// Of what was wrong, so many of each kind are told. They are of one kind if they begin alike, numbers apart.
const TOLD_MAX: usize = 3;
const KIND_LETTERS: usize = 30;

/// What has become of a buyer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Waiting,
    /// It is his turn.
    Inside,
    Served,
    Declined,
    SoldOut,
    /// By his own will.
    Left,
}

impl Fate {
    pub(super) const ALL: [Self; 6] =
        [Self::Waiting, Self::Inside, Self::Served, Self::Declined, Self::SoldOut, Self::Left];
}

/// A few bytes: there are half a million of them.
#[derive(Debug, Clone, Copy)]
struct Place {
    ticket: Uuid,
    index: u32,
    position: u32,
    /// When he was seen admitted, in milliseconds of the server's; 0 if never.
    admitted_ms: i64,
    fate: Fate,
}

/// Everybody's place. 32 bytes a buyer, and four a position.
#[derive(Debug)]
pub(super) struct Book {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    places: Vec<Place>,
    /// Who stands there.
    order: Vec<u32>,
    draw: Option<Draw>,
    faults: BTreeMap<String, Vec<String>>,
    faults_count: usize,
    /// Positions that were told, and were as computed.
    compared: usize,
}

/// Somebody who was let in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admitted {
    pub(super) buyer: u32,
    pub(super) position: u32,
    pub(super) at_ms: i64,
}

impl Book {
    pub(super) fn new(buyers: u32) -> Self {
        let place = Place {
            ticket: Uuid::nil(),
            index: NONE,
            position: NONE,
            admitted_ms: 0,
            fate: Fate::Waiting,
        };
        let inner = Inner {
            places: vec![place; buyers as usize],
            order: Vec::new(),
            draw: None,
            faults: BTreeMap::new(),
            faults_count: 0,
            compared: 0,
        };
        Self { inner: Mutex::new(inner) }
    }

    fn with<T>(&self, look: impl FnOnce(&mut Inner) -> T) -> T {
        look(&mut self.inner.lock().expect("nobody panics with the book in hand"))
    }

    /// The server told him this of his place. `may_fall_back`: he had given it up, or lost it.
    pub(super) fn told(&self, buyer: u32, ticket: &Value, may_fall_back: bool) {
        self.with(|inner| inner.told(buyer, ticket, may_fall_back));
    }

    /// Something is not as it must be.
    pub(super) fn fault(&self, what: String) {
        self.with(|inner| inner.fault(what));
    }

    /// The draw is known: everybody's position follows from it.
    pub(super) fn draw(&self, draw: Draw) {
        self.with(|inner| {
            inner.order = vec![NONE; draw.tickets.len()];
            inner.draw = Some(draw);
            for buyer in 0..inner.places.len() {
                if inner.places[buyer].index != NONE {
                    inner.stand(buyer);
                }
            }
        });
    }

    /// Those who stand there and wait.
    pub(super) fn standing(&self, positions: std::ops::Range<u32>) -> Vec<u32> {
        self.with(|inner| {
            let waits = |position: u32| {
                let buyer = *inner.order.get(position as usize)?;
                let place = inner.places.get(buyer as usize)?;
                let is_his = place.position == position && place.fate == Fate::Waiting;
                is_his.then_some(buyer)
            };
            positions.filter_map(waits).collect()
        })
    }

    pub(super) fn admitted(&self, buyer: u32, at_ms: i64) {
        self.with(|inner| inner.places[buyer as usize].admitted_ms = at_ms);
    }

    pub(super) fn set(&self, buyer: u32, fate: Fate) {
        self.with(|inner| inner.places[buyer as usize].fate = fate);
    }

    pub(super) fn fate(&self, buyer: u32) -> Fate {
        self.with(|inner| inner.places[buyer as usize].fate)
    }

    /// Where he stands, once that is known.
    pub(super) fn position(&self, buyer: u32) -> Option<u32> {
        let position = self.with(|inner| inner.places[buyer as usize].position);
        (position != NONE).then_some(position)
    }

    /// How many there are of each fate.
    pub(super) fn fates(&self) -> [usize; 6] {
        self.with(|inner| {
            Fate::ALL.map(|fate| inner.places.iter().filter(|it| it.fate == fate).count())
        })
    }

    /// All who were let in.
    pub(super) fn all_admitted(&self) -> Vec<Admitted> {
        self.with(|inner| {
            let admitted = (0..).zip(&inner.places).filter(|(_, it)| it.admitted_ms != 0);
            let it = admitted.map(|(buyer, it)| Admitted {
                buyer,
                position: it.position,
                at_ms: it.admitted_ms,
            });
            it.collect()
        })
    }

    /// How many took part in the draw, and how many positions were told that were as computed.
    pub(super) fn compared(&self) -> (u32, usize) {
        self.with(|inner| (inner.draw.as_ref().map_or(0, Draw::present), inner.compared))
    }

    /// Some of those whose fate this is.
    pub(super) fn some_of(&self, fate: Fate) -> Vec<u32> {
        self.with(|inner| {
            let all = (0..).zip(&inner.places).filter(|(_, it)| it.fate == fate);
            all.map(|(buyer, _)| buyer).take(TOLD_MAX).collect()
        })
    }

    /// All that was wrong, if anything was.
    pub(super) fn complaint(&self) -> Option<String> {
        self.with(|inner| {
            let told: Vec<&str> = inner.faults.values().flatten().map(|it| &**it).collect();
            let (count, told) = (inner.faults_count, told.join("\n  "));
            (count > 0).then(|| format!("{count} things were wrong, among them:\n  {told}"))
        })
    }
}

impl Inner {
    fn fault(&mut self, what: String) {
        self.faults_count += 1;
        let kind: String =
            what.chars().filter(|it| !it.is_ascii_digit()).take(KIND_LETTERS).collect();
        let told = self.faults.entry(kind).or_default();
        if told.len() < TOLD_MAX {
            told.push(what);
        }
    }

    fn told(&mut self, buyer: u32, told: &Value, may_fall_back: bool) {
        let number = |member: &str| told[member].as_u64().and_then(|it| u32::try_from(it).ok());
        let ticket = told["ticket_id"].as_str().and_then(|it| Uuid::parse_str(it).ok());
        let (Some(index), Some(ticket)) = (number("index"), ticket) else {
            return self.fault(format!("buyer {buyer} was told no place: {told}"));
        };
        let place = self.places[buyer as usize];
        if place.index == NONE {
            self.places[buyer as usize] = Place { ticket, index, ..place };
            self.stand(buyer as usize);
        } else if ticket != place.ticket {
            self.fault(format!("buyer {buyer} has another ticket than {}: {told}", place.ticket));
        } else if index != place.index {
            if !may_fall_back || index < place.index {
                self.fault(format!("buyer {buyer} had index {}: {told}", place.index));
            }
            self.places[buyer as usize].index = index;
            self.stand(buyer as usize);
            if place.position != NONE && self.places[buyer as usize].position < place.position {
                self.fault(format!("buyer {buyer} stood at {}: {told}", place.position));
            }
        }
        if let (Some(position), Some(draw)) = (number("position"), &self.draw) {
            if draw.position(index) == position {
                self.compared += 1;
            } else {
                let computed = draw.position(index);
                self.fault(format!("the proof says {computed} of buyer {buyer}: {told}"));
            }
        }
    }

    /// Puts him where his index stands.
    fn stand(&mut self, buyer: usize) {
        let Some(draw) = &self.draw else { return };
        let Place { index, ticket, .. } = self.places[buyer];
        let position = draw.position(index);
        let is_proved = draw.tickets.get(index as usize).is_none_or(|it| *it == ticket);
        self.places[buyer].position = position;
        if self.order.len() <= position as usize {
            self.order.resize(position as usize + 1, NONE);
        }
        self.order[position as usize] = u32::try_from(buyer).unwrap_or(NONE);
        if !is_proved {
            self.fault(format!("the proof has not ticket {ticket} of buyer {buyer} at {index}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Book;

    fn ticket(ticket: u8, index: u32, position: Option<u32>) -> Value {
        let id = uuid::Uuid::from_bytes([ticket; 16]);
        json!({"ticket_id": id, "index": index, "position": position})
    }

    fn complains(told: &[(Value, bool)]) -> bool {
        let book = Book::new(1);
        for (told, may_fall_back) in told {
            book.told(0, told, *may_fall_back);
        }
        book.complaint().is_some()
    }

    #[test]
    fn a_place_is_one_for_ever_and_falls_back_only_when_it_was_given_up() {
        let first = (ticket(1, 5, None), false);
        assert!(!complains(&[first.clone(), first.clone()]));
        assert!(complains(&[first.clone(), (ticket(2, 5, None), false)]), "another ticket");
        assert!(complains(&[first.clone(), (ticket(1, 6, None), false)]), "another place");
        assert!(!complains(&[first.clone(), (ticket(1, 6, None), true)]), "behind");
        assert!(complains(&[first, (ticket(1, 4, None), true)]), "in front");
        assert!(complains(&[(json!({}), false)]), "nothing");
    }
}
