//! Of what owners die, and what one leaves to the next: commands of a batch of which nothing was written
//! are decided again, so their callers need not be told that they do not know.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use super::reply::Reply;
use crate::event::{Batch, Door, Unfinished};
use crate::id::SectionIndex;
use crate::journal::AppendError;

/// What the journal did not say yes to.
pub(super) struct NotCommitted {
    pub(super) error: AppendError,
    pub(super) batch: Box<Batch>,
}

/// Of what an owner died, with those of its callers whose commands the next one decides again.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub(super) struct Died {
    pub(super) error: AppendError,
    pub(super) remains: Mutex<Option<Remains>>,
}

/// What is left of an owner whose batch the database refused.
#[derive(Debug)]
pub(super) struct Remains {
    pub(super) unfinished: Unfinished<Reply>,
    /// The sections whose stock the refused batch moves.
    pub(super) sections: BTreeSet<SectionIndex>,
}

impl Died {
    /// The owner of this door has died of what the journal said of a batch.
    pub(super) fn of(error: AppendError, batch: &Batch, door: &mut Door<Reply>) -> Self {
        let remains = match &error {
            AppendError::Refused(_) | AppendError::KnownHolds(_) => {
                let unfinished = door.give_up();
                Some(Remains { unfinished, sections: batch.sections(door.plan()) })
            }
            AppendError::Fenced | AppendError::ClockUncertain | AppendError::Unknown(_) => None,
        };
        Self { error, remains: Mutex::new(remains) }
    }
}
