//! What can be answered, in the oracle's words.

use super::{Claim, HoldName, Instant};

/// How a hold stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldState {
    /// Its seats are its own.
    Active,
    /// Given back.
    Released,
    /// Its time ran out.
    Expired,
    /// Its seats are sold.
    Converted,
}

/// How an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderState {
    /// Waits for money.
    Open,
    /// Its seats are sold.
    Confirmed,
    /// Given up.
    Cancelled,
    /// Its hold ended first.
    Expired,
}

/// A hold as an answer shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldShown {
    /// Which.
    pub name: HoldName,
    /// How it stands.
    pub status: HoldState,
    /// What it has.
    pub claim: Claim,
    /// A price for each seat, then for each place.
    pub unit_prices: Vec<i64>,
    /// A sum for each fee.
    pub fees: Vec<i64>,
    /// All of it.
    pub total: i64,
    /// What was asked for and not there.
    pub declined: Claim,
    /// Of seats that the house chose: whether they are not all side by side.
    pub split: Option<bool>,
    /// When it began.
    pub created_at: Instant,
    /// When it is over.
    pub expires_at: Instant,
    /// Whether it has an order.
    pub ordered: bool,
}

/// An order as an answer shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderShown {
    /// What it is for.
    pub hold: HoldShown,
    /// How it stands. One that is still called open though its hold is over counts as expired.
    pub status: OrderState,
    /// What it costs.
    pub total: i64,
    /// When it was made.
    pub created_at: Instant,
    /// Attempts that were decided, in that order, and whether each was confirmed.
    pub verdicts: Vec<(u32, bool)>,
    /// Whether this very request made it.
    pub created: bool,
}

/// Tickets that came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundShown {
    /// By the key of the request.
    pub key: u32,
    /// Whose.
    pub order_of: HoldName,
    /// By their place in the claim, in that order.
    pub tickets: Vec<u32>,
    /// What is owed for them.
    pub amount: i64,
}

/// Where a sale stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaleState {
    /// Not yet.
    Scheduled,
    /// Holds are taken.
    Open,
    /// An operator has stopped it.
    Paused,
    /// No more.
    Closed,
}

/// What is in the way of an operator's change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conflict {
    /// How much of it is sold.
    pub sold: u32,
    /// How much of it living holds have.
    pub held: u32,
    /// What was asked: seats to be blocked, or places that there were to be.
    pub asked: u32,
    /// Seats in the way, in index order.
    pub seats: Vec<u32>,
    /// Sections in the way, in index order, with what of them is sold, held and was asked.
    pub sections: Vec<(u16, u32, u32, u32)>,
}

/// What makes no sense about other terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// It would close before it opens.
    ClosesFirst {
        /// When it would open.
        opens_at: Instant,
        /// When it would close.
        closes_at: Instant,
    },
    /// The section has seats, not a number of places.
    NotGeneral(u16),
    /// What is not paused cannot go on.
    NotPaused(SaleState),
}

/// A no, with its members.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the contract's own problems and members")]
pub enum Refusal {
    NotFound,
    KeyReused,
    UnknownSeats(Vec<String>),
    PartTooLarge { section: u16, has: u32 },
    UnknownTickets(Vec<u32>),
    TermsInvalid(Vec<Defect>),
    PurchasesPaused,
    SaleNotOpen { opens_at: Instant, state: SaleState },
    AdmissionRequired,
    ConflictsWithSales(Conflict),
    HoldNotActive(HoldState),
    OrderNotCancellable,
    RefundNotPossible,
    BuyerLimitExceeded { limit: u32, held: u32 },
    SeatsUnavailable { seats: Vec<u32>, sections: Vec<u16> },
}

/// An answer's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// This hold.
    Hold(Box<HoldShown>),
    /// These, oldest first.
    Holds(Vec<HoldShown>),
    /// It is given back.
    Released,
    /// This order.
    Order(Box<OrderShown>),
    /// Whether the attempt was confirmed.
    Verdict(bool),
    /// These tickets are back.
    Refunded(RefundShown),
    /// It is done, and so many seats are blocked now.
    Operated(u32),
    /// No.
    Refused(Refusal),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What was said.
    pub told: Told,
    /// Whether it was said to repeat an earlier result.
    pub replayed: bool,
    /// When it was true.
    pub as_of: Instant,
}
