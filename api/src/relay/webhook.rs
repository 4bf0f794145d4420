//! Somebody's endpoint: each message posted, signed, one after the other, and every try noted.
//!
//! What is not taken is tried again for as long as it takes; those behind it wait, being later. What an endpoint refuses
//! as it is, time and again, is parked soon, for somebody to look at, and so is what is not taken for days while others are.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Response, StatusCode, Url, redirect};
use taquilla_engine::clock::Clock;
use taquilla_engine::later::Later;
use taquilla_persistence::deliveries::{Deliveries, MessageName, Noted, Tried};
use taquilla_persistence::in_full;
use tokio::time::Instant;

use super::signature::SigningSecrets;
use super::{Message, Repeat, Sink, SinkError, metric};
use crate::background::backoff;

/// For one to be answered.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is noted of an error.
const ERROR_MAX: usize = 300;

/// What is read of an answer.
const ANSWER_MAX: usize = 65_536;

/// A message that is not taken for so long, while others are, is what is wrong.
const TRIED_MAX: Duration = Duration::from_secs(72 * 3_600);

/// Who is told what.
#[derive(Clone)]
pub struct WebhookSettings {
    /// In configuration, metrics, the log of deliveries and commands.
    pub name: String,
    /// Where it is posted.
    pub url: Url,
    /// What it is signed with.
    pub secrets: SigningSecrets,
    /// Of [`super::KINDS`]; none named, all of them.
    pub types: Vec<String>,
    /// How a message is tried again that is refused.
    pub refusals: Refusals,
}

/// An address may hold a secret of the endpoint's.
impl fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSettings").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How a message is tried again that is refused as it is.
#[derive(Clone, Copy, Debug)]
pub struct Refusals {
    /// After the first; doubled with each, the actual pause is half of it or more.
    pub first_pause: Duration,
    /// No pause is longer.
    pub longest_pause: Duration,
    /// So many, and the message is parked. Those behind it in its event, or in all orders' money, wait until then.
    pub max: u32,
}

impl Default for Refusals {
    fn default() -> Self {
        let (first_pause, longest_pause) = (Duration::from_secs(1), Duration::from_secs(4));
        Self { first_pause, longest_pause, max: 3 }
    }
}

impl Refusals {
    fn pause_after(&self, refusals: u32) -> Duration {
        backoff(self.first_pause, self.longest_pause, refusals)
    }
}

/// An endpoint.
pub struct WebhookSink {
    settings: WebhookSettings,
    deliveries: Deliveries,
    clock: Arc<dyn Clock>,
    client: Client,
}

impl WebhookSink {
    /// Posts nothing yet.
    ///
    /// # Panics
    /// If no TLS can be had at all.
    #[must_use]
    pub fn new(settings: WebhookSettings, deliveries: Deliveries, clock: Arc<dyn Clock>) -> Self {
        // Who is told is who was named: an answer that points elsewhere is no delivery.
        let client = Client::builder()
            .timeout(PATIENCE)
            .redirect(redirect::Policy::none())
            .user_agent(concat!("taquilla/", env!("CARGO_PKG_VERSION")))
            .build()
            .expect("the TLS that is built in starts");
        Self { settings, deliveries, clock, client }
    }

    async fn deliver(
        &self,
        messages: &[Message],
        repeat: Repeat<'_>,
        until: Instant,
    ) -> Result<(), SinkError> {
        if messages.is_empty() {
            return Ok(());
        }
        let ids: Vec<&str> = messages.iter().map(|message| message.id.as_str()).collect();
        let settled = match repeat {
            Repeat::No => self.deliveries.settled(&self.settings.name, &ids).await?,
            Repeat::Run(_) => HashSet::new(),
        };
        for message in messages.iter().filter(|message| !settled.contains(&message.id)) {
            if Instant::now() + PATIENCE > until {
                return Err(SinkError::OutOfTime);
            }
            self.deliver_one(message, repeat).await?;
        }
        Ok(())
    }

