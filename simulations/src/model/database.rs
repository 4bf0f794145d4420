//! The small Postgres: statements that wait for the head's lock, are fenced, write, and wait for the
//! standby; crash, promotion, a cancelled wait. A statement's rows are visible once its wait is over,
//! however it ended; they are durable once the standby has them.

use super::machine::{Violation, rule};
use super::mutant::Mutant;
use super::rows::RowsId;
use super::scenario::{CLOCK_TOLERANCE, moment};
use super::turn::Turn;
use super::world::{BatchId, Phase, STRAYS, Server, Statement, What, Word};

impl Turn<'_> {
    /// A statement runs at a server whose head nobody holds.
    pub(super) fn execute(&mut self, number: u8, at: u8) {
        let Statement { what, process, phase, .. } = self.world.statements[usize::from(number)];
        let server = self.server(at);
        server.strays_left -= u8::from(!server.standby);
        let after = match what {
            What::Append(batch) => self.append(at, batch, phase),
            What::Bump { from_anyone } => self.bump(at, process, from_anyone),
        };
        self.world.statements[usize::from(number)].phase = after;
    }

    fn append(&mut self, at: u8, id: BatchId, phase: Phase) -> Phase {
        let batch = std::rc::Rc::clone(self.machine.batch(id));
        let plain = self.machine.is(Mutant::PlainFence);
        let head = if plain { self.visible(at) } else { self.last(at) };
        let rows = self.machine.rows(head);
        let other_epoch = rows.epoch != batch.epoch && !self.machine.is(Mutant::EpochNotCompared);
        let other_sequence =
            rows.sequence != batch.sequence && !self.machine.is(Mutant::SequenceNotCompared);
        let fenced = (other_epoch || other_sequence) && !self.machine.is(Mutant::NoFence);
        if phase == Phase::Sent && fenced {
            return Phase::Done(Word::Fenced);
        }
        if plain && phase == Phase::Sent {
            return Phase::Checked(at);
        }
        let here = moment(self.world.time);
        let apart = here.since(batch.now).max(batch.now.since(here));
        if apart > CLOCK_TOLERANCE && !self.machine.is(Mutant::TimeNotCompared) {
            return Phase::Done(Word::ClockUncertain);
        }
        let before = self.last(at);
        let after = match self.machine.write(before, id) {
            Ok(after) => after,
            Err(what) => {
                self.violated(rule::DIFFERS, what);
                return Phase::Done(Word::Refused);
            }
        };
        if let Some(flaw) = &self.machine.shelved(after).flaw {
            let Violation { rule, what } = flaw.clone();
            self.violated(rule, what);
        }
        let wrote = after != before;
        if wrote {
            self.server(at).log.push(after);
        }
        let asynchronous = self.machine.is(Mutant::NoStandby)
            || (self.machine.is(Mutant::ChecksWithoutStandby) && batch.is_check());
        if asynchronous {
            Phase::Done(Word::Yes { server: at, epoch: 0 })
        } else {
            Phase::Waiting { server: at, wrote, epoch: 0 }
        }
    }

    fn bump(&mut self, at: u8, process: u8, from_anyone: bool) -> Phase {
        let shelved = self.machine.shelved(self.last(at));
        if !from_anyone && shelved.rows.owner != process {
            return Phase::Done(Word::Fenced);
        }
        let (rows, history) = (shelved.rows.raised(process), shelved.history.clone());
        let epoch = rows.epoch.0;
        let after = self.machine.shelve(rows, history, Vec::new(), None);
        self.server(at).log.push(after);
        if self.machine.is(Mutant::BumpWithoutStandby) {
            return Phase::Done(Word::Yes { server: at, epoch });
        }
        Phase::Waiting { server: at, wrote: true, epoch }
    }

    /// The standby has everything.
    pub(super) fn acknowledge(&mut self, at: u8) {
        let server = self.server(at);
        server.replicated = u8::try_from(server.log.len()).expect("logs are short");
        if let Some(number) = self.world.waiting_at(at)
            && let Phase::Waiting { server, epoch, .. } = self.world.statements[number].phase
        {
            self.world.statements[number].phase = Phase::Done(Word::Yes { server, epoch });
        }
    }

    /// The wait at this server ends without the standby's word: what it wrote is visible.
    pub(super) fn wait_ends(&mut self, at: u8, word: Word) {
        let number = self.world.waiting_at(at).expect("only a wait can end");
        self.world.statements[number].phase = Phase::Done(word);
    }

    /// The standby becomes primary, with a standby of its own; the old one lives on without.
    pub(super) fn promote(&mut self, kept: u8) {
        let old = self.server(0);
        old.standby = false;
        let log = old.log[..usize::from(kept)].to_vec();
        self.world.servers.push(Server {
            log,
            replicated: kept,
            standby: true,
            strays_left: STRAYS,
        });
    }

    /// What another session sees: a statement that waits for the standby is still in progress.
    pub(super) fn visible(&self, at: u8) -> RowsId {
        let log = &self.world.servers[usize::from(at)].log;
        let waiting = self.world.waiting_at(at).map(|number| self.world.statements[number].phase);
        let hidden = matches!(waiting, Some(Phase::Waiting { wrote: true, .. }));
        log[log.len() - 1 - usize::from(hidden)]
    }

    fn last(&self, at: u8) -> RowsId {
        *self.world.servers[usize::from(at)].log.last().expect("a log begins with a bump")
    }

    fn server(&mut self, at: u8) -> &mut Server {
        &mut self.world.servers[usize::from(at)]
    }
}
