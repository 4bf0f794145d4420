//! What is underway on one link, and on all of them.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::Traffic;

/// One link's share of the counts, taken back when the link ends.
pub(super) struct Count {
    traffic: Arc<watch::Sender<Traffic>>,
    own: Mutex<Traffic>,
}

impl Count {
    /// Counts the link as open until this is dropped.
    pub(super) fn new(traffic: Arc<watch::Sender<Traffic>>) -> Count {
        traffic.send_modify(|all| all.connections += 1);
        Count { traffic, own: Mutex::default() }
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Traffic)) {
        let mut own = self.own.lock();
        let before = *own;
        change(&mut own);
        self.replace(before, *own, 0);
    }

    /// Puts this link's share right in the counts of all.
    fn replace(&self, before: Traffic, now: Traffic, connections_closed: usize) {
        self.traffic.send_modify(|all| {
            all.requests_held = all.requests_held - before.requests_held + now.requests_held;
            all.unanswered = all.unanswered - before.unanswered + now.unanswered;
            all.answers_held = all.answers_held - before.answers_held + now.answers_held;
            all.forwarded = all.forwarded - before.forwarded + now.forwarded;
            all.unanswered_peak = all.unanswered_peak.max(all.unanswered);
            all.connections -= connections_closed;
        });
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        let own = *self.own.lock();
        let forwarded = own.forwarded;
        self.replace(own, Traffic { forwarded, ..Traffic::default() }, 1);
    }
}
