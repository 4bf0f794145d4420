//! What an owner reads of its event before it serves.

use super::fact::{Places, Receipt};
use super::terms::Amendment;
use crate::buyer::BuyerId;
use crate::hold::Hold;
use crate::id::{Epoch, PlanId, SeatIndex, SectionIndex, Sequence};
use crate::moment::Moment;
use crate::order::Order;
use crate::section::SeatState;

/// The event's rows, read in one transaction after the epoch was taken.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The epoch in the head: the reader's own.
    pub epoch: Epoch,
    /// Batches committed so far.
    pub sequence: Sequence,
    /// The latest `now` that any batch carried; time starts no earlier.
    pub decided_at: Moment,
    /// The event's plan, where that may be another than it was opened with.
    pub plan: Option<PlanId>,
    /// The event's terms as the rows have them, where they may differ from those that it was opened
    /// with.
    pub amendment: Amendment,
    /// Seats that are not available.
    pub seats: Vec<(SeatIndex, SeatState)>,
    /// General sections' counts.
    pub places: Vec<(SectionIndex, Places)>,
    /// All active holds, and those young enough for their keys to be remembered.
    pub holds: Vec<Hold>,
    /// The orders of these holds, with what was decided about their attempts.
    pub orders: Vec<Order>,
    /// How many seats each buyer holds and owns.
    pub buyers: Vec<(BuyerId, u32)>,
    /// Results of keys that are to be remembered.
    pub receipts: Vec<Receipt>,
}

impl Snapshot {
    /// An event in which nothing has happened, under this epoch.
    #[must_use]
    pub fn empty(epoch: Epoch) -> Self {
        Self {
            epoch,
            sequence: Sequence(0),
            decided_at: Moment(i64::MIN),
            plan: None,
            amendment: Amendment::default(),
            seats: Vec::new(),
            places: Vec::new(),
            holds: Vec::new(),
            orders: Vec::new(),
            buyers: Vec::new(),
            receipts: Vec::new(),
        }
    }
}
