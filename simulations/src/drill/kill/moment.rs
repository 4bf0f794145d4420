//! The moments at which a kill is worth most, and how each is brought about through the proxy.
//!
//! A statement that has been sent is executed although its sender is dead. So a server that answers
//! before its commit is found out only where the statement is still on its way: hence the stalls.

use std::time::Duration;

use rand::Rng;
use rand::rngs::StdRng;
use taquilla_persistence::private_postgres::proxy::Traffic;

use crate::DrillError;
use crate::stage::Stage;

/// When the server dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Whenever.
    Any,
    /// As soon as Postgres has a statement that it has not answered.
    InFlight,
    /// Postgres has committed for a while, and the server has not learnt of it.
    AnswersStalled,
    /// The server has asked for a while, and Postgres has not heard of it.
    RequestsStalled(Arrival),
}

/// What becomes of the statements that a dead server left on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    Lost,
    /// They arrive while the next server is starting: its fence must keep them out, or its reading
    /// must see them.
    Late,
}

/// A stall lasts up to so long after something is caught in it: time enough for a server that does
/// not wait for its commits to give many answers.
const STALL_MAX_MS: u64 = 150;
const CAUGHT_MAX: Duration = Duration::from_secs(10);

impl Moment {
    /// The kinds in turn, so that few kills show each of them.
    pub(super) fn nth(number: u32) -> Self {
        match number % 5 {
            0 => Self::AnswersStalled,
            1 => Self::RequestsStalled(Arrival::Lost),
            2 => Self::InFlight,
            3 => Self::RequestsStalled(Arrival::Late),
            _ => Self::Any,
        }
    }

    /// Returns when the moment has come.
    pub(super) async fn wait_for(self, stage: &Stage, draw: &mut StdRng) -> Result<(), DrillError> {
        let stall = Duration::from_millis(draw.random_range(0..STALL_MAX_MS));
        match self {
            Self::Any => return Ok(()),
            Self::InFlight => return caught(stage, |traffic| traffic.unanswered > 0).await,
            Self::AnswersStalled => {
                stage.proxy().hold_answers();
                caught(stage, |traffic| traffic.answers_held > 0).await?;
            }
            Self::RequestsStalled(_) => {
                stage.proxy().hold_requests();
                caught(stage, |traffic| traffic.requests_held > 0).await?;
            }
        }
        // The length of the fault, not a wait for anything.
        tokio::time::sleep(stall).await;
        Ok(())
    }

    /// After the kill: what was on its way, and a clear way for the next server.
    pub(super) fn clear(self, stage: &Stage) {
        match self {
            Self::Any | Self::InFlight | Self::RequestsStalled(Arrival::Late) => {}
            Self::AnswersStalled | Self::RequestsStalled(Arrival::Lost) => stage.proxy().cut(),
        }
        stage.proxy().release();
    }
}

async fn caught(stage: &Stage, condition: fn(&Traffic) -> bool) -> Result<(), DrillError> {
    match tokio::time::timeout(CAUGHT_MAX, stage.proxy().until(condition)).await {
        Ok(_) => Ok(()),
        Err(_) => Err(DrillError::Late {
            for_what: "a statement on its way".into(),
            after_seconds: CAUGHT_MAX.as_secs(),
        }),
    }
}
