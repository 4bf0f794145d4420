//! A payment attempt: one try to pay an order, and where it stands.

use super::provider::GiveBack;
use crate::buyer::BuyerId;
use crate::hold::Fingerprint;
use crate::id::{AttemptId, OrderId};
use crate::moment::Moment;
use crate::money::Money;

/// Where an attempt stands. `Confirmed` and `VoidDue` are the event's word on an authorised one, which
/// its lane writes; [`super::STEPS`] has every way from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AttemptStatus {
    /// The intent is recorded; the provider is being asked.
    Pending,
    /// The buyer's bank wants something of the buyer first ([`NextAction`]).
    RequiresAction,
    /// The provider's answer did not come: it is asked what became of the attempt.
    Verifying,
    /// The money is reserved; the event is being asked for the seats.
    Authorized,
    /// The seats are sold: capture.
    Confirmed,
    /// The seats are not to be had: void.
    VoidDue,
    /// The money was taken, and the seats are not to be had: give it back.
    RefundDue,
    /// The seats are sold, and the provider will not take the money. Somebody has to look, or the seats
    /// return.
    CaptureFailed,
    /// Nobody settled that in time, or nobody needs the seats any more: the order's tickets are to be taken
    /// back, and what is reserved let go.
    ReturnDue,
    /// The money is taken. Final.
    Captured,
    /// The provider said no. Final, unless the provider says otherwise later.
    Declined,
    /// The reserved money is free again. Final.
    Voided,
    /// The money that was taken has been given back. Final, unless the provider says that it has come back.
    Refunded,
    /// It came to nothing at the provider. Final, unless the provider says otherwise later.
    Failed,
}

impl AttemptStatus {
    /// Every status.
    pub const ALL: [Self; 14] = [
        Self::Pending,
        Self::RequiresAction,
        Self::Verifying,
        Self::Authorized,
        Self::Confirmed,
        Self::VoidDue,
        Self::RefundDue,
        Self::CaptureFailed,
        Self::ReturnDue,
        Self::Captured,
        Self::Declined,
        Self::Voided,
        Self::Refunded,
        Self::Failed,
    ];

    /// The name in the database.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::RequiresAction => "requires_action",
            Self::Verifying => "verifying",
            Self::Authorized => "authorized",
            Self::Confirmed => "confirmed",
            Self::VoidDue => "void_due",
            Self::RefundDue => "refund_due",
            Self::CaptureFailed => "capture_failed",
            Self::ReturnDue => "return_due",
            Self::Captured => "captured",
            Self::Declined => "declined",
            Self::Voided => "voided",
            Self::Refunded => "refunded",
            Self::Failed => "failed",
        }
    }

    /// The name that buyers see: it says what has become of the money, not what is to become of it.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Confirmed | Self::VoidDue | Self::CaptureFailed | Self::ReturnDue => {
                Self::Authorized.code()
            }
            Self::RefundDue => Self::Captured.code(),
            Self::Pending
            | Self::RequiresAction
            | Self::Verifying
            | Self::Authorized
            | Self::Captured
            | Self::Declined
            | Self::Voided
            | Self::Refunded
            | Self::Failed => self.code(),
        }
    }

    /// The status of this name.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.code() == code)
    }

    /// Whether the attempt stands in the way of another one of its order.
    #[must_use]
    pub fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::RequiresAction | Self::Verifying | Self::Authorized => true,
            Self::Confirmed
            | Self::VoidDue
            | Self::RefundDue
            | Self::CaptureFailed
            | Self::ReturnDue
            | Self::Captured
            | Self::Declined
            | Self::Voided
            | Self::Refunded
            | Self::Failed => false,
        }
    }

    /// Whether the workflow has nothing more to ask. Only somebody else's news brings it on from here.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::CaptureFailed
            | Self::Captured
            | Self::Declined
            | Self::Voided
            | Self::Refunded
            | Self::Failed => true,
            Self::Pending
            | Self::RequiresAction
            | Self::Verifying
            | Self::Authorized
            | Self::Confirmed
            | Self::VoidDue
            | Self::RefundDue
            | Self::ReturnDue => false,
        }
    }

    /// Whether it ended without money, so that only the provider could say otherwise.
    #[must_use]
    pub fn has_come_to_nothing(self) -> bool {
        matches!(self, Self::Declined | Self::Failed)
    }

    /// Whether news of the provider's can still move it, although it has come to an end.
    #[must_use]
    pub fn ends_until_news(self) -> bool {
        self.has_come_to_nothing() || self == Self::CaptureFailed
    }

    /// Whether money was taken under it, given back since or not.
    #[must_use]
    pub fn has_taken_money(self) -> bool {
        matches!(self, Self::Captured | Self::RefundDue | Self::Refunded)
    }

    /// Whether the provider has money reserved under it, and lets it go by itself one day.
    #[must_use]
    pub fn has_money_reserved(self) -> bool {
        match self {
            Self::Authorized
            | Self::Confirmed
            | Self::VoidDue
            | Self::CaptureFailed
            | Self::ReturnDue => true,
            Self::Pending
            | Self::RequiresAction
            | Self::Verifying
            | Self::RefundDue
            | Self::Captured
            | Self::Declined
            | Self::Voided
            | Self::Refunded
            | Self::Failed => false,
        }
    }
}

