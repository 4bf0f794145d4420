//! One event without a runtime: door, sections and journal, driven step by step. Answers arrive in
//! `answers` when they leave.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Unanswered};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::{Command, Keyed, Request, Wish};
use taquilla_engine::event::{Batch, Door, Effect, Limits, Snapshot, Terms};
use taquilla_engine::hold::Claim;
use taquilla_engine::id::{EventNumber, HoldId, PlanId, SeatIndex};
use taquilla_engine::journal::TakeFrom;
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::sale::Sale;
use taquilla_engine::section::Window;
use taquilla_engine::waiting_room::admission::Admission;

pub(crate) const EVENT: EventNumber = EventNumber(7);

/// What callers are called here.
pub(crate) type Caller = u32;

pub(crate) struct Desk {
    pub(crate) door: Door<Caller>,
    sections: Vec<Window>,
    pub(crate) journal: Arc<MemoryJournal>,
    pub(crate) now: Moment,
    /// A batch that the door wants written, and nobody has written yet.
    pub(crate) sent: VecDeque<Batch>,
    pub(crate) answers: Vec<(Caller, Result<Answer, Unanswered>)>,
    callers: Caller,
}

impl Desk {
    pub(crate) fn new(terms: Terms) -> Self {
        let journal = Arc::new(MemoryJournal::default());
        Self::rebuild(terms, journal, Moment(0))
    }

    /// A new owner of the journal's event.
    pub(crate) fn rebuild(terms: Terms, journal: Arc<MemoryJournal>, now: Moment) -> Self {
        Self::rebuild_within(Limits::default(), terms, journal, now)
    }

    /// The same within these limits.
    pub(crate) fn rebuild_within(
        limits: Limits,
        terms: Terms,
        journal: Arc<MemoryJournal>,
        now: Moment,
    ) -> Self {
        let snapshot = journal.claim(EVENT, TakeFrom::Anyone).unwrap();
        Self::within(limits, terms, journal, snapshot, now)
    }

    pub(crate) fn from_snapshot(
        terms: Terms,
        journal: Arc<MemoryJournal>,
        snapshot: Snapshot,
        now: Moment,
    ) -> Self {
        Self::within(Limits::default(), terms, journal, snapshot, now)
    }

    fn within(
        limits: Limits,
        terms: Terms,
        journal: Arc<MemoryJournal>,
        snapshot: Snapshot,
        now: Moment,
    ) -> Self {
        let (door, sections) = Door::rebuild(terms, limits, snapshot).unwrap();
        let (sent, answers) = (VecDeque::new(), Vec::new());
        Self { door, sections, journal, now, sent, answers, callers: 0 }
    }

    /// Sends a command; its answer comes once it is durable.
    pub(crate) fn send(&mut self, command: Command) -> Caller {
        let deadline = self.now + Duration::from_secs(3);
        self.send_with_deadline(command, deadline)
    }

    pub(crate) fn send_with_deadline(&mut self, command: Command, deadline: Moment) -> Caller {
        self.callers += 1;
        self.door.submit(self.now, Request { command, deadline }, self.callers);
        self.carry_out();
        self.callers
    }

    /// Sends a command, and two more before any section has heard of it; the latter's callers.
    pub(crate) fn send_undelivered(
        &mut self,
        first: Command,
        others: [Command; 2],
    ) -> (Caller, Caller) {
        let deadline = self.now + Duration::from_secs(3);
        for command in [first].into_iter().chain(others) {
            self.callers += 1;
            self.door.submit(self.now, Request { command, deadline }, self.callers);
        }
        self.carry_out();
        (self.callers - 1, self.callers)
    }

    /// Does what the door wants, except writing.
    pub(crate) fn carry_out(&mut self) {
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => {
                    let door = &mut self.door;
                    let now = self.now;
                    let window = &mut self.sections[usize::from(section.0)];
                    window.handle(message, now, |decided| door.decided(now, decided));
                }
                Effect::Reply(caller, answer) => self.answers.push((caller, answer)),
                Effect::Append(batch) => self.sent.push_back(batch),
                Effect::Publish(_) | Effect::OrdersChanged(_) => {}
            }
        }
    }

    /// Writes the batch that is on its way, and lets its answers go. Says whether there was one.
    pub(crate) fn commit(&mut self) -> bool {
        let Some(batch) = self.sent.pop_front() else { return false };
        self.journal.write(&batch).unwrap();
        assert!(self.door.committed(self.now, batch.epoch, batch.sequence));
        self.carry_out();
        true
    }

    /// Sends a command and commits until it is answered.
    pub(crate) fn ask(&mut self, command: Command) -> Result<Answer, Unanswered> {
        let caller = self.send(command);
        while self.answer_of(caller).is_none() {
            assert!(self.commit(), "nothing is left to commit, and caller {caller} waits");
        }
        while self.commit() {}
        self.answer_of(caller).unwrap()
    }

    pub(crate) fn answer_of(&self, caller: Caller) -> Option<Result<Answer, Unanswered>> {
        self.answers.iter().find(|(to, _)| *to == caller).map(|(_, answer)| answer.clone())
    }

    /// Time passes, and overdue holds are swept.
    pub(crate) fn tick(&mut self, by: Duration) {
        self.now = self.now + by;
        self.door.tick(self.now);
        self.carry_out();
    }
}

pub(crate) fn buyer(name: &str) -> BuyerId {
    BuyerId::parse(name).unwrap()
}

/// A key with a fingerprint that stands for the request's body.
pub(crate) fn keyed(key: &str, body: &str) -> Keyed {
    let mut fingerprint = [0; 32];
    for (place, byte) in body.bytes().enumerate() {
        fingerprint[place % 32] ^= byte.wrapping_add(place as u8);
    }
    Keyed { key: key.into(), fingerprint }
}

pub(crate) fn place(name: &str, key: &str, seats: &[u32]) -> Command {
    let claim = Claim::of_seats(seats.iter().map(|seat| SeatIndex(*seat)).collect());
    Command::PlaceHold {
        buyer: buyer(name),
        keyed: keyed(key, &format!("{seats:?}")),
        wish: Wish::Claim { claim, accept_fewer: false },
        admission: Some(Admission::ALWAYS),
    }
}

/// By an admission that is always good, as [`place`].
pub(crate) fn place_order(name: &str, hold: HoldId) -> Command {
    let admission = Some(Admission::ALWAYS);
    Command::PlaceOrder { buyer: buyer(name), keyed: keyed("o", ""), hold, admission }
}

/// One section `A` of seats, hold for two minutes, six a buyer, 10.00 each.
pub(crate) fn terms(seats: u32) -> Terms {
    let section = SectionPlan {
        name: "A".into(),
        kind: SectionKind::Seated { first: SeatIndex(0), seats },
        tier: 0,
    };
    let seats = (1..=seats)
        .map(|n| SeatPlan { label: format!("A{n}").into(), ..SeatPlan::default() })
        .collect();
    let tier = Tier { name: "T".into(), price: 1_000 };
    terms_of(Plan::new(vec![tier], vec![section], seats))
}

pub(crate) fn terms_of(plan: Plan) -> Terms {
    Terms {
        event: EVENT,
        plan_id: PlanId::default(),
        plan: Arc::new(plan),
        currency: Currency::parse("EUR").unwrap(),
        fees: Arc::new([]),
        sale: Sale {
            opens_at: Moment(0),
            closes_at: Moment(3_600_000_000),
            hold_ttl: Duration::from_secs(120),
            buyer_seats_max: 6,
            waiting_room: false,
            paused: false,
            verifying_extension: Duration::ZERO,
            cancelled: false,
        },
    }
}
