//! Names of things. The id of an event, and of everything that is the event's, is a UUIDv8 that carries
//! the event's number, so any process finds the owner from an id without a read. All but an event's own,
//! which is drawn, are derived from what they name, so a command that is sent again names the same rows.

use std::fmt;

use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::buyer::BuyerId;

/// The event's number in the database: positive, never reused. It is the first 32 bits of every id
/// of the event's things and the high part of every seat key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventNumber(pub i32);

impl fmt::Debug for EventNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}", self.0)
    }
}

/// A seat's 0-based place in the event's seat map, stable for the life of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeatIndex(pub u32);

/// A section's 0-based place in the event's plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionIndex(pub u16);

/// A seating plan, which never changes: one version of one hall. An event may move from one to another, in which
/// every seat and section that stays has the same index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlanId(pub Uuid);

/// The owner's number: raised by each takeover, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(pub i64);

/// How many batches of an event have committed. The next batch expects exactly this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequence(pub i64);

impl Sequence {
    /// The sequence after one more batch.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// What an id names; the fifth byte of the UUID, so that a hold's id is never taken for an order's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    Event = 1,
    Hold = 2,
    Order = 3,
    Attempt = 4,
    Ticket = 5,
    Receipt = 6,
    Refund = 7,
    QueueTicket = 8,
}

fn carry(event: EventNumber, kind: Kind, rest: [u8; 11]) -> Uuid {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&event.0.to_be_bytes());
    bytes[4] = kind as u8;
    bytes[5..].copy_from_slice(&rest);
    Builder::from_custom_bytes(bytes).into_uuid()
}

fn derive(event: EventNumber, kind: Kind, parts: &[&[u8]]) -> Uuid {
    let mut hash = Sha256::new();
    hash.update([kind as u8]);
    hash.update(event.0.to_be_bytes());
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut rest = [0; 11];
    rest.copy_from_slice(&hash.finalize()[..11]);
    carry(event, kind, rest)
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// The id in this UUID, if it is one of this kind.
            #[must_use]
            pub fn parse(uuid: Uuid) -> Option<Self> {
                let fits = uuid.get_version_num() == 8
                    && uuid.as_bytes()[4] == $kind as u8
                    && uuid.as_bytes()[0] < 0x80;
                fits.then_some(Self(uuid))
            }

            /// The number of the event that this thing belongs to.
            #[must_use]
            pub fn event(self) -> EventNumber {
                let b = self.0.as_bytes();
                EventNumber(i32::from_be_bytes([b[0], b[1], b[2], b[3]]))
            }

            /// The id as a UUID.
            #[must_use]
            pub fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    };
}

id!(
    /// An event's public id.
    EventId, Kind::Event
);
id!(
    /// A hold's id: derived from event, buyer and idempotency key.
    HoldId, Kind::Hold
);
id!(
    /// An order's id: derived from its hold, so a hold has one order.
    OrderId, Kind::Order
);
id!(
    /// A payment attempt's id, and its idempotency key at the provider: derived from event, buyer
    /// and idempotency key.
    AttemptId, Kind::Attempt
);
id!(
    /// A ticket's id: derived from its order and its place in it.
    TicketId, Kind::Ticket
);
id!(
    /// Names the remembered result of a keyed request that made no row of its own:
    /// (buyer, event, operation, key), hashed.
    ReceiptId, Kind::Receipt
);

id!(
    /// Names tickets that came back together.
    RefundId, Kind::Refund
);
id!(
    /// A buyer's place in an event's waiting room: derived from the room's salt and the buyer, so it can be
    /// published without naming him.
    QueueTicketId, Kind::QueueTicket
);

impl EventId {
    /// The id of a new event, from its number and 11 random bytes drawn at the edge.
    #[must_use]
    pub fn new(event: EventNumber, random: [u8; 11]) -> Self {
        Self(carry(event, Kind::Event, random))
    }
}

impl HoldId {
    /// The hold that this buyer's key names in this event.
    #[must_use]
    pub fn derive(event: EventNumber, buyer: &BuyerId, key: &str) -> Self {
        Self(derive(event, Kind::Hold, &[buyer.as_str().as_bytes(), key.as_bytes()]))
    }
}

impl OrderId {
    /// The one order of a hold.
    #[must_use]
    pub fn of(hold: HoldId) -> Self {
        Self(derive(hold.event(), Kind::Order, &[hold.0.as_bytes()]))
    }
}

impl AttemptId {
    /// The payment attempt that this buyer's key names in this event.
    #[must_use]
    pub fn derive(event: EventNumber, buyer: &BuyerId, key: &str) -> Self {
        Self(derive(event, Kind::Attempt, &[buyer.as_str().as_bytes(), key.as_bytes()]))
    }
}

impl TicketId {
    /// The ticket at this 0-based place of the order.
    #[must_use]
    pub fn of(order: OrderId, place: u32) -> Self {
        Self(derive(order.event(), Kind::Ticket, &[order.0.as_bytes(), &place.to_be_bytes()]))
    }
}

impl ReceiptId {
    /// The receipt of this buyer's key for one operation, such as `"orders"`.
    #[must_use]
    pub fn derive(event: EventNumber, operation: &str, buyer: &BuyerId, key: &str) -> Self {
        let parts = [operation.as_bytes(), buyer.as_str().as_bytes(), key.as_bytes()];
        Self(derive(event, Kind::Receipt, &parts))
    }
}

impl RefundId {
    /// The refund that this operator's key names in this event.
    #[must_use]
    pub fn derive(event: EventNumber, operator: &str, key: &str) -> Self {
        Self(derive(event, Kind::Refund, &[b"key", operator.as_bytes(), key.as_bytes()]))
    }

    /// The one refund of this order that the program itself asks for by this word.
    #[must_use]
    pub fn of(order: OrderId, word: &str) -> Self {
        let parts = [b"order".as_slice(), order.0.as_bytes(), word.as_bytes()];
        Self(derive(order.event(), Kind::Refund, &parts))
    }
}

impl QueueTicketId {
    /// This buyer's in the event whose waiting room has this salt.
    #[must_use]
    pub fn derive(event: EventNumber, salt: &[u8; 32], buyer: &BuyerId) -> Self {
        Self(derive(event, Kind::QueueTicket, &[salt, buyer.as_str().as_bytes()]))
    }
}
