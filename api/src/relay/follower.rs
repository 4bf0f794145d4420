//! Reading on for one sink: some events at once, a page each, and the page of orders' money beside them.
//!
//! Between a page and its position lies the publishing: whoever dies in between leaves a lease that runs out,
//! and the next one tells the same again, under the same names.

use std::sync::Arc;

use futures_util::future::join_all;
use taquilla_engine::id::Sequence;
use taquilla_persistence::HistoryBatch;
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::in_full;
use taquilla_persistence::relay::{ClaimedEvent, ClaimedMoney, MoneyNews, RelayRows};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::{Message, NamedSink, Pacing, Repeat, Sink, SinkError, metric};
use super::{money_news, section_events};

/// A look at all events takes longer the more there are: it takes a tenth of the time at the most.
const REST_OF_LOOK: u32 = 9;

/// Of a lease, what publishing may take. The rest is for the position.
const OF_LEASE: f64 = 0.75;

/// What one look came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    /// There was nothing.
    Nothing,
    /// There may be more.
    More,
    /// The sink takes nothing.
    Away,
}

/// One process's reading for a sink.
pub(super) struct Follower {
    name: Arc<str>,
    sink: Arc<dyn Sink>,
    rows: RelayRows,
    heard: watch::Receiver<()>,
    pacing: Pacing,
}

impl Follower {
    pub(super) fn new(
        sink: &NamedSink,
        rows: RelayRows,
        heard: watch::Receiver<()>,
        pacing: Pacing,
    ) -> Self {
        let (name, sink) = (Arc::clone(&sink.name), Arc::clone(&sink.sink));
        Self { name, sink, rows, heard, pacing }
    }

    /// For ever.
    pub(super) async fn keep_relaying(mut self) {
        let mut failures = 0_u32;
        loop {
            // Before the look: what rings during it is heard after it.
            self.heard.mark_unchanged();
            let begun = Instant::now();
            match self.look().await {
                Ok(Look::More) => failures = 0,
                Ok(Look::Nothing) => {
                    failures = 0;
                    sleep(begun.elapsed() * REST_OF_LOOK).await;
                    // A listener that has gone is begun again by its owner; until then, looks.
                    let _ = timeout(self.pacing.look, self.heard.changed()).await;
                }
                Ok(Look::Away) => failures = self.rest(failures).await,
                Err(error) => {
                    let (sink, error) = (&*self.name, in_full(&error));
                    tracing::warn!(sink, error, "the outboxes cannot be read for a sink");
                    failures = self.rest(failures).await;
                }
            }
        }
    }

    async fn rest(&self, failures: u32) -> u32 {
        let failures = failures.saturating_add(1);
        sleep(self.pacing.pause_after(failures)).await;
        failures
    }

    /// One page of some events, and of money.
    async fn look(&self) -> Result<Look, DatabaseError> {
        let begun = Instant::now();
        let events = self.rows.claim(self.pacing.at_once).await?;
        let money = self.rows.claim_money().await?;
        let until = begun + self.rows.lease().mul_f64(OF_LEASE);
        let events = events.iter().map(|claimed| self.tell_event(claimed, until));
        let (events, money) = tokio::join!(join_all(events), async {
            match money {
                Some(claimed) => self.tell_money(claimed, until).await,
                None => Ok(Look::Nothing),
            }
        });
        let mut most = money?;
        for look in events {
            most = most.max(look?);
        }
        Ok(most)
    }

