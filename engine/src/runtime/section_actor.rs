//! One section as an actor: commands in, decisions back to its event. It never waits for anything.

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::time::Instant;

use super::event_actor::EventMessage;
use crate::clock::Clock;
use crate::section::{SectionMessage, Window};
use crate::telemetry;

/// A section's message, with the time it was sent.
pub(super) struct SectionMail {
    pub(super) message: SectionMessage,
    pub(super) sent: Instant,
}

pub(super) struct SectionActor;

pub(super) struct SectionState {
    pub(super) window: Window,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) event: ActorRef<EventMessage>,
}

impl Actor for SectionActor {
    type Msg = SectionMail;
    type State = SectionState;
    type Arguments = SectionState;

    async fn pre_start(
        &self,
        _myself: ActorRef<SectionMail>,
        start: SectionState,
    ) -> Result<SectionState, ActorProcessingErr> {
        Ok(start)
    }

    async fn handle(
        &self,
        _myself: ActorRef<SectionMail>,
        SectionMail { message, sent }: SectionMail,
        state: &mut SectionState,
    ) -> Result<(), ActorProcessingErr> {
        telemetry::mailbox_age("section", sent.elapsed());
        let mut told = Ok(());
        let now = state.clock.now();
        state.window.handle(message, now, |decided| {
            let cast = state.event.cast(EventMessage::Decided(decided));
            told = std::mem::replace(&mut told, Ok(())).and(cast);
        });
        told.map_err(Into::into)
    }
}
