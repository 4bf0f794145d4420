//! The product's owner as a value: a door and its sections, named by a number, with a step that is
//! remembered. A door cannot be copied, but it is deterministic: what it is follows from the rows it
//! was built from and what it was fed, so it is built and fed again wherever a copy is wanted.
//!
//! A section is asked the moment its door wants it: between the two stands nothing but a mailbox, and
//! what it decides depends on that mailbox's order alone. When its decision *arrives* is a step.

mod driver;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use taquilla_engine::answer::{Answer, Unanswered};
use taquilla_engine::command::Command;
use taquilla_engine::event::{Batch, Snapshot, Terms};
use taquilla_engine::id::{Epoch, HoldId, Sequence};
use taquilla_engine::moment::Moment;

use super::canon::fingerprint;
use super::mutant::Mutant;

use driver::{Live, Setting};

pub(super) type OwnerId = u32;

/// Who is answered: the scenario's ask, and which call of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Caller {
    pub(super) ask: u8,
    pub(super) nth: u8,
}

/// What an owner is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Input {
    Submit { caller: Caller, now: Moment },
    Decided { section: u8, now: Moment },
    Committed { epoch: Epoch, sequence: Sequence, now: Moment },
    Tick { now: Moment },
}

/// What an owner does.
#[derive(Clone, Debug)]
pub(super) enum Output {
    Reply(Caller, Result<Answer, Unanswered>),
    Append(Rc<Batch>),
    /// It was told of a commit that is not the one on its way: it dies.
    Stranger,
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) owner: OwnerId,
    pub(super) outputs: Vec<Output>,
}

/// Where a state comes from.
#[derive(Debug)]
enum Origin {
    Rows(Snapshot),
    Fed(OwnerId, Input),
}

#[derive(Debug)]
struct Record {
    origin: Origin,
    decisions: Vec<u8>,
    converting: BTreeSet<HoldId>,
    on_its_way: Option<Rc<Batch>>,
}

/// Every state that an owner was ever in.
#[derive(Debug)]
pub(super) struct Owners {
    setting: Setting,
    records: Vec<Record>,
    known: HashMap<u64, OwnerId>,
    steps: HashMap<(OwnerId, Input), Rc<Step>>,
}

impl Owners {
    pub(super) fn new(terms: Terms, commands: Vec<Command>, mutant: Option<Mutant>) -> Self {
        let (records, known, steps) = (Vec::new(), HashMap::new(), HashMap::new());
        let setting = Setting::new(terms, commands, mutant);
        Self { setting, records, known, steps }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// How many decisions of each section are on their way to the door.
    pub(super) fn decisions(&self, owner: OwnerId) -> &[u8] {
        &self.records[owner as usize].decisions
    }

    /// Holds that sections have sold, which is not in the rows yet.
    pub(super) fn converting(&self, owner: OwnerId) -> &BTreeSet<HoldId> {
        &self.records[owner as usize].converting
    }

    /// The batch whose word is waited for.
    pub(super) fn on_its_way(&self, owner: OwnerId) -> Option<&Rc<Batch>> {
        self.records[owner as usize].on_its_way.as_ref()
    }

    /// An owner built from rows; an error in words if the rows contradict each other.
    pub(super) fn rebuild(&mut self, snapshot: Snapshot) -> Result<OwnerId, String> {
        let live = Live::rebuild(&self.setting, snapshot.clone())?;
        Ok(self.shelve(&live, Origin::Rows(snapshot)))
    }

    /// What follows when the owner is fed this.
    pub(super) fn step(&mut self, owner: OwnerId, input: Input) -> Rc<Step> {
        if let Some(step) = self.steps.get(&(owner, input)) {
            return Rc::clone(step);
        }
        let mut live = self.live(owner);
        let outputs = live.feed(&self.setting, input);
        let after = self.shelve(&live, Origin::Fed(owner, input));
        let step = Rc::new(Step { owner: after, outputs });
        self.steps.insert((owner, input), Rc::clone(&step));
        step
    }

    /// The state before the batch on its way was begun: what a rollback of memory would restore.
    pub(super) fn rolled_back(&self, mut owner: OwnerId) -> OwnerId {
        while self.on_its_way(owner).is_some() {
            match self.records[owner as usize].origin {
                Origin::Fed(before, _) => owner = before,
                Origin::Rows(_) => break,
            }
        }
        owner
    }

    fn live(&self, owner: OwnerId) -> Live {
        let mut inputs = Vec::new();
        let mut at = owner;
        let snapshot = loop {
            match &self.records[at as usize].origin {
                Origin::Fed(before, input) => {
                    inputs.push(*input);
                    at = *before;
                }
                Origin::Rows(snapshot) => break snapshot.clone(),
            }
        };
        let mut live =
            Live::rebuild(&self.setting, snapshot).expect("it was built from this before");
        for input in inputs.into_iter().rev() {
            live.feed(&self.setting, input);
        }
        live
    }

    fn shelve(&mut self, live: &Live, origin: Origin) -> OwnerId {
        let print = fingerprint(live);
        if let Some(known) = self.known.get(&print) {
            return *known;
        }
        let id = OwnerId::try_from(self.records.len()).expect("fewer states than memory holds");
        self.records.push(Record {
            origin,
            decisions: live.decisions(),
            converting: live.converting.clone(),
            on_its_way: live.on_its_way.clone(),
        });
        self.known.insert(print, id);
        id
    }
}