    async fn tell_event(
        &self,
        claimed: &ClaimedEvent,
        until: Instant,
    ) -> Result<Look, DatabaseError> {
        let event = claimed.event.number;
        let batches = match self.rows.batches(event, claimed.read_to, claimed.head).await {
            Ok(batches) => batches,
            // What a later program wrote, perhaps. It keeps nobody else waiting.
            Err(error @ DatabaseError::Broken(_)) => {
                let (sink, error) = (&*self.name, in_full(&error));
                tracing::error!(sink, error, event = event.0, "a history cannot be told");
                self.rows.postpone(claimed, claimed.read_to, self.rows.lease()).await?;
                return Ok(Look::Nothing);
            }
            Err(error) => return Err(error),
        };
        let (read_to, told) = self.tell_batches(claimed, &batches, until).await?;
        self.end(told, async |pause| match pause {
            None => self.rows.settle(claimed, read_to).await,
            Some(pause) => self.rows.postpone(claimed, read_to, pause).await,
        })
        .await
    }

    /// The last batch that is told wholly, and why it is the last.
    async fn tell_batches(
        &self,
        claimed: &ClaimedEvent,
        batches: &[HistoryBatch],
        until: Instant,
    ) -> Result<(Sequence, Result<(), SinkError>), DatabaseError> {
        if batches.is_empty() {
            // They are no longer kept.
            return Ok((claimed.head, Ok(())));
        }
        let seats = section_events::seats_of(batches);
        let names = self.rows.names(claimed.event.number, &seats).await?;
        let wants = |kind: &str| self.sink.wants(kind);
        let (mut read_to, mut gathered) = (claimed.read_to, Vec::new());
        for (index, batch) in batches.iter().enumerate() {
            gathered.extend(section_events::of_batch(&claimed.event, &names, batch, wants));
            let last = index + 1 == batches.len();
            if !last && (gathered.is_empty() || gathered.len() < self.sink.at_once()) {
                continue;
            }
            if let Err(error) = self.publish(&gathered, until).await {
                return Ok((read_to, Err(error)));
            }
            gathered.clear();
            read_to = batch.sequence;
        }
        Ok((read_to, Ok(())))
    }

    async fn tell_money(
        &self,
        claimed: ClaimedMoney,
        until: Instant,
    ) -> Result<Look, DatabaseError> {
        let news = self.rows.money(claimed).await?;
        let mut read_to = claimed.read_to;
        let mut told = Ok(());
        for some in news.chunks(self.sink.at_once()) {
            let wanted = some.iter().map(money_news::of).filter(|it| self.sink.wants(it.kind));
            told = self.publish(&wanted.collect::<Vec<_>>(), until).await;
            if told.is_err() {
                break;
            }
            read_to = some.last().map_or(read_to, MoneyNews::place);
        }
        self.end(told, async |pause| match pause {
            None => self.rows.settle_money(claimed, read_to).await,
            Some(pause) => self.rows.postpone_money(claimed, read_to, pause).await,
        })
        .await
    }

    /// How a page ends: the position moves to what was told, at once or for somebody after a pause.
    async fn end(
        &self,
        told: Result<(), SinkError>,
        settle: impl AsyncFnOnce(Option<std::time::Duration>) -> Result<bool, DatabaseError>,
    ) -> Result<Look, DatabaseError> {
        let (look, pause) = match &told {
            Ok(()) | Err(SinkError::OutOfTime) => (Look::More, None),
            Err(SinkError::Away(_)) => (Look::Away, None),
            Err(SinkError::Refused { pause, .. }) => (Look::More, Some(*pause)),
        };
        if let Err(error @ (SinkError::Away(_) | SinkError::Refused { .. })) = &told {
            let (sink, error) = (&*self.name, in_full(error));
            tracing::warn!(sink, error, "a sink does not take what it is told");
        }
        if !settle(pause).await? {
            tracing::warn!(sink = &*self.name, "a lease ran out; what was told is told again");
        }
        Ok(look)
    }

    async fn publish(&self, messages: &[Message], until: Instant) -> Result<(), SinkError> {
        if Instant::now() >= until {
            return Err(SinkError::OutOfTime);
        }
        let published = match messages {
            [] => Ok(()),
            messages => self.sink.publish(messages, Repeat::No, until).await,
        };
        metric::published(&self.name, messages.len(), &published);
        published
    }
}
