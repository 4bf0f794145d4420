//! A room's lane: one batch is on its way, the next one gathers, and answers leave once theirs is durable.

use super::{Joined, Room};
use crate::id::{Epoch, EventNumber, Sequence};
use crate::moment::Moment;
use crate::waiting_room::batch::QueueBatch;

/// A batch, with those whose answers ride on it.
#[derive(Debug)]
pub(super) struct Gathered<R> {
    pub(super) batch: QueueBatch,
    pub(super) answers: Vec<(R, Joined)>,
    /// Operators who are told that their word stands.
    pub(super) orders: Vec<R>,
}

impl<R> Gathered<R> {
    pub(super) fn new(event: EventNumber, epoch: Epoch, sequence: Sequence) -> Self {
        let batch = QueueBatch::new(event, epoch, sequence);
        Self { batch, answers: Vec::new(), orders: Vec::new() }
    }

    fn is_idle(&self) -> bool {
        self.batch.is_empty() && self.answers.is_empty()
    }

    /// Everybody who waits for it.
    fn callers(&mut self) -> Vec<R> {
        let answers = std::mem::take(&mut self.answers).into_iter().map(|(caller, _)| caller);
        answers.chain(self.orders.drain(..)).collect()
    }
}

impl<R> Room<R> {
    /// How many wait for the next batch.
    #[must_use]
    pub fn gathered(&self) -> usize {
        self.gathering.answers.len()
    }

    /// The next batch, if there is one and none is on its way.
    pub fn send(&mut self, now: Moment) -> Option<&QueueBatch> {
        if self.executing.is_some() || self.gathering.is_idle() {
            return None;
        }
        let QueueBatch { event, epoch, sequence, .. } = self.gathering.batch;
        let gathered = Gathered::new(event, epoch, sequence.next());
        let mut sent = std::mem::replace(&mut self.gathering, gathered);
        // Where the clock has jumped ahead and come back, the journal refuses it, and the next owner starts anew.
        sent.batch.now = self.now.max(now);
        Some(&self.executing.insert(sent).batch)
    }

    /// The batch on its way is durable: what it says may be read, and these answers leave.
    ///
    /// # Panics
    /// If none is on its way.
    pub fn committed(&mut self) -> Vec<(R, Joined)> {
        let sent = self.executing.take().expect("a batch is on its way");
        let Gathered { batch, answers, orders } = sent;
        self.obeyed.extend(orders);
        for place in batch.places {
            self.line.add(&mut self.writer, place.ticket, place.number);
            if self.coming.get(&place.ticket) == Some(&place.number) {
                self.coming.remove(&place.ticket);
            }
            if let Some(turn) = place.turn {
                self.line.turn(place.number, turn);
            }
        }
        for (number, turn) in batch.turns {
            self.line.turn(number, turn);
        }
        self.turning.retain(|_, (_, sequence)| *sequence > batch.sequence);
        if let Some(opening) = batch.opening {
            self.open(opening);
        }
        if let Some(call) = batch.call {
            self.line.call(call);
        }
        if let Some(round) = batch.round {
            self.line.raise_round(round);
        }
        self.control = batch.control.unwrap_or(self.control);
        answers
    }

    /// All whose answers have not left: their owner dies.
    pub fn give_up(&mut self) -> Vec<R> {
        let executing = self.executing.take().map(|mut sent| sent.callers());
        let gathered = self.gathering.callers();
        executing.unwrap_or_default().into_iter().chain(gathered).collect()
    }

    /// Operators whose word has become durable, each once.
    pub fn obeyed(&mut self) -> Vec<R> {
        std::mem::take(&mut self.obeyed)
    }
}
