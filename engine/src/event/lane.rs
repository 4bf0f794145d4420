//! The journal lane: one batch of an event executes at a time. While it commits, decisions gather;
//! when it returns, what has gathered goes as the next. No timer, no tuning: an idle event answers
//! after one commit, a busy one packs more into each.
//!
//! Answers leave only from here, after the batch that they rode on. An answer rides on a batch that
//! is *sent after* it was decided, so everything it could have seen is in that batch or before it,
//! and the batch's fence proves that its owner still was the owner.

use std::collections::VecDeque;

use super::batch::{Batch, Change};
use super::fact::{Fact, Places};
use crate::answer::Answer;
use crate::id::{Epoch, EventNumber, OrderId, SeatIndex, SectionIndex, Sequence};
use crate::moment::Moment;
use crate::section::SeatState;

/// One decision's facts, with the answer that waits for them. They commit together or not at all.
#[derive(Debug)]
pub struct Part<R> {
    /// In order.
    pub facts: Vec<Fact>,
    /// To whom, and what.
    pub answer: Option<(R, Answer)>,
}

/// A batch that decisions still join, made while another one is on its way: when that has returned
/// there is nothing left to do but to send it.
#[derive(Debug)]
struct Gathering<R> {
    batch: Batch,
    parts: usize,
    /// It takes nothing more.
    closed: bool,
    answers: Vec<(R, Answer)>,
}

/// A batch on its way, with what happens once it has committed.
#[derive(Debug)]
struct Executing<R> {
    sequence: Sequence,
    parts: usize,
    alone: bool,
    done: Executed<R>,
}

/// What a commit sets free.
#[derive(Debug)]
pub struct Executed<R> {
    /// The sequence after it.
    pub sequence: Sequence,
    /// Answers that may leave now, in the order of their decisions.
    pub answers: Vec<(R, Answer)>,
    /// Seats that everybody may see as changed.
    pub seats: Vec<(SeatIndex, Change<SeatState>)>,
    /// Orders that changed, or whose attempts did.
    pub orders: Vec<OrderId>,
    /// Counts of general sections that everybody may see as changed.
    pub places: Vec<(SectionIndex, Change<Places>)>,
    /// Capacities of general sections that changed.
    pub capacities: Vec<(SectionIndex, Change<u32>)>,
}

/// The lane of one event under one epoch.
#[derive(Debug)]
pub struct Lane<R> {
    event: EventNumber,
    epoch: Epoch,
    sequence: Sequence,
    batch_max: usize,
    /// So many parts go one by one: one of them made the database refuse a batch.
    singly: usize,
    gathering: VecDeque<Gathering<R>>,
    executing: Option<Executing<R>>,
}

/// What was not answered when a batch was refused.
#[derive(Debug)]
pub struct Unfinished<R> {
    /// Those whose answers rode on the refused batch.
    pub refused: Vec<R>,
    /// Those that gathered behind it.
    pub behind: Vec<R>,
    /// Parts in all of them, answered or not.
    pub parts: usize,
    /// Whether the refused batch was sent by itself because of an earlier refusal: then there is no
    /// innocent in it.
    pub alone: bool,
    /// So many parts were still to go one by one because of an earlier refusal, the refused one among
    /// them.
    pub singly: usize,
}

impl<R> Lane<R> {
    /// A lane whose head says `epoch` and `sequence`, and which puts at most `batch_max` parts into a
    /// batch.
    #[must_use]
    pub fn new(event: EventNumber, epoch: Epoch, sequence: Sequence, batch_max: usize) -> Self {
        let gathering = VecDeque::new();
        Self { event, epoch, sequence, batch_max, singly: 0, gathering, executing: None }
    }

    /// Sends the next so many parts one by one.
    pub fn go_singly(&mut self, parts: usize) {
        self.singly = parts;
    }

    /// Gives all answers up that have not left: the batch on its way is refused, and with it whatever
    /// was decided on top of it.
    pub fn give_up(&mut self) -> Unfinished<R> {
        let callers = |answers: Vec<(R, Answer)>| answers.into_iter().map(|(caller, _)| caller);
        let parts = self.gathered();
        let gathering = std::mem::take(&mut self.gathering);
        let mut unfinished = Unfinished {
            refused: Vec::new(),
            behind: Vec::new(),
            parts,
            alone: false,
            singly: self.singly,
        };
        unfinished.behind.extend(gathering.into_iter().flat_map(|it| callers(it.answers)));
        if let Some(executing) = self.executing.take() {
            unfinished.alone = executing.alone;
            unfinished.parts += executing.parts;
            unfinished.singly += if executing.alone { executing.parts } else { 0 };
            unfinished.refused = callers(executing.done.answers).collect();
        }
        unfinished
    }

    /// How many parts wait for a batch that is not sent yet.
    #[must_use]
    pub fn gathered(&self) -> usize {
        self.gathering.iter().map(|gathering| gathering.parts).sum()
    }

    /// Whose lane it is.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Adds a decision to what gathers.
    pub fn push(&mut self, part: Part<R>) {
        let parts_max = if self.singly > 0 { 1 } else { self.batch_max };
        let full = |last: &Gathering<R>| last.closed || last.parts >= parts_max;
        if self.gathering.back().is_none_or(full) {
            // Its sequence and time are those at which it is sent.
            let batch = Batch::new(self.event, self.epoch, self.sequence, Moment(0));
            self.gathering.push_back(Gathering {
                batch,
                parts: 0,
                closed: false,
                answers: Vec::new(),
            });
        }
        let last = self.gathering.back_mut().expect("one was just made");
        part.facts.into_iter().for_each(|fact| last.batch.add(fact));
        last.answers.extend(part.answer);
        last.parts += 1;
    }

    /// Adds a decision that shares its batch with no other: of new terms, and what rows may be under the
    /// old ones and under the new, one statement cannot tell.
    pub fn push_alone(&mut self, part: Part<R>) {
        self.close();
        self.push(part);
        self.close();
    }

    /// What has gathered so far takes nothing more.
    fn close(&mut self) {
        if let Some(last) = self.gathering.back_mut() {
            last.closed = true;
        }
    }

    /// The next batch to send, if none is on its way and something has gathered.
    pub fn poll(&mut self, now: Moment) -> Option<Batch> {
        if self.executing.is_some() {
            return None;
        }
        let Gathering { mut batch, parts, answers, closed: _ } = self.gathering.pop_front()?;
        let alone = self.singly > 0 && parts == 1;
        self.singly = self.singly.saturating_sub(parts);
        batch.sequence = self.sequence;
        batch.now = now;
        let done = Executed {
            sequence: batch.sequence_after(),
            answers,
            seats: batch.seats.iter().map(|(seat, change)| (*seat, *change)).collect(),
            orders: batch.history.iter().filter_map(Fact::order).collect(),
            places: batch.places.iter().map(|(section, change)| (*section, *change)).collect(),
            capacities: batch.capacities.iter().map(|(s, change)| (*s, *change)).collect(),
        };
        self.executing = Some(Executing { sequence: batch.sequence, parts, alone, done });
        Some(batch)
    }

    /// The batch of this epoch and sequence has definitely committed. `None` if that is not the one
    /// on its way: then nothing is set free, and the owner must not go on.
    #[must_use]
    pub fn committed(&mut self, epoch: Epoch, sequence: Sequence) -> Option<Executed<R>> {
        let matches = epoch == self.epoch
            && self.executing.as_ref().is_some_and(|executing| executing.sequence == sequence);
        if !matches {
            return None;
        }
        let executing = self.executing.take()?;
        self.sequence = executing.done.sequence;
        Some(executing.done)
    }
}