    async fn deliver_one(&self, message: &Message, repeat: Repeat<'_>) -> Result<(), SinkError> {
        let sink = self.settings.name.as_str();
        let tried = self.post(message).await;
        let Message { id, kind, event, .. } = message;
        // What an operator repeats is tried by nobody else afterwards: only that it came counts.
        let counts = repeat == Repeat::No || matches!(tried, Tried::Delivered { .. });
        let noted = if counts {
            let name = MessageName { id, kind, event: *event };
            self.deliveries.note(sink, name, &tried, TRIED_MAX).await?
        } else {
            Noted { refusals: 1, is_stuck: false }
        };
        let refused_too_often = noted.refusals >= self.settings.refusals.max;
        match tried {
            Tried::Delivered { .. } => Ok(()),
            Tried::Refused { .. } if refused_too_often => self.park(id).await,
            Tried::Away { .. } if noted.is_stuck => self.park(id).await,
            Tried::Away { error, .. } => Err(SinkError::away(error)),
            Tried::Refused { .. } => {
                let pause = self.settings.refusals.pause_after(noted.refusals);
                Err(SinkError::Refused { message: id.clone(), pause })
            }
        }
    }

    async fn park(&self, message: &str) -> Result<(), SinkError> {
        let sink = self.settings.name.as_str();
        self.deliveries.park(sink, message).await?;
        tracing::error!(sink, message, "a message is not taken, and no longer tried");
        metric::parked(sink);
        Ok(())
    }

    async fn post(&self, message: &Message) -> Tried {
        let seconds = self.clock.now().0.div_euclid(1_000_000);
        let signature = self.settings.secrets.sign(&message.id, seconds, &message.body);
        let request = self
            .client
            .post(self.settings.url.clone())
            .header(CONTENT_TYPE, "application/cloudevents+json")
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", signature)
            .body(message.body.clone());
        match request.send().await {
            Ok(answer) => {
                let status = answer.status();
                read_away(answer).await;
                judged(status)
            }
            // The address may hold a secret of the endpoint's.
            Err(error) => Tried::Away { status: None, error: in_short(&error.without_url()) },
        }
    }
}

/// An answer that is read to its end leaves its connection for the next message. What it says is nobody's affair.
async fn read_away(mut answer: Response) {
    let mut read = 0;
    while let Ok(Some(chunk)) = answer.chunk().await {
        read += chunk.len();
        if read > ANSWER_MAX {
            return;
        }
    }
}

/// A refusal is of this very message; whatever else is not a yes has nothing to do with what was posted.
fn judged(status: StatusCode) -> Tried {
    let code = status.as_u16();
    match code {
        200..=299 => Tried::Delivered { status: code },
        400 | 409 | 413 | 415 | 422 => Tried::Refused { status: code },
        _ => Tried::Away { status: Some(code), error: format!("it answered {status}") },
    }
}

fn in_short(error: &dyn Error) -> String {
    in_full(error).to_string().chars().take(ERROR_MAX).collect()
}

impl Sink for WebhookSink {
    fn wants(&self, kind: &str) -> bool {
        let types = &self.settings.types;
        types.is_empty() || types.iter().any(|wanted| wanted == kind)
    }

    /// One batch: it is known again by its messages' names, and those are looked up together.
    fn at_once(&self) -> usize {
        1
    }

    fn publish<'a>(
        &'a self,
        messages: &'a [Message],
        repeat: Repeat<'a>,
        until: Instant,
    ) -> Later<'a, Result<(), SinkError>> {
        Box::pin(self.deliver(messages, repeat, until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wrong_with_the_message_counts_against_it() {
        let refused = |code: u16| {
            let status = StatusCode::from_u16(code).expect("a status");
            match judged(status) {
                Tried::Delivered { .. } => "delivered",
                Tried::Refused { .. } => "refused",
                Tried::Away { .. } => "away",
            }
        };
        for code in [200, 202, 204] {
            assert_eq!(refused(code), "delivered", "{code}");
        }
        for code in [400, 409, 413, 415, 422] {
            assert_eq!(refused(code), "refused", "{code}");
        }
        for code in [301, 302, 401, 403, 404, 405, 408, 410, 425, 429, 500, 502, 503] {
            assert_eq!(refused(code), "away", "{code}");
        }
    }
}
