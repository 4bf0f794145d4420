//! Where a section is spoken to. Commands are decided in the order in which the door sent them; one
//! that depends on what is not settled yet waits, and all later ones behind it. Since the door sends
//! every errand to its sections in the one order, no two errands ever wait for each other. One that has
//! waited for longer than its caller does is not decided any more.
//!
//! No bound of its own: a caller's command that waits here has a permit of its event, and of what the door
//! asks by itself there is no more than holds whose time has come.

use std::collections::VecDeque;

use super::{Decided, Decision, Section, SectionCommand, SectionMessage, Unsettled};
use crate::moment::Moment;

/// A section with the commands that wait for a settlement.
#[derive(Clone, Debug)]
pub struct Window {
    section: Section,
    waiting: VecDeque<SectionCommand>,
}

impl Window {
    /// The window of a section at which nobody waits.
    #[must_use]
    pub fn new(section: Section) -> Self {
        Self { section, waiting: VecDeque::new() }
    }

    /// The section behind it.
    #[must_use]
    pub fn section(&self) -> &Section {
        &self.section
    }

    /// How many commands wait for a settlement.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Takes a message in at this instant, by which deadlines are judged; whatever is decided by it, in
    /// order.
    pub fn handle(
        &mut self,
        message: SectionMessage,
        now: Moment,
        mut decided: impl FnMut(Decided),
    ) {
        match message {
            SectionMessage::Decide(command) if self.waiting.is_empty() => {
                if let Err(command) = self.decide(command, now, &mut decided) {
                    self.waiting.push_back(command);
                }
            }
            SectionMessage::Decide(command) => self.waiting.push_back(command),
            SectionMessage::Settle { errand, granted } => {
                self.section.settle(errand, granted);
                while let Some(command) = self.waiting.pop_front() {
                    if let Err(command) = self.decide(command, now, &mut decided) {
                        self.waiting.push_front(command);
                        break;
                    }
                }
            }
        }
    }

    /// Decides the command, or gives it back if it has to wait.
    fn decide(
        &mut self,
        command: SectionCommand,
        now: Moment,
        decided: &mut impl FnMut(Decided),
    ) -> Result<(), SectionCommand> {
        let decision = if command.deadline.is_some_and(|deadline| deadline < now) {
            Decision::too_late()
        } else {
            match self.section.handle(&command) {
                Err(Unsettled) => return Err(command),
                Ok(decision) => decision,
            }
        };
        decided(Decided { errand: command.errand, section: self.section.index(), decision });
        Ok(())
    }
}
