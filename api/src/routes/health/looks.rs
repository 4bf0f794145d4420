//! Whether the database answers, seen once for all who ask within a second: anybody may ask, as often as he
//! likes, and a look takes a connection that a purchase may want.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::problem::Problem;
use crate::turns::{TurnBounds, Turns};

/// A balancer asks every few seconds, and takes a process out after two or three answers.
const GOOD_FOR: Duration = Duration::from_secs(1);
/// Whoever waits takes some hundred bytes; the database takes five seconds at its worst.
const WAITING: TurnBounds =
    TurnBounds { keys_max: 1, queue_max: 4_096, patience: Duration::from_secs(5) };

/// How the last look went.
#[derive(Clone)]
pub(in crate::routes) struct DatabaseLooks(Arc<Looks>);

struct Looks {
    last: Mutex<Option<(Instant, Result<(), Problem>)>>,
    turns: Turns<()>,
}

impl Default for DatabaseLooks {
    fn default() -> Self {
        Self(Arc::new(Looks { last: Mutex::default(), turns: Turns::new(WAITING) }))
    }
}

impl DatabaseLooks {
    /// What was seen within the last second, or is seen now.
    pub(super) async fn last_or(
        &self,
        look: impl Future<Output = Result<(), Problem>>,
    ) -> Result<(), Problem> {
        if let Some(seen) = self.last() {
            return seen;
        }
        let _turn = self.0.turns.take(()).await?;
        if let Some(seen) = self.last() {
            return seen;
        }
        let seen = look.await;
        *self.0.last.lock() = Some((Instant::now(), seen.clone()));
        seen
    }

    fn last(&self) -> Option<Result<(), Problem>> {
        let last = self.0.last.lock();
        let (at, seen) = last.as_ref()?;
        (at.elapsed() < GOOD_FOR).then(|| seen.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures_util::future::join_all;
    use tokio::time::{advance, sleep};

    use super::*;
    use crate::problem::overloaded;

    #[tokio::test(start_paused = true)]
    async fn one_look_is_for_all_who_ask_within_a_second_whatever_was_seen() {
        let looks = DatabaseLooks::default();
        let (taken, is_well) = (AtomicU32::new(0), AtomicU32::new(1));
        let look = || async {
            taken.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(20)).await;
            if is_well.load(Ordering::Relaxed) == 1 { Ok(()) } else { Err(overloaded()) }
        };
        let ask = async |how_many: usize| {
            let all = join_all((0..how_many).map(|_| looks.last_or(look()))).await;
            (all.iter().filter(|it| it.is_ok()).count(), taken.load(Ordering::Relaxed))
        };
        assert_eq!(ask(1_000).await, (1_000, 1));
        is_well.store(0, Ordering::Relaxed);
        advance(GOOD_FOR - Duration::from_millis(1)).await;
        assert_eq!(ask(1_000).await, (1_000, 1));
        advance(Duration::from_millis(1)).await;
        assert_eq!(ask(1_000).await, (0, 2));
        advance(GOOD_FOR).await;
        assert_eq!(ask(1).await, (0, 3));
    }
}
