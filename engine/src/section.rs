//! One section's seats, and the rules about them. Pure: no IO, no clock, no buyers' limits; those
//! belong to the event. [`Section::decide`] says what follows from a command, [`Section::apply`]
//! makes it so, and nothing else changes a section.

mod decide;
mod state;

pub use decide::{Decision, SectionAction};
pub use state::{Breach, SeatState, Section};

use crate::buyer::BuyerId;
use crate::hold::Claim;
use crate::id::{HoldId, SectionIndex};
use crate::moment::Moment;

/// What happened in a section. The event folds these into its books and into rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionEvent {
    /// The claim's seats are the hold's now.
    HoldPlaced {
        /// The hold.
        hold: HoldId,
        /// Whose it is.
        buyer: BuyerId,
        /// The section.
        section: SectionIndex,
        /// What it took.
        claim: Claim,
        /// The instant of the decision.
        at: Moment,
        /// From here on it is over.
        expires_at: Moment,
    },
    /// The hold was given back.
    HoldReleased {
        /// The hold.
        hold: HoldId,
        /// The instant of the decision.
        at: Moment,
    },
    /// The hold's time had run out.
    HoldExpired {
        /// The hold.
        hold: HoldId,
        /// The instant of the decision that found it so.
        at: Moment,
    },
    /// The hold's seats are sold.
    HoldConverted {
        /// The hold.
        hold: HoldId,
        /// The instant of the decision.
        at: Moment,
    },
}
