//! Waiting for a condition, with a deadline: the only way in which anything here waits.

use std::time::{Duration, Instant};

use crate::DrillError;

const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Looks until `condition` gives something; an error when the deadline passes first.
pub(crate) async fn until<T>(
    for_what: &str,
    limit: Duration,
    mut condition: impl AsyncFnMut() -> Result<Option<T>, DrillError>,
) -> Result<T, DrillError> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(found) = condition().await? {
            return Ok(found);
        }
        if Instant::now() >= deadline {
            let for_what = for_what.to_owned();
            return Err(DrillError::Late { for_what, after_seconds: limit.as_secs() });
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
