//! The way to a waiting room for everybody outside: ask its owner, or read its line.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use super::regulator::Regulated;
use crate::buyer::BuyerId;
use crate::moment::Moment;
use crate::operation::Deed;
use crate::waiting_room::control::ControlPatch;
use crate::waiting_room::line::Line;
use crate::waiting_room::room::{Joined, QueueRefusal};

/// One room. Cheap to clone; stays good while owners come and go.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    pub(super) mailbox: mpsc::Sender<Asked>,
    pub(super) line: Arc<ArcSwapOption<Line>>,
    pub(super) admission: Arc<ArcSwapOption<Regulated>>,
    /// When that was decided, for whoever waits for a later one.
    pub(super) decided_at: watch::Receiver<Option<Moment>>,
    pub(super) is_served: watch::Receiver<bool>,
}

/// What a room's owner is asked.
#[derive(Debug)]
pub(super) enum Asked {
    Buyer { buyer: BuyerId, what: What, answer: ToBuyer },
    Operator { patch: ControlPatch, deed: Deed, answer: ToOperator },
}

/// What a buyer wants.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Join,
    Leave,
    Come,
    Renew,
}

type ToBuyer = oneshot::Sender<Result<Joined, QueueRefusal>>;
type ToOperator = oneshot::Sender<()>;

/// Who waits for a batch. Dropped, he learns that nobody knows.
#[derive(Debug)]
pub(super) enum Caller {
    Buyer(ToBuyer),
    Operator(ToOperator),
}

impl Caller {
    pub(super) fn answer(self, decided: Result<Joined, QueueRefusal>) {
        if let Self::Buyer(answer) = self {
            let _ = answer.send(decided);
        }
    }

    pub(super) fn obey(self) {
        if let Self::Operator(answer) = self {
            let _ = answer.send(());
        }
    }
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
        self.ask(buyer, What::Join, patience).await
    }

    /// The buyer gives his place up. Durable.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn leave(&self, buyer: &BuyerId, patience: Duration) -> Result<Joined, QueueError> {
        self.ask(buyer, What::Leave, patience).await
    }

    /// The buyer is here: if he was called, he may shop from now on. Durable.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn come(&self, buyer: &BuyerId, patience: Duration) -> Result<Joined, QueueError> {
        self.ask(buyer, What::Come, patience).await
    }

    /// The buyer, who is inside, may stay for another whole admission from now on. Durable.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn renew(&self, buyer: &BuyerId, patience: Duration) -> Result<Joined, QueueError> {
        self.ask(buyer, What::Renew, patience).await
    }

    /// An operator sets something, with its row of the trail. Durable.
    ///
    /// # Errors
    /// [`QueueError`]; never a refusal.
    pub async fn control(
        &self,
        patch: ControlPatch,
        deed: Deed,
        patience: Duration,
    ) -> Result<(), QueueError> {
        let (answer, answered) = oneshot::channel();
        self.hand_over(Asked::Operator { patch, deed, answer })?;
        match timeout(patience, answered).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(QueueError::OutcomeUnknown),
        }
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

    /// What was decided last about how many are let in; nothing before the first owner's first second.
    #[must_use]
    pub fn admission(&self) -> Option<Regulated> {
        self.admission.load().as_deref().copied()
    }

    /// Waits, so long at the most, for what is decided later than then: at most a second, while there is an owner.
    pub async fn admission_after(&self, then: Moment, at_most: Duration) -> Option<Regulated> {
        let mut decided_at = self.decided_at.clone();
        let is_later = |at: &Option<Moment>| at.is_some_and(|at| at > then);
        // Whoever asks looks himself at what has become of it.
        let _ = timeout(at_most, decided_at.wait_for(is_later)).await;
        self.admission()
    }

    fn hand_over(&self, asked: Asked) -> Result<(), QueueError> {
        self.mailbox.try_send(asked).map_err(|_| QueueError::Overloaded)
    }

    async fn ask(
        &self,
        buyer: &BuyerId,
        what: What,
        patience: Duration,
    ) -> Result<Joined, QueueError> {
        let (answer, answered) = oneshot::channel();
        self.hand_over(Asked::Buyer { buyer: buyer.clone(), what, answer })?;
        match timeout(patience, answered).await {
            Ok(Ok(answer)) => answer.map_err(QueueError::Refused),
            Ok(Err(_)) | Err(_) => Err(QueueError::OutcomeUnknown),
        }
    }
}
