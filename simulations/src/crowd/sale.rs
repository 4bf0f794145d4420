//! One sale: the product's door, sections and journal, every message between them delayed as chance
//! wants it, and the oracle beside it.
//!
//! **The order of decisions.** Answers leave the product's lane in the order in which its door decided
//! them, and each says the instant at which it was true. No two calls of the door share an instant
//! here, so order and instants together say exactly what was decided before what. The oracle hears
//! answers in that order; the batch that they rode on it learns behind them. Neither is taken on trust:
//! an order in which the answers contradict each other, or the rows, is a difference.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use taquilla_auditor::oracle::{Difference, Oracle, Question, Told};
use taquilla_engine::answer::{Answer, Unanswered};
use taquilla_engine::command::Request;
use taquilla_engine::event::{Batch, Door, Effect, Limits};
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::journal::{AppendError, TakeFrom};
use taquilla_engine::moment::Moment;
use taquilla_engine::section::{Decided, SectionMessage, Window};

use super::counts::Counts;
use super::dice::Dice;
use super::unheard::Unheard;
use super::venue::{EVENT, Venue};
use super::wants::{self, Memory};
use super::words::Names;
use super::written;

/// A caller's patience.
const DEADLINE: Duration = Duration::from_secs(3);
/// How far ahead time jumps to the end of something.
const SOON: Duration = Duration::from_secs(2);
/// Undecided commands of one buyer beyond which one may be turned away.
const LINE_MAX: usize = 5;

/// A sale under way.
pub(super) struct Sale {
    dice: Dice,
    venue: Venue,
    now: Moment,
    journal: MemoryJournal,
    door: Door<usize>,
    sections: Vec<Window>,
    to_sections: Vec<VecDeque<SectionMessage>>,
    to_door: Vec<VecDeque<Decided>>,
    batch: Option<Batch>,
    asked: usize,
    open: BTreeMap<usize, Question>,
    memory: Memory,
    names: Names,
    oracle: Oracle,
    /// When holds end that buyers know of, and when the sale opens and closes: off by one instant is
    /// easily missed.
    ends: BTreeSet<Moment>,
    pub(super) counts: Counts,
    /// What happened last, for whoever looks into a difference.
    pub(super) doing: String,
}

impl Sale {
    pub(super) fn open(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let venue = Venue::draw(&mut dice);
        let journal = MemoryJournal::default();
        let snapshot = journal.claim(EVENT, TakeFrom::Anyone).expect("nobody else has it");
        let terms = venue.terms.clone();
        let (door, sections) =
            Door::rebuild(terms, Limits::default(), snapshot).expect("no rows, no contradiction");
        let lanes = sections.len();
        let ends = [venue.hall.opens_at, venue.hall.closes_at].map(Moment).into();
        Self {
            dice,
            oracle: Oracle::new(venue.hall.clone()),
            venue,
            now: Moment(0),
            journal,
            door,
            sections,
            to_sections: (0..lanes).map(|_| VecDeque::new()).collect(),
            to_door: (0..lanes).map(|_| VecDeque::new()).collect(),
            batch: None,
            asked: 0,
            open: BTreeMap::new(),
            memory: Memory::default(),
            names: Names::default(),
            ends,
            counts: Counts::default(),
            doing: String::new(),
        }
    }

    /// One thing happens.
    pub(super) fn step(&mut self) -> Result<(), Difference> {
        match self.dice.roll(40) {
            0..11 => self.ask(),
            11..21 => self.section_decides(),
            21..31 => self.decision_arrives(),
            31..36 => self.commit()?,
            36 => self.time_passes(),
            37 => self.come_back_in_time(),
            38 => {
                let now = self.next_instant();
                self.door.tick(now);
            }
            _ if self.dice.one_in(12) => self.die()?,
            _ => {}
        }
        self.carry_out()
    }

    /// No two calls of the door share an instant.
    fn next_instant(&mut self) -> Moment {
        self.now = self.now + Duration::from_micros(1);
        self.now
    }

