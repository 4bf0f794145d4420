//! Mutants that let answers go before the lane does. The commit that is still to come is fed to the
//! owner's state as a number, which leaves the owner itself as it was; what that sets free leaves now.

use taquilla_engine::answer::{Answer, Outcome};

use super::Turn;
use crate::model::mutant::Mutant;
use crate::model::owner::{Caller, Input, Output, OwnerId};
use crate::model::scenario::{Wanted, moment};

/// How many commits ahead is looked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ahead {
    /// The batch on its way.
    One,
    /// Everything that has gathered too.
    All,
}

impl Turn<'_> {
    pub(super) fn answer_early(&mut self, process: u8, input: Input) {
        let Some(mutant) = self.machine.mutant() else { return };
        let Some(owner) = self.owner(process) else { return };
        let commits = matches!(input, Input::Committed { .. });
        match mutant {
            Mutant::ReplyBeforeDurable => self.let_go(process, owner, Ahead::One, |_, _| true),
            Mutant::RefusalsNotGated if commits => {
                self.let_go(process, owner, Ahead::One, |_, answer| is_refusal(answer));
            }
            Mutant::RefusalsAtOnce => {
                self.let_go(process, owner, Ahead::All, |_, answer| is_refusal(answer));
            }
            Mutant::ReplaysAtOnce => {
                self.let_go(process, owner, Ahead::All, |_, answer| answer.replayed);
            }
            Mutant::ReadsAtOnce if self.is_checking(owner) => {
                self.let_go(process, owner, Ahead::One, |wanted, _| {
                    matches!(wanted, Wanted::Read { .. } | Wanted::ReadAll)
                });
            }
            Mutant::TwoAtOnce => self.send_what_has_gathered(process, owner),
            Mutant::RefusalsNotGated
            | Mutant::ReadsAtOnce
            | Mutant::NoFence
            | Mutant::PlainFence
            | Mutant::EpochNotCompared
            | Mutant::SequenceNotCompared
            | Mutant::TimeNotCompared
            | Mutant::NoBump
            | Mutant::UnknownBump
            | Mutant::NeverAsksAgain
            | Mutant::NoStandby
            | Mutant::ChecksWithoutStandby
            | Mutant::BumpWithoutStandby
            | Mutant::CancelledIsYes
            | Mutant::CancelledIsNo
            | Mutant::RolledBack
            | Mutant::NotAnswered
            | Mutant::ExpiryNotWritten
            | Mutant::AnyWord
            | Mutant::TimeRunsBack
            | Mutant::TornRead
            | Mutant::RepeatTakenForNew
            | Mutant::SettlementLost
            | Mutant::OneSectionSettled
            | Mutant::RefusedByThePrepared
            | Mutant::LimitNotKept
            | Mutant::DecidedTwice
            | Mutant::AnsweredTwice
            | Mutant::UnknownFromTheDoor => {}
        }
    }

    /// Nothing is on its way but answers: all that memory says is durable, if it is an owner's still.
    fn is_checking(&self, owner: OwnerId) -> bool {
        self.machine.owners.on_its_way(owner).is_some_and(|batch| batch.is_check())
    }

    fn let_go(
        &mut self,
        process: u8,
        owner: OwnerId,
        ahead: Ahead,
        leaves: fn(Wanted, &Answer) -> bool,
    ) {
        for (caller, answer) in self.answers_ahead(process, owner, ahead) {
            let wanted = self.machine.scenario().asks[usize::from(caller.ask)].wanted;
            let asked = &self.world.asks[usize::from(caller.ask)];
            let waits = asked.waiting.iter().any(|it| it.nth == caller.nth);
            if waits && leaves(wanted, &answer) {
                self.answered(caller, &Ok(answer));
            }
        }
    }

    fn answers_ahead(
        &mut self,
        process: u8,
        mut owner: OwnerId,
        ahead: Ahead,
    ) -> Vec<(Caller, Answer)> {
        let mut answers = Vec::new();
        while let Some(step) = self.commit_ahead(process, owner) {
            for output in &step.outputs {
                if let Output::Reply(caller, Ok(answer)) = output {
                    answers.push((*caller, answer.clone()));
                }
            }
            owner = step.owner;
            if ahead == Ahead::One {
                break;
            }
        }
        answers
    }

    fn commit_ahead(
        &mut self,
        process: u8,
        owner: OwnerId,
    ) -> Option<std::rc::Rc<crate::model::owner::Step>> {
        let batch = self.machine.owners.on_its_way(owner)?;
        let (epoch, sequence) = (batch.epoch, batch.sequence);
        let now = moment(self.world.clock(process));
        Some(self.machine.owners.step(owner, Input::Committed { epoch, sequence, now }))
    }

    /// A second batch on its way, to be written after the first.
    fn send_what_has_gathered(&mut self, process: u8, owner: OwnerId) {
        let mine = self.world.statements.iter().filter(|it| it.process == process && it.awaited);
        if mine.count() != 1 {
            return;
        }
        let Some(step) = self.commit_ahead(process, owner) else { return };
        for output in &step.outputs {
            if let Output::Append(batch) = output {
                self.send(process, batch);
            }
        }
    }
}

fn is_refusal(answer: &Answer) -> bool {
    matches!(answer.outcome, Outcome::Refused(_))
}
