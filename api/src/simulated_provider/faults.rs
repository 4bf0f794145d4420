//! Faults drawn from a seed: the same requests under the same seed have the same faults.
//!
//! What a fault meets is drawn from the seed and a request's key, or a webhook's id, never from a
//! clock or an order, so neither a restart nor a race changes it.

use std::str::FromStr;
use std::time::Duration;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::idempotency_key::IdempotencyKey;
use super::ledger::Fault;

/// A reordered webhook leaves up to so much later than it would.
const DELAY_MAX_MS: f64 = 3_000.0;

/// How often each kind of fault is met, 0 to 1, and the seed that says when.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Faults {
    /// A POST does its work and is never answered; a repeat after the work is.
    pub timeout: f64,
    /// A POST is answered with an error, half of them with the work done, and so is each repeat.
    pub error: f64,
    /// A webhook is sent twice.
    pub duplicate: f64,
    /// A webhook leaves 0 to 3 s late.
    pub reorder: f64,
    /// Where the draws begin.
    pub seed: u64,
}

/// What a new request meets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestFaults {
    pub(super) is_silent: bool,
    pub(super) error: Option<Fault>,
}

/// What a webhook meets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WebhookFaults {
    pub(super) is_doubled: bool,
    pub(super) delay: Duration,
}

impl Faults {
    pub(super) fn of_request(&self, key: &IdempotencyKey) -> RequestFaults {
        let draw = |what| self.draw(what, key.as_str().as_bytes());
        let error = (draw("error") < self.error).then(|| match draw("error when") < 0.5 {
            true => Fault::BeforeTheWork,
            false => Fault::AfterTheWork,
        });
        RequestFaults { is_silent: draw("timeout") < self.timeout, error }
    }

    pub(super) fn of_webhook(&self, event_id: Uuid) -> WebhookFaults {
        let draw = |what| self.draw(what, event_id.as_bytes());
        let is_late = draw("reorder") < self.reorder;
        let delay_ms = if is_late { draw("reorder by") * DELAY_MAX_MS } else { 0.0 };
        WebhookFaults {
            is_doubled: draw("duplicate") < self.duplicate,
            delay: Duration::from_secs_f64(delay_ms / 1_000.0),
        }
    }

    /// At least 0 and less than 1.
    fn draw(&self, what: &str, about: &[u8]) -> f64 {
        let mut digest = Sha256::new();
        digest.update(self.seed.to_be_bytes());
        digest.update(what.as_bytes());
        digest.update([0]);
        digest.update(about);
        let digest = digest.finalize();
        let mut first = [0; 4];
        first.copy_from_slice(&digest[..4]);
        f64::from(u32::from_be_bytes(first)) / (f64::from(u32::MAX) + 1.0)
    }
}

/// `timeout=0.2,error=0.2,duplicate=0.2,reorder=0.2`, each at most once; the seed is set apart.
impl FromStr for Faults {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut faults = Self::default();
        let mut named = Vec::new();
        for part in text.split(',') {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is no fault; one is written as timeout=0.2"))?;
            let share = match name {
                "timeout" => &mut faults.timeout,
                "error" => &mut faults.error,
                "duplicate" => &mut faults.duplicate,
                "reorder" => &mut faults.reorder,
                _ => {
                    return Err(format!(
                        "`{name}` is no fault; known are timeout, error, duplicate, reorder"
                    ));
                }
            };
            if named.contains(&name) {
                return Err(format!("{name} is said twice"));
            }
            named.push(name);
            *share = value
                .parse()
                .ok()
                .filter(|share| (0.0..=1.0).contains(share))
                .ok_or_else(|| format!("{name} is a share from 0 to 1, not `{value}`"))?;
        }
        Ok(faults)
    }
}
