//! Cursors: a position in a list, opaque to whoever carries it. Not signed: a made-up one only shows a
//! place of the list that could be reached anyway.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, de};
use taquilla_engine::id::{EventNumber, OrderId};
use taquilla_engine::moment::Moment;
use taquilla_persistence::catalogue::VenuePosition;
use taquilla_persistence::deliveries::DeliveryPosition;
use taquilla_persistence::operator_action::ActionPosition;
use taquilla_persistence::orders::OrderPosition;
use taquilla_persistence::story;
use taquilla_persistence::tickets::ScanPosition;
use uuid::Uuid;

use crate::instant::Instant;
use crate::search::{Order, SearchPosition};

/// A position that can be carried.
pub trait Positioned: Sized {
    /// The instant that the list is sorted by.
    fn at(&self) -> Moment;
    /// What sorts those of one instant.
    fn rest(&self) -> Vec<u8>;
    /// The position of these parts.
    fn join(at: Moment, rest: &[u8]) -> Option<Self>;
}

/// A cursor in a query.
pub struct Cursor<P>(pub P);

impl<P: Positioned> Cursor<P> {
    /// As it leaves.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut bytes = self.0.at().0.to_be_bytes().to_vec();
        bytes.extend(self.0.rest());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (at, rest) = bytes.split_first_chunk()?;
        // No list of ours has an instant that the database could not compare with.
        let at = Instant::of(Moment(i64::from_be_bytes(*at)))?;
        P::join(at.0, rest).map(Self)
    }
}

impl<'de, P: Positioned> Deserialize<'de> for Cursor<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("expected a `next_cursor` of this list"))
    }
}

/// Of the order and the rank besides the event, since a page goes on in its own list only.
impl Positioned for SearchPosition {
    fn at(&self) -> Moment {
        self.starts_at
    }

    fn rest(&self) -> Vec<u8> {
        let order = Order::ALL.iter().position(|order| *order == self.order).unwrap_or_default();
        let order = u8::try_from(order).expect("few");
        [&[order][..], &self.rank.to_be_bytes(), &self.event.0.to_be_bytes()].concat()
    }

    fn join(at: Moment, rest: &[u8]) -> Option<Self> {
        let (order, rest) = rest.split_first()?;
        let order = *Order::ALL.get(usize::from(*order))?;
        let (rank, rest) = rest.split_first_chunk()?;
        let rank = i64::from_be_bytes(*rank);
        let event = EventNumber(i32::from_be_bytes(rest.try_into().ok()?));
        Some(Self { order, rank, starts_at: at, event })
    }
}

impl Positioned for ActionPosition {
    fn at(&self) -> Moment {
        self.at
    }

    fn rest(&self) -> Vec<u8> {
        self.action.as_bytes().into()
    }

    fn join(at: Moment, rest: &[u8]) -> Option<Self> {
        Some(Self { at, action: Uuid::from_slice(rest).ok()? })
    }
}

impl Positioned for OrderPosition {
    fn at(&self) -> Moment {
        self.created_at
    }

    fn rest(&self) -> Vec<u8> {
        self.order.uuid().as_bytes().into()
    }

    fn join(created_at: Moment, rest: &[u8]) -> Option<Self> {
        let order = OrderId::parse(Uuid::from_slice(rest).ok()?)?;
        Some(Self { created_at, order })
    }
}

impl Positioned for ScanPosition {
    fn at(&self) -> Moment {
        self.at
    }

    fn rest(&self) -> Vec<u8> {
        self.scan.as_bytes().into()
    }

    fn join(at: Moment, rest: &[u8]) -> Option<Self> {
        let scan = printable(rest)?;
        Some(Self { at, scan })
    }
}

impl Positioned for DeliveryPosition {
    fn at(&self) -> Moment {
        self.tried_at
    }

    fn rest(&self) -> Vec<u8> {
        self.message_id.as_bytes().into()
    }

    fn join(tried_at: Moment, rest: &[u8]) -> Option<Self> {
        let message_id = printable(rest)?;
        Some(Self { tried_at, message_id })
    }
}

impl Positioned for story::Position {
    fn at(&self) -> Moment {
        self.at
    }

    fn rest(&self) -> Vec<u8> {
        let (major, minor) = (self.major.to_be_bytes(), self.minor.to_be_bytes());
        [&[self.source], major.as_slice(), &minor].concat()
    }

    fn join(at: Moment, rest: &[u8]) -> Option<Self> {
        let ([source], rest) = rest.split_first_chunk()?;
        let (major, rest) = rest.split_first_chunk()?;
        let minor = u32::from_be_bytes(rest.try_into().ok()?);
        Some(Self { at, source: *source, major: i64::from_be_bytes(*major), minor })
    }
}

impl Positioned for VenuePosition {
    fn at(&self) -> Moment {
        self.created_at
    }

    fn rest(&self) -> Vec<u8> {
        self.venue.as_bytes().into()
    }

    fn join(created_at: Moment, rest: &[u8]) -> Option<Self> {
        Some(Self { created_at, venue: Uuid::from_slice(rest).ok()? })
    }
}

/// A name that somebody else has drawn.
fn printable(rest: &[u8]) -> Option<String> {
    let is_one = !rest.is_empty() && rest.iter().all(u8::is_ascii_graphic);
    String::from_utf8(rest.into()).ok().filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_of_an_instant_that_nothing_has_is_none() {
        let text = |at: i64| {
            let position = VenuePosition { created_at: Moment(at), venue: Uuid::nil() };
            Cursor(position).to_text()
        };
        assert!(Cursor::<VenuePosition>::parse(&text(0)).is_some());
        for at in [i64::MIN, -1, 253_402_300_800_000_000, i64::MAX] {
            assert!(Cursor::<VenuePosition>::parse(&text(at)).is_none(), "{at}");
        }
    }
}
