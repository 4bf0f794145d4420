//! Asking again, with the same key, until there is an answer that settles it.

use std::fmt;
use std::time::{Duration, Instant};

use super::{Answer, Buyer, Request};

/// A server that is killed every few seconds comes back in between, and no drill takes its database away for longer than a
/// minute, and no request meets more than two such; one that stays away for so long has not recovered.
const RESOLVED_MAX: Duration = Duration::from_secs(200);
/// The pause after the first try; a server that is down refuses connections at once.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_millis(80);

/// A request that was never settled.
#[derive(Debug, Clone)]
pub struct Unresolved {
    /// What was asked.
    pub request: Request,
    /// What came last.
    pub last: Answer,
}

impl Buyer {
    /// Sends the request, and sends it again while nothing is decided.
    ///
    /// # Errors
    /// [`Unresolved`] after [`RESOLVED_MAX`].
    pub async fn ask(&self, request: &Request) -> Result<Answer, Unresolved> {
        let deadline = Instant::now() + RESOLVED_MAX;
        let mut pause = FIRST_PAUSE;
        loop {
            let answer = self.send(request).await;
            if answer.is_decided() {
                return Ok(answer);
            }
            if Instant::now() >= deadline {
                return Err(Unresolved { request: request.clone(), last: answer });
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}; the last answer was {:?}", self.request, self.last)
    }
}
