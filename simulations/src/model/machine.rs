//! The model as a whole: a scenario, perhaps a mutant, and the shelves on which everything large
//! stands once: batches, rows, owners.

use std::collections::HashMap;
use std::rc::Rc;

use taquilla_engine::event::Batch;

use super::canon::fingerprint;
use super::mutant::Mutant;
use super::owner::Owners;
use super::rows::{Rows, RowsId};
use super::scenario::Scenario;
use super::truth::history::History;
use super::truth::plain::{self, Names};
use super::world::{Asked, BatchId, Life, Process, STRAYS, Server, World};

/// What must hold, after every step.
pub mod rule {
    /// Each answer is true of a durable state between its call and itself, at an instant between them.
    pub const UNTRUE: &str = "an answer was true of no durable state";
    /// A key stands for one result.
    pub const TWO_RESULTS: &str = "a key brought two results";
    /// A hold that somebody was told is over never lives or sells afterwards.
    pub const CAME_BACK: &str = "a hold came back";
    /// Who hears that nothing was decided may go away.
    pub const UNDECIDED: &str = "somebody was told that nothing was decided";
    /// A call has one answer.
    pub const TWICE: &str = "a call is answered twice";
    /// No batch that passes the fence meets a row that is not as believed.
    pub const DIFFERS: &str = "memory differs from the rows";
    /// One owner a seat, the buyer's limit, no sale of what is over, one order a hold, one ticket a seat.
    pub const HISTORY: &str = "the history breaks a rule";
    /// The rows are what the history adds up to.
    pub const NOT_THE_FOLD: &str = "rows are not the fold of the history";
    /// Every durable state can be rebuilt from.
    pub const CONTRADICTION: &str = "rows contradict each other";
    /// No owner panics, whatever it is fed.
    pub const PANIC: &str = "an owner panicked";
    /// Before the first fault nobody dies and nobody hears "unknown".
    pub const DIED: &str = "an owner died though nothing had failed";
    /// When nothing is left but faults, nobody waits.
    pub const UNANSWERED: &str = "a call is never answered";
    /// When nothing is left but faults, a process serves.
    pub const NOBODY_SERVES: &str = "the sale never goes on";
    /// A door decides or turns away; only who runs it knows of outcomes that are unknown.
    pub const STRANGE_WORD: &str = "a door said what is not its to say";

    /// All of them.
    pub const ALL: &[&str] = &[
        UNTRUE,
        TWO_RESULTS,
        CAME_BACK,
        UNDECIDED,
        TWICE,
        DIFFERS,
        HISTORY,
        NOT_THE_FOLD,
        CONTRADICTION,
        PANIC,
        DIED,
        UNANSWERED,
        NOBODY_SERVES,
        STRANGE_WORD,
    ];
}

/// A rule that does not hold, in a state or of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub rule: &'static str,
    /// What breaks it, in words.
    pub what: String,
}

/// Rows, with the history that they must be the fold of.
#[derive(Debug)]
pub(super) struct Shelved {
    pub(super) rows: Rows,
    pub(super) history: History,
    /// The histories that the batch went through: a row that changes twice in it shows only its end.
    pub(super) along: Vec<History>,
    pub(super) flaw: Option<Violation>,
}

/// One scenario under the protocol, or under a mutant of it.
#[derive(Debug)]
pub struct Machine {
    scenario: Scenario,
    mutant: Option<Mutant>,
    faults: u8,
    pub(super) names: Names,
    pub(super) owners: Owners,
    batches: Vec<Rc<Batch>>,
    batch_ids: HashMap<u64, BatchId>,
    shelved: Vec<Shelved>,
    rows_ids: HashMap<u64, RowsId>,
    written: HashMap<(RowsId, BatchId), Result<RowsId, String>>,
}

impl Machine {
    /// A model with this budget of faults.
    #[must_use]
    pub fn new(scenario: Scenario, mutant: Option<Mutant>, faults: u8) -> Self {
        let commands = (0..scenario.asks.len()).map(|ask| scenario.command(ask)).collect();
        Self {
            scenario,
            mutant,
            faults,
            names: Names::of(&scenario),
            owners: Owners::new(scenario.terms(), commands, mutant),
            batches: Vec::new(),
            batch_ids: HashMap::new(),
            shelved: Vec::new(),
            rows_ids: HashMap::new(),
            written: HashMap::new(),
        }
    }

