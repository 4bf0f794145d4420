//! One section as an actor: commands in, decisions back to its event. It never waits for anything.

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::time::Instant;

use super::event_actor::EventMessage;
use crate::event::door::{Decided, SectionCommand};
use crate::section::Section;
use crate::telemetry;

/// A command for a section, with the time it was sent.
pub(super) struct SectionMessage {
    pub(super) command: SectionCommand,
    pub(super) sent: Instant,
}

pub(super) struct SectionActor;

pub(super) struct SectionState {
    pub(super) section: Section,
    pub(super) event: ActorRef<EventMessage>,
}

impl Actor for SectionActor {
    type Msg = SectionMessage;
    type State = SectionState;
    type Arguments = SectionState;

    async fn pre_start(
        &self,
        _myself: ActorRef<SectionMessage>,
        start: SectionState,
    ) -> Result<SectionState, ActorProcessingErr> {
        Ok(start)
    }

    async fn handle(
        &self,
        _myself: ActorRef<SectionMessage>,
        SectionMessage { command, sent }: SectionMessage,
        state: &mut SectionState,
    ) -> Result<(), ActorProcessingErr> {
        telemetry::mailbox_age("section", sent.elapsed());
        let decision = state.section.handle(command.now, &command.action);
        let decided = Decided { errand: command.errand, decision };
        state.event.cast(EventMessage::Decided(decided)).map_err(Into::into)
    }
}
