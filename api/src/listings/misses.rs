//! Names that name nothing, remembered for a moment: whoever asks for one asks again.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// An event that another process makes is found after so long at the latest.
const KEPT: Duration = Duration::from_secs(1);

/// Some hundred KiB. One more than that within a second is not remembered.
const NAMES_MAX: usize = 1_024;

#[derive(Default)]
pub(super) struct Misses(Mutex<HashMap<String, Instant>>);

impl Misses {
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.lock().get(name).is_some_and(|noted| noted.elapsed() < KEPT)
    }

    pub(super) fn note(&self, name: String) {
        let mut names = self.0.lock();
        if names.len() >= NAMES_MAX {
            names.retain(|_, noted| noted.elapsed() < KEPT);
        }
        if names.len() < NAMES_MAX {
            names.insert(name, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_miss_is_remembered_for_a_second_and_they_are_bounded() {
        let misses = Misses::default();
        misses.note("nada".into());
        assert!(misses.has("nada") && !misses.has("noche"));
        (0..2 * NAMES_MAX).for_each(|name| misses.note(name.to_string()));
        assert_eq!(misses.0.lock().len(), NAMES_MAX);
        advance(KEPT).await;
        assert!(!misses.has("nada"));
        misses.note("otra".into());
        assert!(misses.has("otra"), "those that are over make room");
    }
}
