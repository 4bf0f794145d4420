//! A recorder that keeps counters only, each by its name and its label `reason` or `what`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use parking_lot::Mutex;

#[derive(Default)]
pub(crate) struct Counters(Mutex<HashMap<(String, String), Arc<AtomicU64>>>);

impl Counters {
    pub(crate) fn of(&self, name: &str, reason: &str) -> u64 {
        let counters = self.0.lock();
        let counter = counters.get(&(name.to_owned(), reason.to_owned()));
        counter.map_or(0, |counter| counter.load(Ordering::SeqCst))
    }
}

impl Recorder for Counters {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let reason = key.labels().find(|label| ["reason", "what"].contains(&label.key()));
        let reason = reason.map_or(String::new(), |label| label.value().to_owned());
        let mut counters = self.0.lock();
        let counter = counters.entry((key.name().to_owned(), reason)).or_default();
        Counter::from_arc(Arc::clone(counter))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}
