//! What all buyers of the opening share, and one buyer's requests in it.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use taquilla_auditor::Recorded;

use super::Plan;
use super::book::{Book, Fate};
use super::door::{Ask, Door};
use super::hall::House;
use super::passes::Passes;
use super::tally::Tally;
use crate::client::{Answer, Recorder};
use crate::stage::Stage;
use crate::{DrillError, patience};

/// Connections of all buyers together.
const CONNECTIONS: usize = 192;
/// Of those let in, so many are remembered for those who would use their tokens.
const SHOWN_MAX: usize = 64;

/// Everything but the stage.
#[derive(Debug)]
pub(super) struct Sale {
    pub(super) plan: Plan,
    pub(super) house: House,
    pub(super) door: Door,
    pub(super) passes: Passes,
    pub(super) event: String,
    /// Another event with a waiting room.
    pub(super) other: String,
    pub(super) book: Book,
    pub(super) tally: Tally,
    pub(super) recorder: Recorder,
    sold_out: AtomicBool,
    shown: Mutex<Vec<Shown>>,
}

/// A token that somebody was let in with.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) buyer: u32,
    pub(super) token: String,
    pub(super) until: String,
}

impl Sale {
    pub(super) fn new(
        plan: Plan,
        house: House,
        stage: &Stage,
        [event, other]: [String; 2],
    ) -> Result<Self, DrillError> {
        let address: SocketAddr = stage
            .url()
            .trim_start_matches("http://")
            .parse()
            .map_err(|error| DrillError::Broken(format!("{}: {error}", stage.url())))?;
        Ok(Self {
            plan,
            house,
            door: Door::new(address, CONNECTIONS),
            passes: Passes::new(stage.token_key()),
            event,
            other,
            book: Book::new(plan.buyers),
            tally: Tally::default(),
            recorder: Recorder::default(),
            sold_out: AtomicBool::new(false),
            shown: Mutex::default(),
        })
    }

    /// A buyer's request.
    pub(super) fn ask(&self, buyer: u32, method: &'static str, path: impl Into<String>) -> Ask {
        Ask::new(method, path, self.passes.of(&name(buyer), 0, ""))
    }

    /// About his place.
    pub(super) fn queue(&self, buyer: u32, method: &'static str) -> Ask {
        self.ask(buyer, method, format!("/events/{}/queue", self.event))
    }

    /// Joins, or asks for his place; what he was told is in the book.
    pub(super) async fn place(
        &self,
        buyer: u32,
        method: &'static str,
        may_fall_back: bool,
    ) -> Result<Value, DrillError> {
        let (answer, took) = self.door.settle(&self.queue(buyer, method)).await?;
        self.tally.queue.add(took);
        if !answer.is_success() {
            self.book.fault(format!("buyer {buyer}: {method} of his place: {answer:?}"));
            return Ok(Value::Null);
        }
        self.book.told(buyer, &answer.body, may_fall_back);
        Ok(answer.body)
    }

    /// Gives his place up.
    pub(super) async fn leave(&self, buyer: u32) -> Result<(), DrillError> {
        let (answer, _) = self.door.settle(&self.queue(buyer, "DELETE")).await?;
        if answer.status != Some(204) {
            self.book.fault(format!("buyer {buyer} may not leave: {answer:?}"));
        }
        Ok(())
    }

    /// Joins while he may just be leaving: what he is told is good for this moment only, and is no better than
    /// what he had.
    pub(super) async fn queue_again(&self, buyer: u32) -> Result<(), DrillError> {
        self.place(buyer, "POST", true).await.map(drop)
    }

    /// Asks for a hold with this token, which is not his, and is refused.
    pub(super) async fn is_kept_out(
        &self,
        buyer: u32,
        token: &str,
        why: &str,
    ) -> Result<(), DrillError> {
        let body = json!({"event_id": self.event, "best_available": {"quantity": 1}});
        let ask = self.ask(buyer, "POST", "/holds").body(body);
        let ask = ask.with("Idempotency-Key", why.replace(' ', "-"));
        let ask = ask.with("Admission-Token", token);
        let (answer, _) = self.door.settle(&ask).await?;
        if (answer.status, answer.slug()) != (Some(403), Some("admission-required")) {
            self.book.fault(format!("buyer {buyer} with {why}: {answer:?}"));
        }
        Ok(())
    }

    /// A buyer's request that is kept for the auditor.
    pub(super) async fn recorded(&self, buyer: u32, ask: &Ask) -> Result<Answer, DrillError> {
        let keep = |at_start: DateTime<Utc>, answer: &Answer| {
            let key = ask.headers.iter().find(|(name, _)| *name == "Idempotency-Key");
            self.recorder.keep(Recorded {
                at_start,
                at_end: Utc::now(),
                buyer: name(buyer),
                method: ask.method.into(),
                path: ask.path.clone(),
                key: key.map(|(_, key)| key.clone()),
                request: ask.body.clone(),
                status: answer.status,
                answer: answer.body.clone(),
            });
        };
        let (answer, took) = self.door.settle_with(ask, keep).await?;
        self.tally.sale.add(took);
        Ok(answer)
    }

    /// Asks for the last time, when everything is sold, and is told that nothing is to be hoped for.
    pub(super) async fn hears_the_end(&self, buyer: u32) -> Result<(), DrillError> {
        let mut said = Value::Null;
        // What is left is measured once a second, by a server that may just have begun.
        for _ in 0..20 {
            said = self.place(buyer, "GET", false).await?;
            if said["outlook"] == "unlikely" {
                self.book.set(buyer, Fate::SoldOut);
                return Ok(());
            }
            tokio::time::sleep(patience::SOON * 50).await;
        }
        self.book.fault(format!("buyer {buyer} is not told that all is sold: {said}"));
        Ok(())
    }

    pub(super) fn is_sold_out(&self) -> bool {
        self.sold_out.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) {
        self.sold_out.store(true, Ordering::Relaxed);
    }

    /// Remembers the token of one who was let in.
    pub(super) fn show(&self, shown: Shown) {
        let mut all = self.shown.lock().expect("nobody panics with the tokens in hand");
        if all.len() < SHOWN_MAX {
            all.push(shown);
        }
    }

    /// Tokens of those who were let in.
    pub(super) fn shown(&self) -> Vec<Shown> {
        self.shown.lock().expect("nobody panics with the tokens in hand").clone()
    }
}

/// What a buyer is called.
pub(super) fn name(buyer: u32) -> String {
    format!("buyer-{buyer}")
}
