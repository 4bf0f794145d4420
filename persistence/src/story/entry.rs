//! What a story is made of: seats and sections by index, as rows have them.

use serde_json::Value;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::payment::{AttemptStatus, Failure};
use uuid::Uuid;

use crate::chronicle::RefusalRecord;
use crate::codec::{HoldEnding, OrderState, ReturnCause, Taken};
use crate::tickets::ScanResult;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Where it stands in the story, and when it happened.
    pub position: Position,
    /// Who did it, or whose it is.
    pub who: Who,
    /// What it was.
    pub what: What,
}

/// A place in a story; stories are told in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// When. Decisions are stamped by the owner's clock, attempts and actions by the database's: the two
    /// differ by milliseconds.
    pub at: Moment,
    /// Which rows tell it.
    pub source: u8,
    /// The batch's sequence, the refusals' page; where rows have no number of their own, bits of their id.
    pub major: i64,
    /// The place in there.
    pub minor: u32,
}

/// Who did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// A buyer; of what the house does with a buyer's thing, he.
    Buyer(String),
    /// An operator, or the program where it acts as one.
    Operator(String),
    /// Nobody: its time had come.
    Clock,
}

/// What happened. Amounts are minor units of the event's currency.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "fields are those of the rows")]
pub enum What {
    /// A hold began.
    HoldPlaced { hold: Uuid, taken: Taken, total: i64, expires_at: Moment },
    /// The hold's buyer had asked for this, too, and took fewer.
    SeatsDeclined { hold: Uuid, declined: Taken },
    /// A hold gave a part back.
    HoldReduced { hold: Uuid, given_back: Taken, total: i64 },
    /// A hold lives longer while an attempt of its order is being verified.
    HoldExtended { hold: Uuid, attempt: Uuid, expires_at: Moment },
    /// A hold ended.
    HoldEnded { hold: Uuid, ending: HoldEnding },
    /// An order was made; with nothing to pay it is confirmed at once.
    OrderPlaced { order: Uuid, hold: Uuid, total: i64, status: OrderState },
    /// An open order came to its end.
    OrderEnded { order: Uuid, status: OrderState },
    /// A ticket was issued.
    TicketIssued { ticket: Uuid, order: Uuid, section: u16, seat: Option<u32> },
    /// Tickets came back, and so much is owed for them.
    TicketsReturned {
        refund: Uuid,
        order: Uuid,
        tickets: Vec<Uuid>,
        given_back: Taken,
        cause: ReturnCause,
        amount: i64,
    },
    /// A payment attempt was opened; how far it is by now. When it was authorised no row says.
    AttemptOpened {
        attempt: Uuid,
        order: Uuid,
        provider: String,
        money: Money,
        status: AttemptStatus,
    },
    /// The event's word on an authorised attempt: its seats are sold, or its money goes back.
    AttemptDecided { attempt: Uuid, order: Uuid, confirmed: bool },
    /// An attempt came to its end.
    AttemptResolved {
        attempt: Uuid,
        order: Uuid,
        status: AttemptStatus,
        reference: Option<String>,
        failure: Option<Failure>,
    },
    /// A refund is with its buyer.
    RefundSettled { refund: Uuid, attempt: Uuid, order: Uuid, money: Money },
    /// A refund came back, as the provider's record says: it is due again.
    RefundFailed { refund: Uuid, attempt: Uuid, order: Uuid, money: Money },
    /// A bank took money back, as the provider's notice says.
    ChargedBack { notice: String, attempt: Uuid, order: Uuid, money: Money },
    /// A bank returned what it had taken back, as the provider's notice says.
    ChargebackReturned { notice: String, attempt: Uuid, order: Uuid, money: Money },
    /// A buyer joined the waiting room.
    QueueJoined { ticket: Uuid, number: u32 },
    /// It was his turn.
    QueueCalled { ticket: Uuid, position: u32 },
    /// He came, and was let in; until when, if that was renewed, and whether he has bought since.
    QueueAdmitted { ticket: Uuid, until: Option<Moment>, has_bought: bool },
    /// He gave his place up.
    QueueLeft { ticket: Uuid },
    /// A gate read a ticket's code.
    TicketScanned { ticket: Uuid, order: Uuid, scan: String, result: ScanResult },
    /// An operator took the story's seat off sale.
    SeatBlocked { seat: u32, action: Option<Uuid> },
    /// An operator put it back on sale.
    SeatUnblocked { seat: u32, action: Option<Uuid> },
    /// A general section, of which a hold of the story has places, has room for another number of people.
    CapacitySet { section: u16, was: u32, becomes: u32, action: Option<Uuid> },
    /// A buyer was refused.
    Refused(Box<RefusalRecord>),
    /// An operator did something: its name and what was asked.
    Operated { action: Uuid, deed: String, why: String, detail: Value },
}

/// Which rows tell of it, in the order of telling what happened at one instant.
pub(super) mod source {
    pub(crate) const ACTIONS: u8 = 0;
    pub(crate) const HISTORY: u8 = 1;
    pub(crate) const DECLINED: u8 = 2;
    pub(crate) const ATTEMPTS: u8 = 3;
    pub(crate) const REFUSALS: u8 = 4;
    pub(crate) const MOVEMENTS: u8 = 5;
    pub(crate) const SCANS: u8 = 6;
    pub(crate) const QUEUE: u8 = 7;
}

impl Position {
    /// Of rows that only their id tells apart.
    pub(super) fn of_id(at: Moment, source: u8, id: Uuid, minor: u32) -> Self {
        let (_, low) = id.as_u64_pair();
        Self { at, source, major: low.cast_signed(), minor }
    }
}
