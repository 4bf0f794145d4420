//! Waiting for a condition, with a deadline that is an error. Buyers have a patience of their own: when it
//! is over, they leave.

use std::time::{Duration, Instant};

use crate::DrillError;

/// Between two looks at what costs little to look at.
pub(crate) const SOON: Duration = Duration::from_millis(10);

/// What this comes to; an error when the deadline passes first.
pub(crate) async fn within<T>(
    for_what: &str,
    limit: Duration,
    what: impl Future<Output = T>,
) -> Result<T, DrillError> {
    tokio::time::timeout(limit, what).await.map_err(|_| late(for_what, limit))
}

/// Looks until `condition` gives something, with a pause after each look; an error when the deadline passes
/// first, be it in the middle of a look.
pub(crate) async fn until<T>(
    for_what: &str,
    limit: Duration,
    pause: Duration,
    mut condition: impl AsyncFnMut() -> Result<Option<T>, DrillError>,
) -> Result<T, DrillError> {
    let deadline = Instant::now() + limit;
    let looking = async {
        loop {
            if let Some(found) = condition().await? {
                return Ok(found);
            }
            if Instant::now() >= deadline {
                return Err(late(for_what, limit));
            }
            tokio::time::sleep(pause).await;
        }
    };
    within(for_what, limit + pause, looking).await?
}

fn late(for_what: &str, limit: Duration) -> DrillError {
    DrillError::Late { for_what: for_what.to_owned(), after_seconds: limit.as_secs() }
}