    fn ask(&mut self) {
        let (buyer, asked) = wants::draw(&self.venue.hall, &self.memory, &mut self.dice);
        let at = self.next_instant();
        let question = Question { buyer, at: at.0, asked };
        let command = self.names.command(&question);
        let deadline = at + DEADLINE;
        self.doing = format!("at {}: buyer {buyer} asks {:?}", at.0, question.asked);
        self.memory.sent.push((buyer, question.asked.clone()));
        self.open.insert(self.asked, question);
        self.door.submit(at, Request { command, deadline }, self.asked);
        self.asked += 1;
    }

    fn section_decides(&mut self) {
        let at = self.dice.roll(self.sections.len() as u32) as usize;
        if let Some(message) = self.to_sections[at].pop_front() {
            let to_door = &mut self.to_door[at];
            self.sections[at].handle(message, self.now, |decided| to_door.push_back(decided));
        }
    }

    fn decision_arrives(&mut self) {
        let at = self.dice.roll(self.sections.len() as u32) as usize;
        if let Some(decided) = self.to_door[at].pop_front() {
            let now = self.next_instant();
            self.door.decided(now, decided);
        }
    }

    fn time_passes(&mut self) {
        let by = match self.dice.roll(120) {
            // A refused hold's key may be decided anew.
            0 => 61_000_000,
            1..40 => self.dice.roll(600_000),
            _ => self.dice.roll(60_000),
        };
        self.now = self.now + Duration::from_micros(u64::from(by));
    }

    /// Somebody asks at just the instant at which something ends.
    fn come_back_in_time(&mut self) {
        self.ends.retain(|end| *end > self.now);
        let soon = self.now + SOON;
        if self.dice.one_in(3)
            && let Some(end) = self.ends.first().copied().filter(|end| *end < soon)
        {
            self.ends.remove(&end);
            self.now = Moment(end.0 - 1);
            self.ask();
        }
    }

    fn commit(&mut self) -> Result<(), Difference> {
        let Some(batch) = self.batch.take() else { return Ok(()) };
        self.write(&batch)?;
        let now = self.next_instant();
        assert!(self.door.committed(now, batch.epoch, batch.sequence), "its own batch");
        self.carry_out()?;
        self.learn(&batch)
    }

    fn write(&mut self, batch: &Batch) -> Result<(), Difference> {
        let refused = |error: AppendError| Difference {
            expected: "a batch that follows from the rows".into(),
            got: error.to_string(),
        };
        self.journal.write(batch).map_err(refused)
    }

    fn learn(&mut self, batch: &Batch) -> Result<(), Difference> {
        self.doing = format!("the batch of {} was written", batch.now.0);
        self.oracle.learn(&written::rows(batch, &self.names))
    }

    /// The owner dies. What it had sent may still be written, or comes too late; nobody hears of it.
    fn die(&mut self) -> Result<(), Difference> {
        self.counts.count("owners that died");
        let mut batch = self.batch.take();
        if let Some(batch) = batch.take_if(|_| self.dice.one_in(2)) {
            self.write(&batch)?;
            let rows = self.journal.peek(EVENT);
            let unheard =
                Unheard { batch: &batch, open: &mut self.open, names: &self.names, rows: &rows };
            for (question, reply) in unheard.answers() {
                self.doing = format!("unheard: {question:?}");
                self.counts.count("answers that nobody heard");
                self.oracle.hear(&question, &reply)?;
            }
            self.learn(&batch)?;
        }
        self.counts.add_times("outcome-unknown", self.open.len());
        self.open.clear();
        self.oracle.fail_over();
        self.to_sections.iter_mut().for_each(VecDeque::clear);
        self.to_door.iter_mut().for_each(VecDeque::clear);
        let snapshot = self.journal.claim(EVENT, TakeFrom::OnlySelf).expect("its own event");
        if let Some(late) = batch {
            let fenced = self.journal.write(&late);
            assert!(matches!(fenced, Err(AppendError::Fenced)), "a dead owner writes nothing");
        }
        let terms = self.venue.terms.clone();
        let rebuilt = Door::rebuild(terms, Limits::default(), snapshot);
        (self.door, self.sections) = rebuilt.map_err(|breach| Difference {
            expected: "rows that agree with each other".into(),
            got: breach.to_string(),
        })?;
        Ok(())
    }

