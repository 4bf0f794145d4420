//! Bells for those who wait for an order's next change. A bell says "look again", nothing else: the
//! truth is in the rows.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::id::OrderId;

/// One bell for each order that somebody waits for; bounded by those who wait.
#[derive(Debug, Default)]
pub struct OrderBells {
    bells: Mutex<HashMap<OrderId, Weak<Notify>>>,
}

/// Listens for one order. Take it before the first look at the rows, or a change may slip between.
#[derive(Debug)]
pub struct OrderBell {
    bells: Arc<OrderBells>,
    order: OrderId,
    bell: Option<Arc<Notify>>,
}

impl OrderBells {
    /// A bell that rings from now on.
    #[must_use]
    pub fn listen(self: &Arc<Self>, order: OrderId) -> OrderBell {
        let mut bells = self.bells.lock();
        let bell = bells.get(&order).and_then(Weak::upgrade).unwrap_or_default();
        bells.insert(order, Arc::downgrade(&bell));
        OrderBell { bells: Arc::clone(self), order, bell: Some(bell) }
    }

    /// Wakes all who listen for these orders.
    pub fn ring(&self, orders: &[OrderId]) {
        let bells = self.bells.lock();
        for bell in orders.iter().filter_map(|order| bells.get(order)?.upgrade()) {
            bell.notify_waiters();
        }
    }
}

impl OrderBell {
    /// The next ring. Created before a look and awaited after it, it misses nothing.
    ///
    /// # Panics
    /// Never: the bell is there until it is dropped.
    pub fn rung(&self) -> impl Future<Output = ()> + '_ {
        self.bell.as_ref().expect("a bell is there until it is dropped").notified()
    }
}

impl Drop for OrderBell {
    fn drop(&mut self) {
        self.bell = None;
        let mut bells = self.bells.bells.lock();
        if bells.get(&self.order).is_some_and(|bell| bell.strong_count() == 0) {
            bells.remove(&self.order);
        }
    }
}
