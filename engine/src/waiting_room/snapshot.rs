//! What an owner of a waiting room reads first.

use super::batch::{Opening, QueueBatch, Turn};
use super::calls::Call;
use super::control::Control;
use super::draw::Secret;
use crate::id::{Epoch, QueueTicketId, Sequence};
use crate::moment::Moment;

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
    /// What an operator has set.
    pub control: Control,
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
    /// What became of it.
    pub kept: Kept,
}

/// What rows say of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kept {
    /// It is in the line.
    #[default]
    InLine,
    /// Its buyer was called, and came.
    Came {
        /// When.
        at: Moment,
        /// Until when he may shop, if that was renewed.
        until: Option<Moment>,
        /// Whether he has bought since.
        has_bought: bool,
    },
    /// Its buyer gave it up.
    Left,
}

impl Kept {
    /// What becomes of it; none where that cannot be: nobody comes twice, or comes who has left, and who has not come
    /// has not bought, and is given no more time.
    #[must_use]
    pub fn after(self, turn: Turn) -> Option<Self> {
        match (turn, self) {
            (Turn::Came(at), Self::InLine) => {
                Some(Self::Came { at, until: None, has_bought: false })
            }
            (Turn::Left, _) => Some(Self::Left),
            // Given up and taken up again in one batch, it is in the line as before.
            (Turn::Returned, Self::InLine | Self::Left) => Some(Self::InLine),
            (Turn::Renewed(until), Self::Came { at, has_bought, .. }) => {
                Some(Self::Came { at, until: Some(until), has_bought })
            }
            (Turn::Bought, Self::Came { at, until, .. }) => {
                Some(Self::Came { at, until, has_bought: true })
            }
            (Turn::Came(_) | Turn::Returned, Self::Came { .. })
            | (Turn::Came(_), Self::Left)
            | (Turn::Renewed(_) | Turn::Bought, Self::InLine | Self::Left) => None,
        }
    }
}

impl QueueSnapshot {
    /// A room that nobody has joined, before its first owner.
    #[must_use]
    pub fn empty(salt: [u8; 32], secret: Secret) -> Self {
        Self {
            epoch: Epoch(0),
            sequence: Sequence(0),
            salt,
            secret,
            opening: None,
            round: 1,
            control: Control::default(),
            places: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// The rows after this batch. What contradicts them is not looked at.
    pub fn write(&mut self, batch: &QueueBatch) {
        self.sequence = self.sequence.next();
        for place in &batch.places {
            let kept = place.turn.and_then(|turn| Kept::InLine.after(turn)).unwrap_or_default();
            self.places.push(OldPlace { ticket: place.ticket, kept });
        }
        for (number, turn) in &batch.turns {
            let place = &mut self.places[*number as usize];
            place.kept = place.kept.after(*turn).unwrap_or(place.kept);
        }
        self.opening = self.opening.or(batch.opening);
        self.calls.extend(batch.call);
        self.round = batch.round.unwrap_or(self.round);
        self.control = batch.control.unwrap_or(self.control);
    }
}