/// Why an attempt brought no money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// For programs: the provider's code, or one of ours.
    pub code: String,
    /// In words.
    pub detail: String,
}

impl Failure {
    /// Of this code, in these words.
    pub fn new(code: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code: code.into(), detail: detail.into() }
    }
}

/// What the buyer's bank wants of the buyer before it lets the money go (3-D Secure).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextAction {
    /// To open this address.
    Redirect(String),
    /// To go through the provider's own steps in the page, by this secret.
    ClientSecret(String),
}

/// One try to pay an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Also its idempotency key at the provider, or the first part of one.
    pub id: AttemptId,
    /// What is paid for.
    pub order: OrderId,
    /// Who pays.
    pub buyer: BuyerId,
    /// Of the request that opened it.
    pub fingerprint: Fingerprint,
    /// The provider's token, as the buyer sent it.
    pub method: String,
    /// The provider's name.
    pub provider: String,
    /// How much: the order's total.
    pub money: Money,
    /// Where it stands.
    pub status: AttemptStatus,
    /// The provider's name for it, once there is one.
    pub reference: Option<String>,
    /// Why it brought no money.
    pub failure: Option<Failure>,
    /// What is wanted of the buyer, while something is.
    pub next_action: Option<NextAction>,
    /// How often the provider has answered with an error of its own, or what it gave back has come back to us. It would repeat it for the same key, so
    /// each try after one has another.
    pub errors: u32,
    /// What the provider has reserved or taken, once it has.
    pub reserved: Option<Money>,
    /// When the provider lets reserved money go by itself.
    pub lapses_at: Option<Moment>,
    /// Until when its order may still be confirmed; none once that has come to its end.
    pub wanted_until: Option<Moment>,
    /// When the intent was recorded.
    pub created_at: Moment,
    /// When it came to its end.
    pub resolved_at: Option<Moment>,
    /// Whether, when it was read, its money was not to be asked to be given back yet: the provider has refused
    /// to, or what it gave back has come back.
    pub is_put_off: bool,
}

impl Attempt {
    /// All that was taken, to be given back under the attempt's own name.
    #[must_use]
    pub fn give_back(&self) -> GiveBack {
        let money = self.reserved.unwrap_or(self.money);
        GiveBack { id: self.id.uuid(), money, errors: self.errors }
    }

    /// Whether money that is reserved now could still become an order.
    #[must_use]
    pub fn is_wanted_at(&self, now: Moment) -> bool {
        self.wanted_until.is_some_and(|until| now < until)
    }
}
