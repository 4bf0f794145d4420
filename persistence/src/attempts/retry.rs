//! Once more, after a pause, for work that may be repeated.

use std::time::Duration;

use crate::database::DatabaseError;

/// A failover lasts longer than any number of tries that a caller would wait for.
const TRIES_MAX: u32 = 3;
/// Doubled each time; the actual pause is anything below.
const PAUSE_BASE: Duration = Duration::from_millis(50);

/// Runs `work` until it succeeds, fails for good, or has failed `TRIES_MAX` times. Only passing
/// failures that `may_repeat` allows are tried again. Each run is bounded by the database's own
/// deadline.
pub(super) async fn passing<T, W>(
    may_repeat: impl Fn(&DatabaseError) -> bool,
    work: impl Fn() -> W,
) -> Result<T, DatabaseError>
where
    W: Future<Output = Result<T, DatabaseError>>,
{
    let mut tried = 1;
    loop {
        match work().await {
            Err(error) if tried < TRIES_MAX && error.is_passing() && may_repeat(&error) => {
                tracing::debug!(error = %error, tried, "trying again");
                let pause = PAUSE_BASE * 2_u32.pow(tried);
                tokio::time::sleep(pause.mul_f64(rand::random::<f64>())).await;
                tried += 1;
            }
            result => return result,
        }
    }
}
