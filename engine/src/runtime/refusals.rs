//! From answers that leave to the chronicle: a bounded buffer an event, and one task a node that empties
//! them once a second. Whoever is answered waits for none of it; a granted hold does not come by here.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use crate::chronicle::{Chronicle, ChronicleUnavailable, Refused};
use crate::command::{Command, Request, Wish};
use crate::hold::Claim;
use crate::id::EventNumber;
use crate::telemetry;

/// How often buffers are emptied.
const EVERY: Duration = Duration::from_secs(1);

/// What an event may refuse between two rounds and still have told. A request without what it names is
/// 800 bytes at the most, its buyer's name and key included; each place that it names is 12, with its
/// part of the refusal. So a full buffer is 10 MB.
const BUFFERED_MAX: usize = 10_000;
const PLACES_MAX: usize = 100_000;

/// How long one round may take. What it does not come to waits for the next.
const ROUND_MAX: Duration = Duration::from_secs(5);

/// What one event refused since the last round.
pub(super) struct Refusals {
    event: EventNumber,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    refused: Vec<Refused>,
    /// Seats, sections and names in all of them.
    places: usize,
    dropped: u64,
}

impl Refusals {
    /// Notes an answer that is a refusal, if it is one that is told.
    pub(super) fn hear(&self, request: &Arc<Request>, answer: &Answer) {
        let Some(refused) = Refused::of(request, answer) else { return };
        let places = places_named(&request.command);
        let mut heard = self.heard.lock();
        if heard.refused.len() < BUFFERED_MAX && heard.places + places <= PLACES_MAX {
            heard.places += places;
            heard.refused.push(refused);
        } else {
            heard.dropped += 1;
        }
    }
}

/// How many seats, sections and names the command carries.
fn places_named(command: &Command) -> usize {
    let of = |claim: &Claim| claim.seats.len() + claim.places.len();
    match command {
        Command::PlaceHold { wish: Wish::Claim { claim, .. }, .. } => of(claim),
        Command::PlaceHold { wish: Wish::Unknown(names), .. } => names.len(),
        Command::GiveBack { part, .. } => part.as_ref().map_or_else(Vec::len, of),
        Command::PlaceHold { wish: Wish::Best { .. }, .. }
        | Command::ReleaseHold { .. }
        | Command::PlaceOrder { .. }
        | Command::CancelOrder { .. }
        | Command::ConfirmOrder { .. }
        | Command::ExtendHold { .. }
        | Command::ReadHold { .. }
        | Command::ReadHolds { .. }
        | Command::ReturnTickets(_)
        | Command::Operate(_) => 0,
    }
}

/// Writes down what the events of a node refuse.
pub(super) struct Scribe {
    chronicle: Arc<dyn Chronicle>,
    events: Mutex<Vec<Arc<Refusals>>>,
    /// One round at a time, so that refusals are written in their order.
    turn: tokio::sync::Mutex<()>,
}

impl Scribe {
    pub(super) fn new(chronicle: Arc<dyn Chronicle>) -> Arc<Self> {
        let turn = tokio::sync::Mutex::new(());
        Arc::new(Self { chronicle, events: Mutex::default(), turn })
    }

    /// The buffer of one more event.
    pub(super) fn listen(&self, event: EventNumber) -> Arc<Refusals> {
        let refusals = Arc::new(Refusals { event, heard: Mutex::default() });
        self.events.lock().push(Arc::clone(&refusals));
        refusals
    }

    /// A round every second; the last one once the owners have answered everybody.
    pub(super) async fn run(self: Arc<Self>, ended: CancellationToken) {
        let mut seconds = interval(EVERY);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = seconds.tick() => self.write().await,
                () = ended.cancelled() => return self.write().await,
            }
        }
    }

    /// One round: all buffers are written and empty, as far as there is time.
    pub(super) async fn write(&self) {
        let _turn = self.turn.lock().await;
        let deadline = Instant::now() + ROUND_MAX;
        let events = self.events.lock().clone();
        let mut failed = None;
        for refusals in events.iter().take_while(|_| Instant::now() < deadline) {
            let Heard { refused, dropped, .. } = std::mem::take(&mut *refusals.heard.lock());
            telemetry::refusals_dropped("buffer-full", dropped);
            if refused.is_empty() {
                continue;
            }
            let written =
                timeout_at(deadline, self.chronicle.write(refusals.event, &refused)).await;
            let late = |_| Err(ChronicleUnavailable("no answer in time".into()));
            if let Err(error) = written.unwrap_or_else(late) {
                telemetry::refusals_dropped("not-written", refused.len() as u64);
                failed = Some(error);
            }
        }
        if let Some(error) = failed {
            tracing::warn!(%error, "what was refused will not be told");
        }
    }
}
