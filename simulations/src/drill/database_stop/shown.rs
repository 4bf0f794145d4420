//! What everybody may look at while the database is away: it stays up, and says of when it is.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Client;
use serde_json::Value;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::DrillError;

/// Between two rounds.
const EVERY: Duration = Duration::from_millis(500);

/// Each is answered from memory.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// Lists and pages are as old as the last look at the rows.
const ROWS_LATER_MAX: TimeDelta = TimeDelta::seconds(1);

/// A map is its owner's, who decides until he gives up the batch that is not answered: 5 s, and a tick.
const MAP_LATER_MAX: TimeDelta = TimeDelta::seconds(8);

/// Looks at search, an event's page and its map until it is told, which is before the database is back. How often
/// each was seen.
pub(super) async fn stays_up(
    site: String,
    event: String,
    gone_at: DateTime<Utc>,
    back: CancellationToken,
) -> Result<u64, DrillError> {
    let http = Client::builder().timeout(ANSWER_MAX).build()?;
    let paths = [
        ("/events?q=noche&limit=5".to_owned(), ROWS_LATER_MAX),
        (format!("/events/{event}"), ROWS_LATER_MAX),
        (format!("/events/{event}/availability"), MAP_LATER_MAX),
    ];
    let mut seen = 0;
    while !back.is_cancelled() {
        for (path, later_max) in &paths {
            let answer = http.get(format!("{site}{path}")).send().await?;
            let (status, body) = (answer.status(), answer.json::<Value>().await?);
            let says = |what: &str| {
                let told = format!("{path} {what} while the database was away: {status} {body}");
                DrillError::Broken(told.chars().take(600).collect())
            };
            if !status.is_success() {
                return Err(says("was not there"));
            }
            let as_of = body["as_of"].as_str().and_then(|it| DateTime::parse_from_rfc3339(it).ok());
            let as_of = as_of.ok_or_else(|| says("did not say of when it is"))?;
            if as_of.with_timezone(&Utc) > gone_at + *later_max {
                return Err(says("said that it was of now"));
            }
        }
        seen += 1;
        sleep(EVERY).await;
    }
    Ok(seen)
}
