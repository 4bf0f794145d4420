//! One sale: the product's door, sections and journal, every message between them delayed as chance
//! wants it, and the oracle beside it.
//!
//! **The order of decisions.** Answers leave the product's lane in the order in which its door decided
//! them, and each says the instant at which it was true. No two calls of the door share an instant
//! here, so order and instants together say exactly what was decided before what. The oracle hears
//! answers in that order; the batch that they rode on it learns behind them. Neither is taken on trust:
//! an order in which the answers contradict each other, or the rows, is a difference.

use std::collections::BTreeMap;
use std::time::Duration;

use taquilla_auditor::oracle::{Asked, Difference, Oracle, Question, Told};
use taquilla_engine::answer::{Answer, Unanswered};
use taquilla_engine::command::Request;
use taquilla_engine::event::Batch;
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::journal::{AppendError, TakeFrom};
use taquilla_engine::moment::Moment;

use super::counts::Counts;
use super::dice::Dice;
use super::memory::Memory;
use super::operations::OPERATOR;
use super::owner::Owner;
use super::unheard::Unheard;
use super::venue::{EVENT, Venue};
use super::wants;
use super::words::Names;
use super::written;

/// A caller's patience.
const DEADLINE: Duration = Duration::from_secs(3);
/// How far ahead time jumps to the end of something.
const SOON: Duration = Duration::from_secs(2);
/// Undecided commands of one buyer beyond which one may be turned away.
const LINE_MAX: usize = 5;
/// One time in so many an operator asks.
const OPERATORS: u32 = 25;
/// Sooner, while the sale takes no holds.
const OPERATORS_OF_SHUT: u32 = 6;
/// Deliveries until everybody must have an answer: a few for each of some hundred commands, and no end
/// for what is sent round in circles.
const ROUNDS_MAX: usize = 20_000;