    fn carry_out(&mut self) -> Result<(), Difference> {
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => {
                    self.to_sections[usize::from(section.0)].push_back(message);
                }
                Effect::Append(batch) => {
                    assert!(self.batch.replace(batch).is_none(), "one at a time");
                }
                Effect::Reply(asked, answer) => self.answered(asked, answer)?,
                Effect::Publish(_) | Effect::OrdersChanged(_) => {}
            }
        }
        Ok(())
    }

    fn answered(
        &mut self,
        asked: usize,
        answer: Result<Answer, Unanswered>,
    ) -> Result<(), Difference> {
        let question = self.open.remove(&asked).expect("each question is answered once");
        match answer {
            Ok(answer) => {
                let reply = self.names.reply(&answer);
                self.doing = format!("buyer {} asked {question:?}", question.buyer);
                self.counts.reply(&question, &reply);
                self.remember(&reply.told);
                self.oracle.hear(&question, &reply)
            }
            Err(why) => {
                self.counts.unanswered(&why);
                let undecided = self.open.values().filter(|it| it.buyer == question.buyer).count();
                let late = self.now > Moment(question.at) + DEADLINE;
                if why == Unanswered::Overloaded && (late || undecided >= LINE_MAX) {
                    return Ok(());
                }
                let expected = format!("an answer to {question:?}");
                Err(Difference { expected, got: format!("{why:?}") })
            }
        }
    }

    fn remember(&mut self, told: &Told) {
        match told {
            Told::Hold(shown) => {
                let known = self.memory.granted.iter_mut().rev().find(|it| it.0 == shown.name);
                match known {
                    Some(known) => known.1 = shown.claim.clone(),
                    None => {
                        self.memory.granted.push((shown.name, shown.claim.clone()));
                        self.ends.insert(Moment(shown.expires_at));
                    }
                }
            }
            Told::Order(shown) if shown.created => self.memory.ordered.push(shown.hold.name),
            Told::Order(_)
            | Told::Holds(_)
            | Told::Released
            | Told::Verdict(_)
            | Told::Refused(_) => {}
        }
    }

    /// All rows against all that was decided and is written.
    pub(super) fn compare(&mut self) -> Result<(), Difference> {
        self.settle()?;
        self.doing = "all rows were compared".into();
        self.oracle.compare(&written::everything(&self.journal.peek(EVENT), &self.names))
    }

    /// Whatever waits is delivered; then everybody has an answer.
    fn settle(&mut self) -> Result<(), Difference> {
        loop {
            for at in 0..self.sections.len() {
                while let Some(message) = self.to_sections[at].pop_front() {
                    let to_door = &mut self.to_door[at];
                    self.sections[at].handle(message, self.now, |it| to_door.push_back(it));
                }
                while let Some(decided) = self.to_door[at].pop_front() {
                    let now = self.next_instant();
                    self.door.decided(now, decided);
                    self.carry_out()?;
                }
            }
            self.commit()?;
            let idle = |queues: usize| queues == 0;
            let messages = self.to_sections.iter().map(VecDeque::len).sum::<usize>();
            let decisions = self.to_door.iter().map(VecDeque::len).sum::<usize>();
            if idle(messages) && idle(decisions) && self.batch.is_none() {
                break;
            }
        }
        let parked = self.sections.iter().map(Window::waiting).sum::<usize>();
        if parked == 0 && self.open.is_empty() {
            return Ok(());
        }
        let got = format!("{parked} messages parked, and open: {:?}", self.open);
        Err(Difference { expected: "an answer to everybody".into(), got })
    }

    /// The end: time runs out for every hold, and the rows say so.
    pub(super) fn close(&mut self) -> Result<(), Difference> {
        self.compare()?;
        self.now = self.now + Duration::from_secs(3_600);
        let now = self.next_instant();
        self.door.tick(now);
        self.carry_out()?;
        self.compare()?;
        if self.oracle.is_over() {
            return Ok(());
        }
        let expected = "every hold released, expired or sold".into();
        Err(Difference { expected, got: "one that is active an hour later".into() })
    }
}
