//! Cancellations at work: every order of an event that does not take place is given back, one command
//! each, a page at a time. Killed at any point, it goes on where rows say that something is left.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::backoff;
use super::handle::EventHandle;
use super::node::Node;
use crate::answer::Outcome;
use crate::cancellation::{CancelledEvent, LeftToGiveBack, LeftUnknown};
use crate::command::Command;
use crate::id::EventNumber;
use crate::refund::{Cause, TicketReturn};

/// How often is looked for what is left.
const EVERY: Duration = Duration::from_secs(2);
/// How soon an event of which nothing was left is looked at again: a sale that was being confirmed when
/// it was cancelled comes within seconds.
const DONE_AGAIN: Duration = Duration::from_secs(30);
const DONE_AGAIN_MAX: Duration = Duration::from_secs(3_600);
/// Orders that are given back at once; buyers' commands of other events pass between them.
const PAGE: u16 = 32;
/// How long one of them may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Gives cancelled events back.
pub struct Cancellations {
    node: Arc<Node>,
    left: Arc<dyn LeftToGiveBack>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

/// When an event of which nothing was left is looked at again.
#[derive(Clone, Copy)]
struct Done {
    until: Instant,
    times: u32,
}

impl Cancellations {
    /// Of this node's events.
    #[must_use]
    pub fn new(node: Arc<Node>, left: Arc<dyn LeftToGiveBack>) -> Arc<Self> {
        let (tasks, stopping) = (TaskTracker::new(), CancellationToken::new());
        Arc::new(Self { node, left, tasks, stopping })
    }

    /// Looks for what is left from now on.
    pub fn keep_up(self: &Arc<Self>) {
        let this = Arc::clone(self);
        self.tasks.spawn(async move {
            let rounds = async {
                let mut done = HashMap::new();
                loop {
                    if let Err(error) = this.round_without(&mut done).await {
                        tracing::warn!(%error, "cancellations wait");
                    }
                    sleep(EVERY).await;
                }
            };
            this.stopping.run_until_cancelled(rounds).await;
        });
    }

    /// Stops. What is left is for the next process.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Gives back what is left of all cancelled events that are this node's; says how many orders.
    ///
    /// # Errors
    /// [`LeftUnknown`] if rows cannot be read.
    pub async fn round(&self) -> Result<usize, LeftUnknown> {
        self.round_without(&mut HashMap::new()).await
    }

    async fn round_without(
        &self,
        done: &mut HashMap<EventNumber, Done>,
    ) -> Result<usize, LeftUnknown> {
        let mut given_back = 0;
        for cancelled in self.left.cancelled().await? {
            let event = cancelled.event;
            let Some(handle) = self.node.event(event) else { continue };
            let before = done.get(&event).copied();
            if before.is_some_and(|it| Instant::now() < it.until) {
                continue;
            }
            let orders = self.give_back(&handle, &cancelled).await?;
            given_back += orders;
            if orders > 0 {
                done.remove(&event);
                tracing::info!(?event, orders, "orders of a cancelled event were given back");
            } else {
                let times = before.map_or(0, |it| it.times.saturating_add(1));
                let pause = backoff::doubled(DONE_AGAIN, times, DONE_AGAIN_MAX);
                done.insert(event, Done { until: Instant::now() + pause, times });
            }
        }
        Ok(given_back)
    }

    /// All that is left of one event, or as much as its owner takes: what it does not is left for the
    /// next round.
    async fn give_back(
        &self,
        event: &EventHandle,
        cancelled: &CancelledEvent,
    ) -> Result<usize, LeftUnknown> {
        let (mut given_back, mut after) = (0, None);
        loop {
            let page = self.left.in_force(cancelled.event, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(given_back) };
            after = Some(last.order.id);
            let mut returns: JoinSet<bool> = page
                .into_iter()
                .map(|sold| {
                    let CancelledEvent { reason, who, .. } = cancelled.clone();
                    let asked = TicketReturn::of_all(sold, Cause::Cancellation, reason, who);
                    let event = event.clone();
                    async move {
                        let command = Command::ReturnTickets(Box::new(asked));
                        let answer = event.submit(command, PATIENCE).await;
                        answer.is_ok_and(|it| matches!(it.outcome, Outcome::Refunded(_)))
                    }
                })
                .collect();
            while let Some(returned) = returns.join_next().await {
                given_back += usize::from(returned.unwrap_or(false));
            }
        }
    }
}