/// A sale under way.
pub(super) struct Sale {
    dice: Dice,
    venue: Venue,
    now: Moment,
    journal: MemoryJournal,
    owner: Owner,
    site_paused: bool,
    asked: usize,
    open: BTreeMap<usize, Question>,
    memory: Memory,
    names: Names,
    oracle: Oracle,
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
        let owner = Owner::start(venue.terms.clone(), snapshot).expect("no rows, no contradiction");
        Self {
            dice,
            oracle: Oracle::new(venue.hall.clone()),
            now: Moment(0),
            journal,
            owner,
            site_paused: false,
            asked: 0,
            open: BTreeMap::new(),
            memory: Memory::new(&venue.hall),
            names: Names::default(),
            venue,
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
                self.owner.tick(now);
            }
            _ if self.dice.one_in(12) => self.die()?,
            _ if self.dice.one_in(if self.site_paused { 3 } else { 30 }) => self.pause_site(),
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
        let (hall, memory, dice) = (&self.venue.hall, &mut self.memory, &mut self.dice);
        let operators = if memory.trail.is_shut() { OPERATORS_OF_SHUT } else { OPERATORS };
        let (buyer, asked) = if dice.one_in(operators) {
            (OPERATOR, memory.trail.draw(hall, self.now.0, dice))
        } else {
            let (buyer, asked) = wants::draw(hall, memory, dice);
            memory.sent.push((buyer, asked.clone()));
            (buyer, asked)
        };
        let at = self.next_instant();
        let question = Question { buyer, at: at.0, asked };
        let command = self.names.command(&question);
        let deadline = at + DEADLINE;
        self.doing = format!("at {}: buyer {buyer} asks {:?}", at.0, question.asked);
        self.open.insert(self.asked, question);
        self.owner.submit(at, Request { command, deadline }, self.asked);
        self.asked += 1;
    }

    fn section_decides(&mut self) {
        let at = self.dice.roll(self.owner.sections() as u32) as usize;
        self.owner.section_decides(at, self.now);
    }

    fn decision_arrives(&mut self) {
        let at = self.dice.roll(self.owner.sections() as u32) as usize;
        if let Some(decided) = self.owner.decision(at) {
            let now = self.next_instant();
            self.owner.decided(now, decided);
        }
    }

    /// An operator stops all purchases of the site, or lets them go on.
    fn pause_site(&mut self) {
        self.site_paused = !self.site_paused;
        let now = self.next_instant();
        self.counts.count("the site paused or not");
        self.doing = format!("at {}: the site is paused: {}", now.0, self.site_paused);
        self.owner.pause_site(self.site_paused);
        self.oracle.pause_site(now.0, self.site_paused);
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
        if self.dice.one_in(3)
            && let Some(end) = self.memory.next_end(self.now, self.now + SOON)
        {
            self.now = Moment(end.0 - 1);
            self.ask();
        }
    }

    fn commit(&mut self) -> Result<(), Difference> {
        let Some(batch) = self.owner.take_batch() else { return Ok(()) };
        self.write(&batch)?;
        let now = self.next_instant();
        self.owner.committed(now, &batch);
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
        let mut batch = self.owner.take_batch();
        if let Some(batch) = batch.take_if(|_| self.dice.one_in(2)) {
            self.write(&batch)?;
            let rows = self.journal.peek(EVENT);
            let unheard = Unheard::new(&batch, &mut self.open, &self.names, &rows);
            for (question, reply) in unheard.answers() {
                self.doing = format!("unheard: {question:?}");
                self.counts.count("answers that nobody heard");
                if let Told::Operated(_) = reply.told {
                    self.memory.operated(&question.asked);
                }
                self.oracle.hear_late(&question, &reply)?;
            }
            self.learn(&batch)?;
        }
        self.counts.add_times("outcome-unknown", self.open.len());
        self.open.clear();
        self.oracle.fail_over();
        let snapshot = self.journal.claim(EVENT, TakeFrom::OnlySelf).expect("its own event");
        if let Some(late) = batch {
            let fenced = self.journal.write(&late);
            assert!(matches!(fenced, Err(AppendError::Fenced)), "a dead owner writes nothing");
        }
        let started = Owner::start(self.venue.terms.clone(), snapshot);
        self.owner = started.map_err(|got| Difference {
            expected: "rows that agree with each other".into(),
            got,
        })?;
        self.owner.pause_site(self.site_paused);
        Ok(())
    }

    fn carry_out(&mut self) -> Result<(), Difference> {
        while let Some((asked, answer)) = self.owner.poll() {
            self.answered(asked, answer)?;
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
                self.memory.learn(&question.asked, &reply.told);
                self.oracle.hear(&question, &reply)
            }
            Err(why) => {
                self.counts.unanswered(&why);
                let undecided = self.open.values().filter(|it| line(it) == line(&question)).count();
                let late = self.now > Moment(question.at) + DEADLINE;
                let is_late = late && why == Unanswered::Overloaded;
                if is_late || undecided >= LINE_MAX && why == Unanswered::LineFull {
                    return Ok(());
                }
                let expected = format!("an answer to {question:?}");
                Err(Difference { expected, got: format!("{why:?}") })
            }
        }
    }

    /// All rows against all that was decided and is written.
    pub(super) fn compare(&mut self) -> Result<(), Difference> {
        self.settle()?;
        self.doing = "all rows were compared".into();
        let everything = written::everything(&self.journal, &self.venue.terms, &self.names);
        self.oracle.compare(&everything)
    }

    /// Whatever waits is delivered; then everybody has an answer.
    fn settle(&mut self) -> Result<(), Difference> {
        let mut rounds = 0;
        while !self.owner.is_still() {
            rounds += 1;
            if rounds > ROUNDS_MAX {
                let got = format!("no end after {ROUNDS_MAX} rounds, open: {:?}", self.open);
                return Err(Difference { expected: "an answer to everybody".into(), got });
            }
            for at in 0..self.owner.sections() {
                self.owner.section_decides(at, self.now);
                if let Some(decided) = self.owner.decision(at) {
                    let now = self.next_instant();
                    self.owner.decided(now, decided);
                    self.carry_out()?;
                }
            }
            self.commit()?;
        }
        let parked = self.owner.parked();
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
        self.owner.tick(now);
        self.carry_out()?;
        self.compare()?;
        if self.oracle.is_over() {
            return Ok(());
        }
        let expected = "every hold released, expired or sold".into();
        Err(Difference { expected, got: "one that is active an hour later".into() })
    }
}

/// In whose line it waits: what comes back waits in the line of who bought it.
fn line(question: &Question) -> u32 {
    match &question.asked {
        Asked::Refund(refund) => refund.order_of.buyer,
        Asked::Place { .. }
        | Asked::Release { .. }
        | Asked::GiveBack { .. }
        | Asked::Order { .. }
        | Asked::Cancel { .. }
        | Asked::Confirm { .. }
        | Asked::Read { .. }
        | Asked::List
        | Asked::Operate { .. } => question.buyer,
    }
}
