//! Who empties the outbox.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::redirect::Policy;
use reqwest::{Client, header};
use secrecy::ExposeSecret as _;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::outbox::{Letter, Outbox};
use super::{Endpoint, signature};
use crate::simulated_provider::books::{Books, BooksDesk};

/// How long an endpoint may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// Deliveries at a time.
const IN_FLIGHT_MAX: usize = 32;

/// The pauses after a failure: doubled each time, less up to a half of it, so that what failed
/// together does not come back together.
const PAUSE_MIN: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// What is older is given up.
const GIVEN_UP_AFTER: TimeDelta = TimeDelta::days(3);

/// Delivers what waits in an outbox.
pub(in crate::simulated_provider) struct Postman {
    outbox: Arc<Outbox>,
    books: BooksDesk,
    http: Client,
    now: fn() -> DateTime<Utc>,
}

impl Postman {
    /// Fails if the process cannot set up TLS.
    pub(in crate::simulated_provider) fn new(books: &Books) -> Result<Self, reqwest::Error> {
        let http = Client::builder()
            .timeout(DEADLINE)
            // Neither a proxy nor a redirect was told the secret.
            .no_proxy()
            .redirect(Policy::none())
            .build()?;
        Ok(Self { outbox: books.outbox(), books: books.desk(), http, now: books.now() })
    }

    /// Delivers for as long as it is polled. What is under way when it is dropped is told again
    /// after the next start.
    pub(in crate::simulated_provider) async fn deliver(&self) -> Infallible {
        let mut under_way = JoinSet::new();
        loop {
            while under_way.len() < IN_FLIGHT_MAX
                && let Some((letter, endpoint)) = self.outbox.take_due()
            {
                if (self.now)() - letter.event.entry.at > GIVEN_UP_AFTER {
                    let id = letter.event.id(self.outbox.instance);
                    tracing::warn!(event = %id, "a webhook was given up after three days");
                    continue;
                }
                under_way.spawn(self.send(letter, endpoint));
            }
            // With all places taken, the next one waits for a place.
            let due = self.outbox.next_due().filter(|_| under_way.len() < IN_FLIGHT_MAX);
            let until = due.map_or_else(Instant::now, Instant::from_std);
            tokio::select! {
                () = self.outbox.changed.notified() => {}
                () = sleep_until(until), if due.is_some() => {}
                Some(sent) = under_way.join_next() => match sent {
                    Ok((letter, true)) => self.books.acknowledge(letter.event.number).await,
                    Ok((letter, false)) => {
                        let pause = pause_after(letter.failures);
                        self.outbox.put_back(letter, pause);
                    }
                    Err(error) => tracing::error!(%error, "a delivery panicked"),
                },
            }
        }
    }

    /// One delivery, or two at once where the event wants two; and whether one was acknowledged.
    fn send(
        &self,
        mut letter: Letter,
        endpoint: Arc<Endpoint>,
    ) -> impl Future<Output = (Letter, bool)> + use<> {
        let body = letter.event.body(self.outbox.instance);
        let seconds = (self.now)().timestamp();
        let signature = signature::sign(endpoint.secret.expose_secret(), seconds, &body);
        let request = || {
            self.http
                .post(endpoint.url.clone())
                .header(header::CONTENT_TYPE, "application/json")
                .header(signature::HEADER, &signature)
                .body(body.clone())
        };
        let first = request();
        let second = self.outbox.is_sent_twice(&letter.event).then(request);
        async move {
            let second = async {
                match second {
                    Some(request) => is_acknowledged(request.send().await),
                    None => false,
                }
            };
            let first = async { is_acknowledged(first.send().await) };
            let (first, second) = tokio::join!(first, second);
            // Whoever waited for this has gone if it cannot be told.
            letter.tried.take().map(|tried| tried.send(()));
            letter.failures += 1;
            (letter, first || second)
        }
    }
}

fn is_acknowledged(answer: Result<reqwest::Response, reqwest::Error>) -> bool {
    match answer {
        Ok(answer) => answer.status().is_success(),
        Err(error) => {
            tracing::debug!(error = %error.without_url(), "a webhook was not delivered");
            false
        }
    }
}

/// The pause after so many failures, at least one.
fn pause_after(failures: u32) -> Duration {
    let doubled = PAUSE_MIN.saturating_mul(1 << (failures - 1).min(16)).min(PAUSE_MAX);
    doubled.mul_f64(1.0 - rand::random_range(0.0..0.5))
}
