//! What admissions are read with while a room has no owner here: its head, which is read once. Only an owner raises
//! the round, and then there is a line to ask.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use taquilla_engine::id::EventNumber;
use taquilla_persistence::waiting_room::{AdmissionHead, QueueHeads};

use crate::admission::AdmissionTokens;
use crate::problem::{Problem, store_unavailable};
use crate::turns::{TurnBounds, Turns};

/// All who are inside may come at once after a start; the database takes five seconds at its worst.
const WAITING: TurnBounds =
    TurnBounds { keys_max: 32, queue_max: 4_096, patience: Duration::from_secs(5) };

/// Of rooms that had no owner here when an admission to them was shown.
pub(super) struct UnownedTokens {
    heads: QueueHeads,
    known: Mutex<HashMap<EventNumber, AdmissionTokens>>,
    turns: Turns<EventNumber>,
}

impl UnownedTokens {
    pub(super) fn new(heads: QueueHeads) -> Self {
        Self { heads, known: Mutex::default(), turns: Turns::new(WAITING) }
    }

    /// None where nobody has been let in.
    ///
    /// # Errors
    /// `purchases-paused` if the head cannot be read; `overloaded`, if too many wait for it, or for too long.
    pub(super) async fn of(&self, room: EventNumber) -> Result<Option<AdmissionTokens>, Problem> {
        if let Some(tokens) = self.known(room) {
            return Ok(Some(tokens));
        }
        let _turn = self.turns.take(room).await?;
        if let Some(tokens) = self.known(room) {
            return Ok(Some(tokens));
        }
        let head = self.heads.admission(room).await.map_err(|error| store_unavailable(&error))?;
        let Some(AdmissionHead { key, round }) = head else { return Ok(None) };
        let tokens = AdmissionTokens::new(key, round);
        self.known.lock().insert(room, tokens.clone());
        Ok(Some(tokens))
    }

    fn known(&self, room: EventNumber) -> Option<AdmissionTokens> {
        self.known.lock().get(&room).cloned()
    }
}
