//! The way to a waiting room for everybody outside: ask its owner, or read its line.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use super::regulator::Regulated;
use crate::buyer::BuyerId;
use crate::waiting_room::line::Line;
use crate::waiting_room::room::{Joined, QueueRefusal};

/// One room. Cheap to clone; stays good while owners come and go.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    pub(super) mailbox: mpsc::Sender<Asked>,
    pub(super) line: Arc<ArcSwapOption<Line>>,
    pub(super) admission: watch::Receiver<Option<Regulated>>,
    pub(super) is_served: watch::Receiver<bool>,
}

/// What a room's owner is asked.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) what: What,
    pub(super) answer: oneshot::Sender<Result<Joined, QueueRefusal>>,
}

#[derive(Debug)]
pub(super) enum What {
    Join(BuyerId),
    Leave(BuyerId),
    Come(BuyerId),
}

/// Why a buyer was not answered, or not as he wished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueError {
    /// Decided, and durable.
    Refused(QueueRefusal),
    /// Too many ask at once. Nothing was decided.
    Overloaded,
    /// What was decided could not be learnt in time: asked again, it brings the truth.
    OutcomeUnknown,
}

impl RoomHandle {
    /// A place for this buyer: the one that he has, or the next. Durable.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn join(&self, buyer: &BuyerId, patience: Duration) -> Result<Joined, QueueError> {
        self.ask(What::Join(buyer.clone()), patience).await
    }

    /// The buyer gives his place up. Durable.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn leave(&self, buyer: &BuyerId, patience: Duration) -> Result<Joined, QueueError> {
        self.ask(What::Leave(buyer.clone()), patience).await
    }

    /// The buyer is here: if he was called, he may shop from now on. Durable.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn come(&self, buyer: &BuyerId, patience: Duration) -> Result<Joined, QueueError> {
        self.ask(What::Come(buyer.clone()), patience).await
    }

    /// What everybody may read, once the room has had an owner here. It stays readable while the next
    /// one is being made.
    #[must_use]
    pub fn line(&self) -> Option<Arc<Line>> {
        self.line.load_full()
    }

    /// Waits, so long at the most, for the room's first owner here.
    pub async fn started(&self, at_most: Duration) -> Option<Arc<Line>> {
        if let Some(line) = self.line() {
            return Some(line);
        }
        let mut is_served = self.is_served.clone();
        // Whoever asks looks himself at what has become of it.
        let _ = timeout(at_most, is_served.wait_for(|served| *served)).await;
        self.line()
    }

    /// What was decided last about how many are let in.
    #[must_use]
    pub fn admission(&self) -> Option<Regulated> {
        *self.admission.borrow()
    }

    async fn ask(&self, what: What, patience: Duration) -> Result<Joined, QueueError> {
        let (answer, answered) = oneshot::channel();
        self.mailbox.try_send(Asked { what, answer }).map_err(|_| QueueError::Overloaded)?;
        match timeout(patience, answered).await {
            Ok(Ok(answer)) => answer.map_err(QueueError::Refused),
            Ok(Err(_)) | Err(_) => Err(QueueError::OutcomeUnknown),
        }
    }
}
