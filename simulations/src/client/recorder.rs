//! What all buyers have asked and were told, in the order in which they learnt it.

use std::sync::{Arc, Mutex};

use taquilla_auditor::Recorded;

/// A shared recording. Bounded by the length of the drill: about 2 kB a request.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    kept: Arc<Mutex<Vec<Recorded>>>,
}

impl Recorder {
    /// Keeps one more.
    pub fn keep(&self, record: Recorded) {
        self.kept.lock().expect("nobody panics with the recording in hand").push(record);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.lock().expect("nobody panics with the recording in hand").len()
    }

    /// Whether nobody has asked anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many from the given one on are so.
    pub fn count_from(&self, first: usize, so: impl Fn(&Recorded) -> bool) -> usize {
        let kept = self.kept.lock().expect("nobody panics with the recording in hand");
        kept[first.min(kept.len())..].iter().filter(|record| so(record)).count()
    }

    /// Looks at everything.
    pub fn read<T>(&self, look: impl FnOnce(&[Recorded]) -> T) -> T {
        look(&self.kept.lock().expect("nobody panics with the recording in hand"))
    }

    /// Everything, leaving nothing.
    #[must_use]
    pub fn take(&self) -> Vec<Recorded> {
        std::mem::take(&mut *self.kept.lock().expect("nobody panics with the recording in hand"))
    }
}
