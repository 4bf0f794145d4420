//! One section's seats, and the rules about them. Pure: no IO, no clock, no buyers' limits; those
//! belong to the event. [`Section::decide`] says what follows from a command, [`Section::apply`]
//! makes it so, and nothing else changes a section. The [`Window`] is where commands come in: it keeps
//! their order, and what a command over several sections has prepared here apart until that is settled.

mod choose;
mod decide;
mod errand;
mod operate;
mod prepared;
mod returned;
mod room;
mod seats;
mod state;
mod window;

pub use decide::{Decision, Denial, SectionAction, Unsettled};
pub use errand::{Decided, ErrandId, SectionCommand, SectionMessage, Settlement};
pub use state::{Breach, SeatState, Section};
pub use window::Window;

use crate::hold::{Choice, Portion};
use crate::id::{HoldId, SeatIndex};
use crate::moment::Moment;

/// What happened in a section. The event folds these into its books and into rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionEvent {
    /// The portion is the hold's now.
    HoldPlaced {
        /// The hold.
        hold: HoldId,
        /// What it took here.
        portion: Portion,
        /// Why these seats, if the section chose them.
        choice: Option<Box<Choice>>,
        /// From here on it is over.
        expires_at: Moment,
    },
    /// These seats could be had; nothing has changed.
    Offered {
        /// In the order in which people sit.
        seats: Vec<SeatIndex>,
        /// How good they are.
        choice: Box<Choice>,
    },
    /// A part of what the hold has here was given back.
    HoldReduced {
        /// The hold.
        hold: HoldId,
        /// What it has no longer.
        portion: Portion,
    },
    /// The hold was given back.
    HoldReleased(HoldId),
    /// The hold lives until then.
    HoldExtended {
        /// Which.
        hold: HoldId,
        /// From here on it is over.
        expires_at: Moment,
    },
    /// The hold's time had run out.
    HoldExpired(HoldId),
    /// The hold's seats are sold.
    HoldConverted(HoldId),
    /// Sold seats or places came back: for sale again, or, if the house keeps them, blocked.
    TicketsReturned {
        /// The hold that they were bought with.
        hold: HoldId,
        /// What came back.
        portion: Portion,
        /// Whether nobody is to have them again.
        off_sale: bool,
    },
    /// These seats, which were free, are not for sale.
    SeatsBlocked(Vec<SeatIndex>),
    /// These seats, which were blocked, are free.
    SeatsUnblocked(Vec<SeatIndex>),
    /// So many people may be in the section.
    CapacitySet(u32),
}
