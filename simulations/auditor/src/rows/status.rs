//! The small numbers of the schema, and what they mean.

macro_rules! status {
    ($(#[$doc:meta])* $name:ident { $($(#[$meaning:meta])* $variant:ident = $number:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$meaning])* $variant),+
        }

        impl $name {
            /// What the number in the database means, if anything.
            pub(super) fn of(number: i16) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

status!(
    /// How a seat stands.
    SeatState {
        /// Nobody's.
        Available = 0,
        /// In a living hold.
        Held = 1,
        /// Bought.
        Sold = 2,
        /// Not for sale.
        Blocked = 3,
    }
);
status!(
    /// How a hold stands.
    HoldStatus {
        /// Living, or over and not yet written off.
        Active = 0,
        /// Given back.
        Released = 1,
        /// Over.
        Expired = 2,
        /// Bought.
        Converted = 3,
    }
);
status!(
    /// How an order stands.
    OrderStatus {
        /// Not paid yet.
        Open = 0,
        /// Sold.
        Confirmed = 1,
        /// Given up by its buyer.
        Cancelled = 2,
        /// Its hold was over.
        Expired = 3,
    }
);
status!(
    /// How a ticket stands.
    TicketStatus {
        /// Opens the door.
        Valid = 0,
        /// Does not.
        Void = 1,
        /// Did.
        Used = 2,
    }
);

/// How a payment attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptStatus {
    /// On its way to the provider.
    Pending,
    /// Its answer was lost and is asked for.
    Verifying,
    /// The buyer has to do something first.
    RequiresAction,
    /// The provider has set the money aside.
    Authorized,
    /// Its seats are sold; the money is to be taken.
    Confirmed,
    /// There were no seats; the money is to be let go.
    VoidDue,
    /// There were no seats, and the money was taken: it is to be given back.
    RefundDue,
    /// Its seats are sold, and the provider does not take the money.
    CaptureFailed,
    /// That was not settled: its tickets are to come back.
    ReturnDue,
    /// The money is taken.
    Captured,
    /// The provider said no.
    Declined,
    /// The money was let go.
    Voided,
    /// The money was taken and given back.
    Refunded,
    /// It came to nothing.
    Failed,
}

impl AttemptStatus {
    /// What the database's word means, if anything.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "pending" => Self::Pending,
            "verifying" => Self::Verifying,
            "authorized" => Self::Authorized,
            "confirmed" => Self::Confirmed,
            "void_due" => Self::VoidDue,
            "captured" => Self::Captured,
            "declined" => Self::Declined,
            "requires_action" => Self::RequiresAction,
            "refund_due" => Self::RefundDue,
            "capture_failed" => Self::CaptureFailed,
            "return_due" => Self::ReturnDue,
            "refunded" => Self::Refunded,
            "voided" => Self::Voided,
            "failed" => Self::Failed,
            _ => return None,
        })
    }
}

/// Why tickets came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// An operator said so.
    Refund,
    /// The event does not take place.
    Cancellation,
    /// The provider never took the money.
    CaptureFailed,
    /// The buyer's bank took it back.
    Chargeback,
}

impl Cause {
    /// What the database's word means, if anything.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "refund" => Self::Refund,
            "cancellation" => Self::Cancellation,
            "capture_failed" => Self::CaptureFailed,
            "chargeback" => Self::Chargeback,
            _ => return None,
        })
    }
}

/// How a refund stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundStatus {
    /// The money is to be given back.
    Due,
    /// Nothing is owed.
    Nothing,
    /// It has been given back.
    Settled,
}

impl RefundStatus {
    /// What the database's word means, if anything.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "due" => Self::Due,
            "none" => Self::Nothing,
            "settled" => Self::Settled,
            _ => return None,
        })
    }
}
