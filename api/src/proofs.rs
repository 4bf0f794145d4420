//! Draws as they are published: read from rows once, and kept as they leave.
//!
//! A proof of half a million tickets is eleven megabytes. One that has been made never changes; before the draw it
//! is the commitment alone.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use sha2::{Digest, Sha256};
use taquilla_engine::answer::PauseReason;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::waiting_room::line::Line;
use taquilla_persistence::waiting_room::{Draws, PublishedDraw};

use crate::draw::DrawProof;
use crate::kept::Kept;
use crate::problem::{Problem, paused, store_unavailable};
use crate::turns::{TurnBounds, Turns, apart};

/// Some ten of half a million tickets. One that alone is larger is still kept, alone.
const KEPT_BYTES_MAX: usize = 128 * 1024 * 1024;
/// Half a million tickets are read in a second.
const WAITING: TurnBounds =
    TurnBounds { keys_max: 32, queue_max: 512, patience: Duration::from_secs(5) };

/// A proof as it leaves.
pub struct PublishedProof {
    /// Of the content, in quotes.
    pub etag: String,
    /// As JSON.
    pub body: Bytes,
    /// Whether the draw has been made.
    pub is_final: bool,
}

impl PublishedProof {
    /// Hashes and encodes all of it, which is megabytes: not on a thread that serves requests.
    fn of(event: EventId, draw: PublishedDraw) -> Self {
        let is_final = draw.drawn.is_some();
        let body = serde_json::to_vec(&DrawProof::of(event, draw)).expect("a proof is JSON");
        let etag = format!("\"{}\"", hex::encode(&Sha256::digest(&body)[..16]));
        Self { etag, body: body.into(), is_final }
    }
}

/// The proofs that were asked for last.
pub struct Proofs {
    draws: Draws,
    kept: Kept<EventNumber, PublishedProof>,
    turns: Turns<EventNumber>,
}

impl Proofs {
    /// Of the draws in these rows.
    #[must_use]
    pub fn new(draws: Draws) -> Self {
        let kept = Kept::new(KEPT_BYTES_MAX, |proof: &PublishedProof| proof.body.len());
        Self { draws, kept, turns: Turns::new(WAITING) }
    }

    /// What may be known of this event's draw. `line` says whether it has been made: none, while the room has no
    /// owner here.
    ///
    /// # Errors
    /// `purchases-paused`, if the rows cannot be read or the room has had no owner; `overloaded`, if too many
    /// wait for it, or for too long.
    pub async fn of(
        &self,
        event: EventId,
        line: Option<&Line>,
    ) -> Result<Arc<PublishedProof>, Problem> {
        let is_drawn = line.is_none_or(|line| line.draw().is_some());
        if let Some(proof) = self.kept(event.event(), is_drawn) {
            return Ok(proof);
        }
        let turn = self.turns.take(event.event()).await?;
        if let Some(proof) = self.kept(event.event(), is_drawn) {
            return Ok(proof);
        }
        let draw = self.draws.published(event).await.map_err(|error| store_unavailable(&error))?;
        let draw = draw.ok_or_else(|| paused(PauseReason::Starting))?;
        let proof = apart(turn, move || PublishedProof::of(event, draw)).await;
        let (proof, _turn) = proof.expect("encoding a proof does not panic");
        let proof = Arc::new(proof);
        self.kept.keep(event.event(), Arc::clone(&proof), |of| *of == event.event());
        Ok(proof)
    }

    /// Once the draw has been made, the one from before it is kept no more.
    fn kept(&self, event: EventNumber, is_drawn: bool) -> Option<Arc<PublishedProof>> {
        self.kept.find(&event).filter(|proof| proof.is_final || !is_drawn)
    }
}
