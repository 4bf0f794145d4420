//! Work beside the answering of requests. Each task has an owner that ends it, and what a process cannot
//! do without begins again after a bug in it.
//!
//! Whatever is cut off by an end must be something that the next start does again.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long kept work rests after a bug in it, where no pacing says otherwise.
pub(crate) const REST: Duration = Duration::from_secs(5);

/// Tasks with an owner.
#[derive(Default)]
pub struct Background {
    stopping: CancellationToken,
    tasks: TaskTracker,
}

impl Background {
    /// Does this as well, until it ends or the process does.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(self.stopping.clone().run_until_cancelled_owned(work));
    }

    /// Does this as well, until it ends by itself, which it is to do once it is told.
    pub fn spawn_told<F>(&self, work: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.tasks.spawn(work(self.stopping.clone()));
    }

    /// Does this as well until the process ends, and begins it again, about `pause` later, whenever a bug
    /// has ended it. `what` says in the log whose end that was.
    pub fn keep<F>(
        &self,
        what: &'static str,
        pause: Duration,
        work: impl Fn() -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let (stopping, tasks) = (self.stopping.clone(), self.tasks.clone());
        self.spawn(async move {
            loop {
                // A task of its own, so that its panic ends nothing else; a stop waits for it as well.
                let running = tasks.spawn(stopping.clone().run_until_cancelled_owned(work()));
                if let Err(error) = running.await {
                    tracing::error!(%error, "{what} has died and is started again");
                }
                sleep(jittered(pause)).await;
            }
        });
    }

    /// Ends all of it, and waits until it has ended.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Half of it or more, so that those who failed together do not come back together.
pub(crate) fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + 0.5 * rand::random::<f64>())
}

/// The pause after so many failures in a row, the first one being 1: doubled with each, no longer than `longest`, and
/// jittered.
pub(crate) fn backoff(first: Duration, longest: Duration, failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(20);
    jittered(first.saturating_mul(1 << doublings).min(longest))
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_kept_begins_again_after_a_panic_and_ends_with_its_owner() {
        let background = Background::default();
        let (begun, mut begins) = mpsc::unbounded_channel();
        background.keep("a test", REST, move || {
            let begun = begun.clone();
            async move {
                begun.send(Instant::now()).expect("the test listens");
                panic!("a bug");
            }
        });
        let first = begins.recv().await.expect("it begins");
        let again = begins.recv().await.expect("it begins again");
        let rested = again - first;
        assert!(rested >= REST / 2 && rested <= REST * 2, "{rested:?}");
        background.stop().await;
        while begins.recv().await.is_some() {}
    }
}
