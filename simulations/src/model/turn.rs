//! One step of the model: an action, and all that follows at once.

mod answers;
mod early;
mod process;

use super::actions::{Action, Fault};
use super::machine::{Machine, Violation, rule};
use super::owner::Caller;
use super::truth::plain::Telling;
use super::world::{Life, Phase, What, Word, World};

/// What a caller hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Told(Telling),
    /// Nothing was decided.
    TurnedAway,
    /// Something may have been.
    Unknown,
}

/// What came of a step.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) world: World,
    pub(super) heard: Vec<(Caller, Heard)>,
    pub(super) violation: Option<Violation>,
}

pub(super) struct Turn<'m> {
    pub(super) machine: &'m mut Machine,
    pub(super) world: World,
    heard: Vec<(Caller, Heard)>,
    violation: Option<Violation>,
}

impl Machine {
    pub(super) fn take(&mut self, world: &World, action: Action, spends: Option<Fault>) -> Taken {
        let world = world.clone();
        let mut turn = Turn { machine: self, world, heard: Vec::new(), violation: None };
        turn.world.faults_left -= u8::from(spends.is_some());
        turn.act(action);
        turn.nobody_was_told_that_nothing_was_decided();
        turn.tidy();
        Taken { world: turn.world, heard: turn.heard, violation: turn.violation }
    }

    /// Nothing is left but faults: everything must be answered, and somebody serve.
    pub(super) fn at_rest(&self, world: &World) -> Option<Violation> {
        let waits = world.asks.iter().position(|asked| !asked.waiting.is_empty());
        if let Some(ask) = waits {
            let what = format!("ask {ask} waits, and nothing is left to happen");
            return Some(Violation { rule: rule::UNANSWERED, what });
        }
        let serves = |life: Life| matches!(life, Life::Serving { .. });
        // Whether an owner elsewhere has died only a lease could tell, or whoever starts it again.
        let of_the_dead = self.head_owner(world) & super::world::DEAD != 0;
        if of_the_dead || world.processes.iter().any(|it| serves(it.life)) {
            return None;
        }
        let what = "no process serves, and nothing is left to happen".to_owned();
        Some(Violation { rule: rule::NOBODY_SERVES, what })
    }
}

impl Turn<'_> {
    fn act(&mut self, action: Action) {
        match action {
            Action::Ask { ask, process } => self.ask(ask, process),
            Action::Deliver { process, section } => self.deliver(process, section),
            Action::Execute { statement, server } => self.execute(statement, server),
            Action::Acknowledge { server } => self.acknowledge(server),
            Action::Word { statement } => self.word(statement),
            Action::Read { process } => self.read(process),
            Action::Start { process } => self.claim(process, true),
            Action::AskAgain { process } => self.claim(process, false),
            Action::Sweep { process } => self.sweep(process),
            Action::Pass { slow } => self.pass(slow),
            Action::GiveUp { statement } => self.give_up(statement),
            Action::Refuse { statement } => {
                self.world.statements[usize::from(statement)].phase = Phase::Done(Word::Turned);
            }
            Action::Cancel { server } => self.wait_ends(server, Word::Cancelled),
            Action::Crash { server } => self.wait_ends(server, Word::Broken),
            Action::Promote { kept } => self.promote(kept),
            Action::Kill { process } => self.kill(process),
        }
    }

    fn pass(&mut self, slow: Option<u8>) {
        self.world.time += 1;
        if let Some(process) = slow {
            self.world.processes[usize::from(process)].lag += 1;
        }
        for process in &mut self.world.processes {
            if let Life::Serving { swept, .. } = &mut process.life {
                *swept = false;
            }
        }
    }

    /// The first violation counts: what follows it may follow from it.
    pub(super) fn violated(&mut self, rule: &'static str, what: String) {
        self.violation.get_or_insert(Violation { rule, what });
    }

    /// Words that nobody can hear any more are forgotten.
    fn tidy(&mut self) {
        self.world.statements.retain(|it| match (it.awaited, it.phase, it.what) {
            (true, _, _) => true,
            (false, Phase::Done(word), What::Append(_)) => {
                matches!(word, Word::Yes { .. }) && it.process & super::world::DEAD == 0
            }
            (false, Phase::Done(_), What::Bump { .. }) => false,
            (false, Phase::Sent | Phase::Checked(_) | Phase::Waiting { .. }, _) => true,
        });
        self.world.statements.sort_unstable();
    }
}