    /// What is asked for.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// How many different states the product's memory was in.
    #[must_use]
    pub fn owner_states(&self) -> usize {
        self.owners.len()
    }

    pub(super) fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    pub(super) fn mutant(&self) -> Option<Mutant> {
        self.mutant
    }

    pub(super) fn has_failed(&self, world: &World) -> bool {
        world.faults_left < self.faults
    }

    /// One process serves an event in which nothing has happened; the other is not started.
    pub(super) fn start(&mut self) -> World {
        let rows = Rows::new().raised(0);
        let snapshot = rows.snapshot();
        let log = vec![self.shelve(rows, History::default(), Vec::new(), None)];
        let owner = self.owners.rebuild(snapshot).expect("empty rows contradict nothing");
        let asks = vec![Asked::default(); self.scenario.asks.len()];
        World {
            faults_left: self.faults,
            time: 0,
            servers: vec![Server { log, replicated: 1, standby: true, strays_left: STRAYS }],
            statements: Vec::new(),
            processes: [
                Process { lag: 0, life: Life::Serving { owner, swept: false } },
                Process { lag: 0, life: Life::Down },
            ],
            asks,
        }
    }

    pub(super) fn shelve_batch(&mut self, batch: Rc<Batch>) -> BatchId {
        let next = BatchId::try_from(self.batches.len()).expect("few batches");
        let id = *self.batch_ids.entry(fingerprint(&batch)).or_insert(next);
        if id == next {
            self.batches.push(batch);
        }
        id
    }

    pub(super) fn batch(&self, id: BatchId) -> &Rc<Batch> {
        &self.batches[id as usize]
    }

    /// The model's clock when the batch left the lane.
    pub(super) fn sent_at(&self, id: BatchId) -> u8 {
        plain::steps(self.batch(id).now)
    }

    pub(super) fn shelved(&self, id: RowsId) -> &Shelved {
        &self.shelved[id as usize]
    }

    pub(super) fn rows(&self, id: RowsId) -> &Rows {
        &self.shelved[id as usize].rows
    }

    /// Who has the event, by what is durable.
    pub(super) fn head_owner(&self, world: &World) -> u8 {
        let head = *world.durable().last().expect("a log begins with a bump");
        self.rows(head).owner
    }

    pub(super) fn shelve(
        &mut self,
        rows: Rows,
        history: History,
        along: Vec<History>,
        flaw: Option<Violation>,
    ) -> RowsId {
        let next = RowsId::try_from(self.shelved.len()).expect("few tables");
        let id = *self.rows_ids.entry(fingerprint(&(&rows, &history, &along))).or_insert(next);
        if id == next {
            self.shelved.push(Shelved { rows, history, along, flaw });
        }
        id
    }

    /// The rows after a batch whose fence has been passed, or why the database refuses them.
    pub(super) fn write(&mut self, before: RowsId, batch: BatchId) -> Result<RowsId, String> {
        if let Some(known) = self.written.get(&(before, batch)) {
            return known.clone();
        }
        let content = Rc::clone(self.batch(batch));
        let result = self.rows(before).written(&content).map(|mut rows| {
            if self.is(Mutant::TimeRunsBack) {
                rows.decided_at = self.rows(before).decided_at;
            }
            let mut history = self.shelved(before).history.clone();
            let mut along = Vec::new();
            let flaw = self.fold(&mut history, &mut along, &content, &rows);
            self.shelve(rows, history, along, flaw)
        });
        self.written.insert((before, batch), result.clone());
        result
    }

    /// Takes the batch's history in; says what is wrong with it, or with the rows beside it.
    fn fold(
        &self,
        history: &mut History,
        along: &mut Vec<History>,
        batch: &Batch,
        rows: &Rows,
    ) -> Option<Violation> {
        for line in batch.history.iter().filter_map(|fact| self.names.happened(fact)) {
            along.push(history.clone());
            if let Err(what) = history.add(line, self.scenario.buyer_seats_max) {
                return Some(Violation { rule: rule::HISTORY, what });
            }
        }
        let (folded, found) = (history.tables(), self.names.tables(rows));
        let what = || format!("rows {found:?}, history {folded:?}");
        (folded != found).then(|| Violation { rule: rule::NOT_THE_FOLD, what: what() })
    }
}
