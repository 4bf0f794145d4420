//! The product's owner of the event: its door and sections without their actors, and every message
//! between them on its way until it is delivered.

use std::collections::VecDeque;
use std::sync::Arc;

use taquilla_engine::answer::{Answer, Unanswered};
use taquilla_engine::command::Request;
use taquilla_engine::event::{Batch, Door, Effect, Limits, Snapshot, Terms};
use taquilla_engine::moment::Moment;
use taquilla_engine::section::{Decided, SectionMessage, Window};

/// Who is answered, and how.
pub(super) type Reply = (usize, Result<Answer, Unanswered>);

/// An owner under way.
pub(super) struct Owner {
    door: Door<usize>,
    sections: Vec<Window>,
    to_sections: Vec<VecDeque<SectionMessage>>,
    to_door: Vec<VecDeque<Decided>>,
    batch: Option<Batch>,
}

impl Owner {
    /// Starts from rows.
    pub(super) fn start(terms: Terms, rows: Snapshot) -> Result<Self, String> {
        let rebuilt = Door::rebuild(terms, Limits::default(), rows);
        let (door, sections) = rebuilt.map_err(|breach| breach.to_string())?;
        if let Some((section, why)) = door.quarantine().first_key_value() {
            return Err(format!("{section:?} is kept apart: {why}"));
        }
        let lanes = sections.len();
        Ok(Self {
            door,
            sections,
            to_sections: (0..lanes).map(|_| VecDeque::new()).collect(),
            to_door: (0..lanes).map(|_| VecDeque::new()).collect(),
            batch: None,
        })
    }

    pub(super) fn sections(&self) -> usize {
        self.sections.len()
    }

    pub(super) fn submit(&mut self, now: Moment, request: Request, asked: usize) {
        self.door.submit(now, request, asked);
    }

    pub(super) fn tick(&mut self, now: Moment) {
        self.door.tick(now);
    }

    pub(super) fn pause_site(&mut self, paused: bool) {
        self.door.pause_site(paused.then(|| Arc::from("a drill")));
    }

    /// A section takes the next message that is on its way to it, if there is one.
    pub(super) fn section_decides(&mut self, section: usize, now: Moment) -> bool {
        let Some(message) = self.to_sections[section].pop_front() else { return false };
        self.sections[section].handle(message, now, |it| self.to_door[section].push_back(it));
        true
    }

    /// The next decision of a section, which is to be brought to the door.
    pub(super) fn decision(&mut self, section: usize) -> Option<Decided> {
        self.to_door[section].pop_front()
    }

    pub(super) fn decided(&mut self, now: Moment, decided: Decided) {
        self.door.decided(now, decided);
    }

    /// The batch on its way, which is on its way no longer.
    pub(super) fn take_batch(&mut self) -> Option<Batch> {
        self.batch.take()
    }

    pub(super) fn committed(&mut self, now: Moment, batch: &Batch) {
        assert!(self.door.committed(now, batch.epoch, batch.sequence), "its own batch");
    }

    /// Sends on what the door wants to be sent, up to the next answer.
    pub(super) fn poll(&mut self) -> Option<Reply> {
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => {
                    self.to_sections[usize::from(section.0)].push_back(message);
                }
                Effect::Append(batch) => {
                    assert!(self.batch.replace(batch).is_none(), "one at a time");
                }
                Effect::Reply(asked, answer) => return Some((asked, answer)),
                Effect::Publish(_) | Effect::OrdersChanged(_) => {}
            }
        }
        None
    }

    /// Whether nothing is on its way.
    pub(super) fn is_still(&self) -> bool {
        let empty = |queues: usize| queues == 0;
        let messages = self.to_sections.iter().map(VecDeque::len).sum();
        let decisions = self.to_door.iter().map(VecDeque::len).sum();
        empty(messages) && empty(decisions) && self.batch.is_none()
    }

    /// Messages that sections have put aside.
    pub(super) fn parked(&self) -> usize {
        self.sections.iter().map(Window::waiting).sum()
    }
}
