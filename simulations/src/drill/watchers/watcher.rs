//! One who watches the map: puts what has changed into what he has, and looks how old it is.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use serde_json::Value;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::DrillError;

/// What was seen.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Seen {
    pub(super) answers: u64,
    pub(super) whole: u64,
    pub(super) age_max: Duration,
}

impl Seen {
    pub(super) fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        self.whole += other.whole;
        self.age_max = self.age_max.max(other.age_max);
    }
}

/// One who watches.
pub(super) struct Watcher {
    http: reqwest::Client,
    url: String,
    version: Option<i64>,
    packed: Vec<u8>,
    seen: Seen,
}

impl Watcher {
    /// Who has seen nothing yet.
    pub(super) fn new(http: reqwest::Client, url: String) -> Self {
        Self { http, url, version: None, packed: Vec::new(), seen: Seen::default() }
    }

    /// Asks in this rhythm, until the end.
    pub(super) async fn watch(
        mut self,
        phase: Duration,
        every: Duration,
        stop: CancellationToken,
    ) -> Result<Self, DrillError> {
        sleep(phase).await;
        while !stop.is_cancelled() {
            self.look().await?;
            tokio::select! {
                () = stop.cancelled() => break,
                () = sleep(every) => {}
            }
        }
        Ok(self)
    }

    async fn look(&mut self) -> Result<(), DrillError> {
        let url = match self.version {
            None => self.url.clone(),
            Some(version) => format!("{}?since={version}", self.url),
        };
        let answer = self.http.get(url).send().await?;
        let status = answer.status();
        if !status.is_success() {
            return Err(DrillError::Broken(format!("the map was answered {status}")));
        }
        let map = answer.json().await?;
        self.seen.answers += 1;
        let as_of = DateTime::parse_from_rfc3339(text(&map, "as_of")?);
        let as_of = as_of.map_err(|_| broken("as_of", &map))?.with_timezone(&Utc);
        let age = (Utc::now() - as_of).to_std().unwrap_or_default();
        self.seen.age_max = self.seen.age_max.max(age);
        self.take_in(&map)
    }

    fn take_in(&mut self, map: &Value) -> Result<(), DrillError> {
        if map["seats"].is_string() {
            self.seen.whole += 1;
            let packed =
                STANDARD.decode(text(map, "seats")?).map_err(|_| broken("no base64", map))?;
            // A cache may have kept what is older than what was seen: one goes on with what one has.
            let version = number(map, "version")?;
            if self.version.is_none_or(|has| has < version) {
                (self.version, self.packed) = (Some(version), packed);
            }
            return Ok(());
        }
        if self.version != Some(number(map, "from")?) {
            return Err(broken("changes since another version", map));
        }
        let changes = map["changes"].as_array().ok_or_else(|| broken("changes", map))?;
        for change in changes {
            let [Some(seat), Some(state)] = [0, 1].map(|at| change[at].as_u64()) else {
                return Err(broken("a change", map));
            };
            let (seat, state) = (seat as usize, (state & 0b11) as u8);
            let shift = 2 * (seat % 4);
            let byte = self.packed.get_mut(seat / 4).ok_or_else(|| broken("no such seat", map))?;
            *byte = (*byte & !(0b11 << shift)) | (state << shift);
        }
        self.version = Some(number(map, "to")?);
        Ok(())
    }

    /// Goes on to the last map, and says what was seen if it is what has been put together.
    pub(super) async fn catch_up(mut self, last: &Value) -> Result<Seen, DrillError> {
        let version = number(last, "version")?;
        while self.version.is_none_or(|has| has < version) {
            self.look().await?;
        }
        let seats = text(last, "seats")?;
        // Versions after the last one that was asked for say something else.
        if self.version == Some(version) && STANDARD.encode(&self.packed) != seats {
            return Err(DrillError::Broken("a watcher has put together another map".into()));
        }
        Ok(self.seen)
    }
}

fn number(map: &Value, member: &str) -> Result<i64, DrillError> {
    map[member].as_i64().ok_or_else(|| broken(member, map))
}

fn text<'a>(map: &'a Value, member: &str) -> Result<&'a str, DrillError> {
    map[member].as_str().ok_or_else(|| broken(member, map))
}

fn broken(what: &str, map: &Value) -> DrillError {
    let shown: String = map.to_string().chars().take(200).collect();
    DrillError::Broken(format!("{what}: {shown}"))
}
