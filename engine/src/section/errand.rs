//! What passes between the event's door and a section.

use super::{Decision, SectionAction};
use crate::id::SectionIndex;
use crate::moment::Moment;

/// Names an errand of the door; one that goes to several sections has the one name in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrandId(pub u64);

/// When what a section decides is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Settlement {
    /// At once: no other section has a say.
    Final,
    /// Once the door has heard all sections and says so.
    Prepared,
}

/// What a section is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionCommand {
    /// Comes back with the decision.
    pub errand: ErrandId,
    /// The instant at which it decides.
    pub now: Moment,
    /// The instant after which its caller no longer waits, if it has one. Not begun by then, nothing is
    /// decided: nobody's seat is held for a caller who has gone.
    pub deadline: Option<Moment>,
    /// What.
    pub action: SectionAction,
    /// When it is so.
    pub settlement: Settlement,
}

/// What a section is sent, in the order in which the door says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionMessage {
    /// Decide this.
    Decide(SectionCommand),
    /// All sections of a prepared errand have answered: it is so, or it is not.
    Settle {
        /// Which.
        errand: ErrandId,
        /// Whether it is so.
        granted: bool,
    },
}

/// What a section sends back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// From the command.
    pub errand: ErrandId,
    /// Who decided.
    pub section: SectionIndex,
    /// What followed.
    pub decision: Decision,
}
