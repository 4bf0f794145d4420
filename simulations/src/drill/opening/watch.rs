//! The public document, once a second for all of them, as a cache would give it: whoever it calls goes in. And
//! what is measured each second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::book::Fate;
use super::door::Ask;
use super::people::Person;
use super::sale::Sale;
use super::{shopper, tally};
use crate::DrillError;

const EVERY: Duration = Duration::from_secs(1);

/// One second of the evening.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Second {
    /// Since the beginning.
    pub(super) at: f64,
    pub(super) joined: u32,
    /// Positions called, by the public document; the last known while it does not answer.
    pub(super) served: u32,
    pub(super) admitted: u32,
    pub(super) holds: u32,
    pub(super) sold: u32,
    /// What the server says that it lets in.
    pub(super) rate: Option<f64>,
    /// The middle and the 99th percentile, in milliseconds.
    pub(super) queue_ms: [f64; 2],
    pub(super) sale_ms: [f64; 2],
    pub(super) is_answered: bool,
}

/// Who watches, until the sale is over and the last one inside has gone.
pub(super) struct Watch {
    sale: Arc<Sale>,
    operator: String,
    began: Instant,
    seconds: Vec<Second>,
    /// How often each reason kept the rate where it was.
    limits: BTreeMap<String, u32>,
    inside: JoinSet<Result<(), DrillError>>,
}

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Watched {
    pub(super) seconds: Vec<Second>,
    pub(super) limits: BTreeMap<String, u32>,
}

impl Watch {
    pub(super) fn new(sale: Arc<Sale>, began: Instant) -> Self {
        let operator = sale.passes.of("operator", 0, "operator");
        let (seconds, limits, inside) = Default::default();
        Self { sale, operator, began, seconds, limits, inside }
    }

    /// Watches until `over`, and lets those out who are inside. What was seen is there also when a buyer's
    /// request was never settled.
    pub(super) async fn until(
        mut self,
        over: Arc<AtomicBool>,
    ) -> (Watched, Result<(), DrillError>) {
        let ended = self.watch(&over).await;
        (Watched { seconds: self.seconds, limits: self.limits }, ended)
    }

    async fn watch(&mut self, over: &AtomicBool) -> Result<(), DrillError> {
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut called = 0;
        while !over.load(Ordering::Relaxed) {
            ticks.tick().await;
            let served = self.look().await;
            // Once all is sold nobody need be called to hear it.
            if served > called && !self.sale.is_sold_out() {
                self.let_in(called..served);
                called = served;
            }
            while let Some(ended) = self.inside.try_join_next() {
                ended.map_err(|error| DrillError::Broken(format!("a shopper: {error}")))??;
            }
        }
        while let Some(ended) = self.inside.join_next().await {
            ended.map_err(|error| DrillError::Broken(format!("a shopper: {error}")))??;
        }
        Ok(())
    }

    fn let_in(&mut self, positions: std::ops::Range<u32>) {
        for buyer in self.sale.book.standing(positions) {
            if !Person::of(&self.sale.plan, buyer).is_absent {
                self.sale.book.set(buyer, Fate::Inside);
                self.inside.spawn(shopper::visit(Arc::clone(&self.sale), buyer));
            }
        }
    }

    async fn look(&mut self) -> u32 {
        let path = format!("/events/{}/queue/now-serving", self.sale.event);
        let (answer, _) = self.sale.door.ask(&Ask::new("GET", path, String::new())).await;
        let last = self.seconds.last().copied().unwrap_or_default();
        let number = |member: &str| answer.body[member].as_u64().and_then(|it| it.try_into().ok());
        let served = number("served").unwrap_or(last.served);
        let joined = number("joined").unwrap_or(last.joined);
        if served < last.served || joined < last.joined {
            self.sale.book.fault(format!("the line went back from {last:?}: {answer:?}"));
        }
        let rate = self.rate().await;
        let tally = &self.sale.tally;
        self.seconds.push(Second {
            at: self.began.elapsed().as_secs_f64(),
            joined,
            served,
            admitted: tally::of(&tally.admitted),
            holds: tally::of(&tally.holds),
            sold: tally::of(&tally.sold),
            rate,
            queue_ms: tally.queue.take(),
            sale_ms: tally.sale.take(),
            is_answered: answer.is_success(),
        });
        self.say();
        served
    }

    /// What the operator is told of it, where the server tells.
    async fn rate(&mut self) -> Option<f64> {
        let path = format!("/admin/events/{}/admission", self.sale.event);
        let (answer, _) = self.sale.door.ask(&Ask::new("GET", path, self.operator.clone())).await;
        if !answer.is_success() {
            return None;
        }
        if let Value::String(reason) = &answer.body["limited_by"] {
            *self.limits.entry(reason.clone()).or_default() += 1;
        }
        answer.body["rate_per_second"].as_f64()
    }

    fn say(&self) {
        let Some(Second { at, joined, served, admitted, holds, sold, sale_ms, .. }) =
            self.seconds.last()
        else {
            return;
        };
        if self.seconds.len() % 10 == 1 {
            println!(
                "  {at:>5.0} s: {joined} joined, {served} called, {admitted} let in, {holds} holds, \
                 {sold} sold, {:.0} ms at p99",
                sale_ms[1]
            );
        }
    }
}
