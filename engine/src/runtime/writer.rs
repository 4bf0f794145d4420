//! The lane's hands: one task an owner that sends its batches, one at a time, and brings back the
//! journal's word. It ends with its owner, after the batch that is on its way.
//!
//! The word comes by a channel of its own, which the owner looks into before each message: behind
//! hundreds of messages in his mailbox, the database would wait for them. The message that follows it
//! only wakes an owner who has nothing else to do.

use std::sync::Arc;
use std::time::Duration;

use ractor::ActorRef;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::died::NotCommitted;
use super::event_actor::EventMessage;
use super::gauge::EventGauge;
use crate::event::Batch;
use crate::id::{Epoch, Sequence};
use crate::journal::{AppendError, Journal};
use crate::telemetry;

/// When the lane gives a batch up. Later than any caller's deadline, so nobody is told "unknown"
/// sooner by the lane than by his own patience.
pub(super) const BATCH_PATIENCE: Duration = Duration::from_secs(5);

/// What the journal said of a batch.
pub(super) struct Word {
    pub(super) epoch: Epoch,
    pub(super) sequence: Sequence,
    pub(super) result: Result<(), NotCommitted>,
}

pub(super) async fn write(
    journal: Arc<dyn Journal>,
    mut batches: mpsc::UnboundedReceiver<Batch>,
    words: mpsc::UnboundedSender<Word>,
    event: ActorRef<EventMessage>,
    gauge: Arc<EventGauge>,
) {
    while let Some(batch) = batches.recv().await {
        telemetry::batch(batch.history.len());
        let started = Instant::now();
        gauge.sending();
        let result = timeout(BATCH_PATIENCE, journal.append(&batch))
            .await
            .unwrap_or_else(|_| Err(AppendError::Unknown("the lane's patience is over".into())));
        let label = if result.is_ok() { "committed" } else { "failed" };
        telemetry::committed(label, started.elapsed());
        gauge.committed(started.elapsed());
        let (epoch, sequence) = (batch.epoch, batch.sequence);
        let result = result.map_err(|error| NotCommitted { error, batch: Box::new(batch) });
        let word = Word { epoch, sequence, result };
        if words.send(word).is_err() || event.cast(EventMessage::Spoken).is_err() {
            return;
        }
    }
}
