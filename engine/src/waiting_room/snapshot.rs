//! What an owner of a waiting room reads first.

use super::batch::{Opening, Turn};
use super::calls::Call;
use super::draw::Secret;
use crate::id::{Epoch, QueueTicketId, Sequence};

/// A room's rows, under the epoch that was just taken.
#[derive(Clone, Debug)]
pub struct QueueSnapshot {
    /// The head's.
    pub epoch: Epoch,
    /// The head's.
    pub sequence: Sequence,
    /// Tickets' ids are derived with it.
    pub salt: [u8; 32],
    /// What the draw is keyed with.
    pub secret: Secret,
    /// Once the sale is open.
    pub opening: Option<Opening>,
    /// Admissions of earlier ones are worth nothing.
    pub round: i32,
    /// Every place, in the order of the numbers, which have no gap.
    pub places: Vec<OldPlace>,
    /// In order.
    pub calls: Vec<Call>,
}

/// A place in the line.
#[derive(Clone, Copy, Debug)]
pub struct OldPlace {
    /// What it is called in public.
    pub ticket: QueueTicketId,
    /// What became of it, if anything.
    pub turn: Option<Turn>,
}
