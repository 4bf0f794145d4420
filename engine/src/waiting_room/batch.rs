//! What a room's owner has decided and not yet written: one statement, all or nothing.

use std::collections::BTreeMap;

use super::calls::Call;
use super::control::Control;
use super::draw::PublicValue;
use crate::buyer::BuyerId;
use crate::id::{Epoch, EventNumber, QueueTicketId, Sequence};
use crate::moment::Moment;
use crate::operation::Deed;

/// A buyer who joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPlace {
    /// Counted from 0 in the order of joining, without a gap.
    pub number: u32,
    /// What it is called in public.
    pub ticket: QueueTicketId,
    /// Whose.
    pub buyer: BuyerId,
    /// When.
    pub at: Moment,
    /// What became of it since, in the same batch.
    pub turn: Option<Turn>,
}

/// What became of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Its buyer was called and came then.
    Came(Moment),
    /// He may shop until then, which is longer than he might.
    Renewed(Moment),
    /// He has bought: from now on somebody else may be inside in his place.
    Bought,
    /// Its buyer gave it up.
    Left,
    /// He gave it up before the draw, and is there again.
    Returned,
}

/// The sale opens: who is present takes part in the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// So many.
    pub present: u32,
    /// What their tickets make.
    pub value: PublicValue,
    /// When: nobody present joined later, and nobody else earlier.
    pub at: Moment,
}

/// What commits together. Each number is in `places` or in `turns` once at most.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueBatch {
    /// Whose room.
    pub event: EventNumber,
    /// The head must have this epoch,
    pub epoch: Epoch,
    /// and this sequence, which becomes the next.
    pub sequence: Sequence,
    /// When it is sent.
    pub now: Moment,
    /// In the order of their numbers.
    pub places: Vec<NewPlace>,
    /// What became of others, each once.
    pub turns: BTreeMap<u32, Turn>,
    /// Before any of `places` of a later number than were present.
    pub opening: Option<Opening>,
    /// Whom the owner lets in next.
    pub call: Option<Call>,
    /// Tokens of earlier rounds are worth nothing any more.
    pub round: Option<i32>,
    /// What an operator has set.
    pub control: Option<Control>,
    /// The trail of what operators did in this batch.
    pub deeds: Vec<Deed>,
}

impl QueueBatch {
    pub(super) fn new(event: EventNumber, epoch: Epoch, sequence: Sequence) -> Self {
        Self {
            event,
            epoch,
            sequence,
            now: Moment(0),
            places: Vec::new(),
            turns: BTreeMap::new(),
            opening: None,
            call: None,
            round: None,
            control: None,
            deeds: Vec::new(),
        }
    }

    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
            && self.turns.is_empty()
            && self.opening.is_none()
            && self.call.is_none()
            && self.round.is_none()
            && self.control.is_none()
            && self.deeds.is_empty()
    }

    /// What becomes of the number, in the place of what was to become of it in this batch.
    pub(super) fn turn(&mut self, number: u32, turn: Turn) {
        if let Ok(at) = self.places.binary_search_by_key(&number, |place| place.number) {
            self.places[at].turn = Some(turn);
            return;
        }
        self.turns.insert(number, turn);
    }
}
