//! What can be asked of an event. Form is checked at the edge; these are well formed.

use crate::buyer::BuyerId;
use crate::hold::{Claim, Fingerprint};
use crate::id::{AttemptId, HoldId, OrderId, SectionIndex};
use crate::moment::Moment;
use crate::operation::Operation;
use crate::plan::Plan;
use crate::refund::TicketReturn;
use crate::waiting_room::admission::Admission;

/// A request's idempotency key with its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// 1 to 255 visible ASCII characters.
    pub key: Box<str>,
    /// Of method, path and parsed body.
    pub fingerprint: Fingerprint,
}

/// Seats that the house is to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestWish {
    /// How many, at least 1.
    pub quantity: u32,
    /// Only in this section.
    pub section: Option<SectionIndex>,
    /// Only of this price class.
    pub tier: Option<u16>,
    /// All next to each other, or none.
    pub adjacent: bool,
    /// Accessible seats, which nobody else is given.
    pub accessible: bool,
}

/// What a hold is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Just this; or, if fewer will do, what can be had of it.
    Claim {
        /// What.
        claim: Claim,
        /// Whether a part of it is better than nothing.
        accept_fewer: bool,
    },
    /// The best there is.
    Best {
        /// Of what.
        wish: BestWish,
        /// Whether fewer will do.
        accept_fewer: bool,
    },
    /// The event has no such seats or sections. Replay by key comes before that is said.
    Unknown(Vec<String>),
}

/// A command, in the imperative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take seats or places, all or nothing.
    PlaceHold {
        /// Who asks.
        buyer: BuyerId,
        /// Names the hold.
        keyed: Keyed,
        /// What is wanted.
        wish: Wish,
        /// The buyer's admission, if he has one; looked at only where the sale has a waiting room.
        admission: Option<Admission>,
    },
    /// Give a hold back; its order, if there is one, is cancelled with it.
    ReleaseHold {
        /// Who asks.
        buyer: BuyerId,
        /// Which.
        hold: HoldId,
    },
    /// Give a part of a hold back that has no order yet.
    GiveBack {
        /// Who asks.
        buyer: BuyerId,
        /// Of which hold.
        hold: HoldId,
        /// Which part; or, as in [`Wish::Unknown`], what the event does not have.
        part: Result<Claim, Vec<String>>,
    },
    /// Make the order of a hold.
    PlaceOrder {
        /// Who asks.
        buyer: BuyerId,
        /// Names the request.
        keyed: Keyed,
        /// Which hold.
        hold: HoldId,
        /// As in [`Command::PlaceHold`]; one that is over since is good for a hold that it opened.
        admission: Option<Admission>,
    },
    /// Give an order up, and its hold with it.
    CancelOrder {
        /// Who asks.
        buyer: BuyerId,
        /// Which.
        order: OrderId,
    },
    /// An attempt of this order is authorised: sell the seats, or say that the money goes back.
    ConfirmOrder {
        /// Which order.
        order: OrderId,
        /// Which attempt; its row is `authorized`, durably, before this is sent.
        attempt: AttemptId,
    },
    /// An attempt of this order is being verified: let its hold live longer, once, if its end is near.
    ExtendHold {
        /// Which order.
        order: OrderId,
        /// Which attempt; for the history.
        attempt: AttemptId,
    },
    /// Read one hold.
    ReadHold {
        /// Who asks.
        buyer: BuyerId,
        /// Which.
        hold: HoldId,
    },
    /// Read the buyer's active holds.
    ReadHolds {
        /// Who asks.
        buyer: BuyerId,
    },
    /// Take sold tickets back.
    ReturnTickets(Box<TicketReturn>),
    /// Change what is for sale, or on what terms.
    Operate(Box<Operation>),
}

impl Command {
    /// The command's name in metrics and logs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::PlaceHold { .. } => "place_hold",
            Self::ReleaseHold { .. } => "release_hold",
            Self::GiveBack { .. } => "give_back",
            Self::PlaceOrder { .. } => "place_order",
            Self::CancelOrder { .. } => "cancel_order",
            Self::ConfirmOrder { .. } => "confirm_order",
            Self::ExtendHold { .. } => "extend_hold",
            Self::ReadHold { .. } => "read_hold",
            Self::ReadHolds { .. } => "read_holds",
            Self::ReturnTickets(_) => "return_tickets",
            Self::Operate(_) => "operate",
        }
    }

    /// The buyer in whose line it waits, if it waits in one.
    #[must_use]
    pub fn line(&self) -> Option<&BuyerId> {
        match self {
            Self::PlaceHold { buyer, .. }
            | Self::ReleaseHold { buyer, .. }
            | Self::GiveBack { buyer, .. }
            | Self::PlaceOrder { buyer, .. }
            | Self::CancelOrder { buyer, .. } => Some(buyer),
            Self::ReturnTickets(asked) => Some(&asked.buyer),
            Self::ConfirmOrder { .. }
            | Self::ExtendHold { .. }
            | Self::ReadHold { .. }
            | Self::ReadHolds { .. }
            | Self::Operate(_) => None,
        }
    }

    /// Whether it is decided even if nobody waits for the answer any more: a paid order's seats are, since
    /// the word stands in the attempt's row for whoever looks there next.
    #[must_use]
    pub fn outlasts_its_caller(&self) -> bool {
        match self {
            Self::ConfirmOrder { .. } => true,
            Self::PlaceHold { .. }
            | Self::ReleaseHold { .. }
            | Self::GiveBack { .. }
            | Self::PlaceOrder { .. }
            | Self::CancelOrder { .. }
            | Self::ExtendHold { .. }
            | Self::ReadHold { .. }
            | Self::ReadHolds { .. }
            | Self::ReturnTickets(_)
            | Self::Operate(_) => false,
        }
    }

    /// The section that will decide, where the command itself says that it is one.
    #[must_use]
    pub fn section(&self, plan: &Plan) -> Option<SectionIndex> {
        match self {
            Self::PlaceHold { wish: Wish::Claim { claim, .. }, .. } => {
                match (claim.seats.as_slice(), claim.places.as_slice()) {
                    ([], [(section, _)]) => Some(*section),
                    ([first, others @ ..], []) => {
                        let section = plan.seat(*first).section;
                        let same = others.iter().all(|seat| plan.seat(*seat).section == section);
                        same.then_some(section)
                    }
                    _ => None,
                }
            }
            Self::PlaceHold { wish: Wish::Best { wish, .. }, .. } => wish.section,
            Self::PlaceHold { wish: Wish::Unknown(_), .. }
            | Self::ReleaseHold { .. }
            | Self::GiveBack { .. }
            | Self::PlaceOrder { .. }
            | Self::CancelOrder { .. }
            | Self::ConfirmOrder { .. }
            | Self::ExtendHold { .. }
            | Self::ReadHold { .. }
            | Self::ReadHolds { .. }
            | Self::ReturnTickets(_)
            | Self::Operate(_) => None,
        }
    }
}

/// A command with the instant after which its caller no longer waits.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is asked.
    pub command: Command,
    /// Not begun by then, it is not decided at all, but for what [`Command::outlasts_its_caller`].
    pub deadline: Moment,
}
