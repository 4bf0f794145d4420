//! Decisions without a journal: the door and its sections on one thread, and every batch a yes.

use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::command::Request;
use taquilla_engine::event::{Door, Effect, Limits, Snapshot, Terms};
use taquilla_engine::id::{Epoch, Sequence};
use taquilla_engine::moment::Moment;
use taquilla_engine::section::Window;

/// What passes between two lots, as if the lane granted some 20,000 holds a second.
const LOT_TIME: Duration = Duration::from_millis(25);

/// One owner's pure parts.
#[derive(Debug)]
pub struct Desk {
    door: Door<()>,
    sections: Vec<Window>,
    now: Moment,
}

impl Desk {
    /// An event in which nothing has happened.
    #[must_use]
    pub fn open(terms: Terms) -> Self {
        let now = terms.sale.opens_at;
        let limits = Limits { keys_max: usize::MAX, ..Limits::default() };
        let snapshot = Snapshot { decided_at: now, ..Snapshot::empty(Epoch(1)) };
        let (door, sections) = Door::rebuild(terms, limits, snapshot).expect("nothing contradicts");
        Self { door, sections, now }
    }

    /// The instant at which the next lot is decided, for its deadlines.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.now
    }

    /// Decides a lot that comes while one batch is on its way, and all that follows; how many holds
    /// were granted.
    pub fn decide(&mut self, lot: Vec<Request>) -> u64 {
        let mut granted = 0;
        let mut on_its_way = None;
        for request in lot {
            self.door.submit(self.now, request, ());
            granted += self.drain(&mut on_its_way);
        }
        while let Some((epoch, sequence)) = on_its_way.take() {
            let own = self.door.committed(self.now, epoch, sequence);
            assert!(own, "the batch on its way is this one");
            granted += self.drain(&mut on_its_way);
        }
        self.now = self.now + LOT_TIME;
        granted
    }

    fn drain(&mut self, on_its_way: &mut Option<(Epoch, Sequence)>) -> u64 {
        let mut granted = 0;
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => {
                    let (door, now) = (&mut self.door, self.now);
                    let window = &mut self.sections[usize::from(section.0)];
                    window.handle(message, now, |decided| door.decided(now, decided));
                }
                Effect::Append(batch) => *on_its_way = Some((batch.epoch, batch.sequence)),
                Effect::Reply((), answer) => {
                    let outcome = answer.expect("nothing is turned away").outcome;
                    granted += u64::from(matches!(outcome, Outcome::Hold(_)));
                }
                Effect::Publish(_) | Effect::OrdersChanged(_) => {}
            }
        }
        granted
    }
}
