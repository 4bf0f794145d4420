//! A step in readable words.

use std::fmt;

use super::actions::{Action, Fault};
use super::machine::{Machine, Violation};
use super::owner::Caller;
use super::search::{Outcome, Searched};
use super::turn::Heard;
use super::world::{What, World};

impl Machine {
    pub(super) fn tell(
        &self,
        world: &World,
        action: Action,
        fault: Option<Fault>,
        heard: &[(Caller, Heard)],
    ) -> String {
        let mut words = self.words(world, action);
        if let Some(fault) = fault {
            words = format!("{words} [fault: {fault:?}]");
        }
        for (caller, what) in heard {
            let ask = &self.scenario().asks[usize::from(caller.ask)];
            words += &format!("; {} hears of {:?}: {}", ask.buyer, ask.wanted, heard_words(what));
        }
        words
    }

    fn words(&self, world: &World, action: Action) -> String {
        let of = |number: u8| self.statement(world, number);
        match action {
            Action::Ask { ask, process } => {
                let asked = &self.scenario().asks[usize::from(ask)];
                let again = if world.asks[usize::from(ask)].sent > 0 { " again" } else { "" };
                format!("{} asks process {process}{again}: {:?}", asked.buyer, asked.wanted)
            }
            Action::Deliver { process, section } => {
                format!("section {section}'s decision reaches the door of process {process}")
            }
            Action::Execute { statement, server } => {
                format!("{} runs at server {server}", of(statement))
            }
            Action::Acknowledge { server } => {
                format!("the standby of server {server} acknowledges everything")
            }
            Action::Word { statement } => format!("the word on {} arrives", of(statement)),
            Action::Read { process } => format!("process {process} reads the rows and serves"),
            Action::Start { process } => format!("process {process} starts and claims the event"),
            Action::AskAgain { process } => format!("process {process} asks for its event again"),
            Action::Sweep { process } => format!("process {process} ticks"),
            Action::Pass { slow: None } => "time passes".to_owned(),
            Action::Pass { slow: Some(process) } => {
                format!("time passes, but not for process {process}")
            }
            Action::GiveUp { statement } => format!("patience ends with {}", of(statement)),
            Action::Refuse { statement } => format!("a circumstance refuses {}", of(statement)),
            Action::Cancel { server } => {
                format!("the wait for the standby is cancelled at server {server}")
            }
            Action::Crash { server } => {
                format!("server {server} crashes and comes back with what it had flushed")
            }
            Action::Promote { kept } => {
                let all = world.servers[0].log.len();
                format!(
                    "the standby is promoted with {kept} of {all} entries; the old primary lives"
                )
            }
            Action::Kill { process } => format!("process {process} is killed"),
        }
    }

    fn statement(&self, world: &World, number: u8) -> String {
        let it = &world.statements[usize::from(number)];
        let process = it.process & !super::world::DEAD;
        let late = if it.awaited { "" } else { "the abandoned " };
        match it.what {
            What::Bump { from_anyone } => {
                let from = if from_anyone { "anyone" } else { "itself" };
                format!("{late}bump of process {process} from {from}")
            }
            What::Append(batch) => {
                let batch = self.batch(batch);
                let kind = if batch.is_check() { "check" } else { "batch" };
                let (epoch, sequence) = (batch.epoch.0, batch.sequence.0);
                format!("{late}{kind} {epoch}/{sequence} of process {process}")
            }
        }
    }
}

fn heard_words(heard: &Heard) -> String {
    match heard {
        Heard::Told(telling) => {
            let replayed = if telling.replayed { ", replayed" } else { "" };
            format!("{:?} as of {}{replayed}", telling.said, telling.as_of)
        }
        Heard::TurnedAway => "nothing was decided".to_owned(),
        Heard::Unknown => "the outcome is unknown".to_owned(),
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.what)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.violation)?;
        for (number, step) in self.trace.iter().enumerate() {
            writeln!(f, "  {:2}. {step}", number + 1)?;
        }
        Ok(())
    }
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = match &self.found {
            Some(_) => "found after",
            None if self.complete => "all",
            None => "the first",
        };
        write!(
            f,
            "{whole} {} states, {} steps, depth {}, {:.1} s",
            self.states,
            self.steps,
            self.depth,
            self.took.as_secs_f64()
        )
    }
}
