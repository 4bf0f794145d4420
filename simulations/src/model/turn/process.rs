//! A process: it claims, reads, serves, dies of whatever is not a yes, and is killed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use taquilla_engine::event::Batch;
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::{Epoch, Sequence};
use taquilla_engine::section::SeatState;

use super::{Heard, Turn};
use crate::model::machine::rule;
use crate::model::mutant::Mutant;
use crate::model::owner::{Input, Output, OwnerId};
use crate::model::scenario::moment;
use crate::model::world::{DEAD, Life, Phase, Statement, What, Word};

impl Turn<'_> {
    pub(super) fn life(&mut self, process: u8) -> &mut Life {
        &mut self.world.processes[usize::from(process)].life
    }

    pub(super) fn owner(&self, process: u8) -> Option<OwnerId> {
        match self.world.processes[usize::from(process)].life {
            Life::Serving { owner, .. } => Some(owner),
            Life::Down | Life::Claiming { .. } | Life::Raised { .. } | Life::Overtaken => None,
        }
    }

    pub(super) fn deliver(&mut self, process: u8, section: u8) {
        let now = moment(self.world.clock(process));
        self.feed(process, Input::Decided { section, now });
    }

    pub(super) fn sweep(&mut self, process: u8) {
        if let Life::Serving { swept, .. } = self.life(process) {
            *swept = true;
        }
        let now = moment(self.world.clock(process));
        self.feed(process, Input::Tick { now });
    }

    /// Feeds the owner and carries out what it wants.
    pub(super) fn feed(&mut self, process: u8, input: Input) {
        let Some(owner) = self.owner(process) else { return };
        let stepped = catch_unwind(AssertUnwindSafe(|| self.machine.owners.step(owner, input)));
        let Ok(step) = stepped else {
            return self.violated(rule::PANIC, format!("fed {input:?}"));
        };
        if let Life::Serving { owner, .. } = self.life(process) {
            *owner = step.owner;
        }
        for output in &step.outputs {
            match output {
                Output::Reply(caller, answer) => self.answered(*caller, answer),
                Output::Append(batch) => self.send(process, batch),
                Output::Stranger => return self.die(process),
            }
        }
        self.answer_early(process, input);
    }

    pub(super) fn send(&mut self, process: u8, batch: &Rc<Batch>) {
        let batch = if self.machine.is(Mutant::ExpiryNotWritten) {
            Rc::new(without_expiries(batch))
        } else {
            Rc::clone(batch)
        };
        let what = What::Append(self.machine.shelve_batch(batch));
        self.world.statements.push(Statement { process, what, phase: Phase::Sent, awaited: true });
    }

    /// A word reaches its process.
    pub(super) fn word(&mut self, number: u8) {
        let statement = self.world.statements.remove(usize::from(number));
        let Phase::Done(word) = statement.phase else { return };
        let Statement { process, what, awaited, .. } = statement;
        match what {
            What::Bump { from_anyone } => match word {
                Word::Yes { server, epoch } => {
                    *self.life(process) = Life::Raised { server, epoch: Some(epoch) };
                }
                Word::Fenced => *self.life(process) = Life::Overtaken,
                Word::Cancelled | Word::Broken | Word::Turned => self.claim(process, from_anyone),
                Word::ClockUncertain | Word::Refused => unreachable!("no bump is told this"),
            },
            What::Append(batch) => {
                let batch = self.machine.batch(batch);
                let (epoch, sequence) = (batch.epoch, batch.sequence);
                match word {
                    Word::Yes { .. } => self.committed(process, epoch, sequence, awaited),
                    Word::Cancelled if self.machine.is(Mutant::CancelledIsYes) => {
                        self.committed(process, epoch, sequence, awaited);
                    }
                    Word::Cancelled if self.machine.is(Mutant::CancelledIsNo) => {
                        self.roll_back(process);
                    }
                    Word::Cancelled | Word::Broken | Word::Turned
                        if self.machine.is(Mutant::RolledBack) =>
                    {
                        self.roll_back(process);
                    }
                    Word::Fenced
                    | Word::ClockUncertain
                    | Word::Refused
                    | Word::Turned
                    | Word::Cancelled
                    | Word::Broken => self.die(process),
                }
            }
        }
    }

    /// A late word finds the dead owner's successor.
    fn committed(&mut self, process: u8, epoch: Epoch, sequence: Sequence, awaited: bool) {
        let now = moment(self.world.clock(process));
        let (mut epoch, mut sequence) = (epoch, sequence);
        let on_its_way = self.owner(process).and_then(|it| self.machine.owners.on_its_way(it));
        if let Some(batch) = on_its_way
            && !awaited
            && self.machine.is(Mutant::AnyWord)
        {
            (epoch, sequence) = (batch.epoch, batch.sequence);
        }
        self.feed(process, Input::Committed { epoch, sequence, now });
    }

    pub(super) fn claim(&mut self, process: u8, from_anyone: bool) {
        *self.life(process) = Life::Claiming { from_anyone };
        let what = What::Bump { from_anyone };
        self.world.statements.push(Statement { process, what, phase: Phase::Sent, awaited: true });
    }

    pub(super) fn read(&mut self, process: u8) {
        let Life::Raised { server, epoch } = *self.life(process) else { return };
        let mut snapshot = self.machine.rows(self.visible(server)).snapshot();
        match epoch {
            Some(own) if snapshot.epoch != Epoch(own) => {
                *self.life(process) = Life::Overtaken;
                return;
            }
            Some(_) => {}
            None if self.machine.is(Mutant::UnknownBump) => snapshot.epoch.0 += 1,
            None => {}
        }
        if self.machine.is(Mutant::TornRead) {
            let first = self.world.servers[usize::from(server)].log[0];
            snapshot.seats = self.machine.rows(first).snapshot().seats;
        }
        match self.machine.owners.rebuild(snapshot) {
            Ok(owner) => *self.life(process) = Life::Serving { owner, swept: true },
            Err(breach) => return self.violated(rule::CONTRADICTION, breach),
        }
        self.sweep(process);
    }

    /// A process waits no longer for a statement that is still under way.
    pub(super) fn give_up(&mut self, number: u8) {
        let statement = &mut self.world.statements[usize::from(number)];
        statement.awaited = false;
        let Statement { process, what, phase, .. } = *statement;
        let server = match phase {
            Phase::Waiting { server, .. } | Phase::Checked(server) => server,
            Phase::Sent | Phase::Done(_) => 0,
        };
        match what {
            What::Append(_) if self.machine.is(Mutant::RolledBack) => self.roll_back(process),
            What::Append(_) => self.die(process),
            What::Bump { .. } if self.machine.is(Mutant::UnknownBump) => {
                *self.life(process) = Life::Raised { server, epoch: None };
            }
            What::Bump { from_anyone } => self.claim(process, from_anyone),
        }
    }

    /// The owner dies; its process takes over from itself.
    pub(super) fn die(&mut self, process: u8) {
        if !self.machine.has_failed(&self.world) {
            let what = format!("process {process} lost its owner");
            self.violated(rule::DIED, what);
        }
        self.abandon(process);
        if !self.machine.is(Mutant::NotAnswered) {
            self.leave_callers(process, &Heard::Unknown);
        }
        if self.machine.is(Mutant::NoBump) {
            let server = u8::try_from(self.world.servers.len() - 1).expect("two at most");
            *self.life(process) = Life::Raised { server, epoch: None };
        } else {
            self.claim(process, false);
        }
    }

    pub(super) fn kill(&mut self, process: u8) {
        self.abandon(process);
        self.leave_callers(process, &Heard::Unknown);
        for statement in self.world.statements.iter_mut().filter(|it| it.process == process) {
            statement.process |= DEAD;
        }
        *self.life(process) = Life::Down;
    }

    fn abandon(&mut self, process: u8) {
        for statement in self.world.statements.iter_mut().filter(|it| it.process == process) {
            statement.awaited = false;
        }
    }

    /// What the protocol never does: memory as it was before the batch, and the owner lives on.
    fn roll_back(&mut self, process: u8) {
        let Some(owner) = self.owner(process) else { return };
        let owner = self.machine.owners.rolled_back(owner);
        *self.life(process) = Life::Serving { owner, swept: true };
        self.leave_callers(process, &Heard::TurnedAway);
    }
}

/// The batch as somebody would write it who takes an overdue hold's seat and leaves its row alone.
fn without_expiries(batch: &Batch) -> Batch {
    let mut batch = batch.clone();
    let used: Vec<_> = batch.seats.values().map(|change| (change.was, change.becomes)).collect();
    batch.holds_ended.retain(|hold, (status, _)| {
        let taken = used.iter().any(|(was, becomes)| {
            *was == SeatState::Held(*hold) && matches!(becomes, SeatState::Held(_))
        });
        !(taken && *status == HoldStatus::Expired)
    });
    batch
}
