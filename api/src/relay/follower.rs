//! Reading on for one sink: some events at once, a page each, and the page of orders' money beside them.
//!
//! Between a page and its position lies the publishing: whoever dies in between leaves a lease that runs out,
//! and the next one tells the same again, under the same names.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use parking_lot::Mutex;
use taquilla_engine::id::{EventNumber, Sequence};
use taquilla_persistence::HistoryBatch;
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::in_full;
use taquilla_persistence::relay::{ClaimedEvent, ClaimedMoney, MoneyNews, RelayRows};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::{Message, NamedSink, Pacing, Repeat, Sink, SinkError, metric};
use super::{money_news, section_events};

/// A look at all events takes longer the more there are: what has nothing to do takes a tenth of the time at the most.
const REST_OF_LOOK: u32 = 9;

/// A new event is told at the latest so long after its first batch.
const ENROL: Duration = Duration::from_secs(1);

/// Of a lease, what publishing may take. The rest is for the position.
const OF_LEASE: f64 = 0.75;

/// What a page came to, and then a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    /// There was nothing.
    Nothing,
    /// Nothing of what there was came through.
    Stuck,
    /// There may be more.
    More,
}

/// One process's reading for a sink.
pub(super) struct Follower {
    name: Arc<str>,
    sink: Arc<dyn Sink>,
    rows: RelayRows,
    heard: watch::Receiver<()>,
    pacing: Pacing,
    enrolled_at: Option<Instant>,
    /// Looks in a row of which nothing came through.
    failures: u32,
    /// The same of each event, and of money (`None`), while others may come through.
    stuck: Mutex<HashMap<Option<EventNumber>, u32>>,
}

impl Follower {
    pub(super) fn new(
        sink: &NamedSink,
        rows: RelayRows,
        heard: watch::Receiver<()>,
        pacing: Pacing,
    ) -> Self {
        let (name, sink) = (Arc::clone(&sink.name), Arc::clone(&sink.sink));
        Self {
            name,
            sink,
            rows,
            heard,
            pacing,
            enrolled_at: None,
            failures: 0,
            stuck: Mutex::default(),
        }
    }

    /// For ever.
    pub(super) async fn keep_relaying(mut self) {
        let mut rung = false;
        loop {
            // Before the look: what rings during it is heard after it.
            self.heard.mark_unchanged();
            let begun = Instant::now();
            match self.look().await {
                Ok(Look::More) => {
                    if self.failures > 0 {
                        tracing::info!(sink = &*self.name, "a sink takes what it is told again");
                    }
                    self.failures = 0;
                }
                Ok(Look::Nothing) => {
                    sleep((begun.elapsed() * REST_OF_LOOK).min(self.pacing.look)).await;
                    rung = self.wait(rung).await;
                }
                Ok(Look::Stuck) => self.rest().await,
                Err(error) => {
                    self.warn("the outboxes cannot be read for a sink", &error);
                    self.rest().await;
                }
            }
        }
    }

    /// Until somebody rings, or it is time to look. A bell that was rung for nothing was perhaps rung for an event that
    /// is not enrolled yet.
    async fn wait(&mut self, rung_for_nothing: bool) -> bool {
        let look = if rung_for_nothing { self.pacing.look.min(ENROL) } else { self.pacing.look };
        match timeout(look, self.heard.changed()).await {
            Ok(Ok(())) => true,
            // Nobody rings any more once the listener has gone.
            Ok(Err(_)) => {
                sleep(look).await;
                false
            }
            Err(_) => false,
        }
    }

    async fn rest(&mut self) {
        self.failures = self.failures.saturating_add(1);
        sleep(self.pacing.pause_after(self.failures)).await;
    }

    /// Once for each time that nothing comes through, however long that lasts; metrics count the rest.
    fn warn(&self, what: &str, error: &dyn Error) {
        if self.failures == 0 {
            let (sink, error) = (&*self.name, in_full(error));
            tracing::warn!(sink, error, "{what}");
        }
    }

    /// A page of some events, and of money.
    async fn look(&mut self) -> Result<Look, DatabaseError> {
        if self.enrolled_at.is_none_or(|at| at.elapsed() >= ENROL) {
            self.rows.enrol().await?;
            self.enrolled_at = Some(Instant::now());
        }
        let begun = Instant::now();
        let events = self.rows.claim(self.pacing.claimed).await?;
        let money = self.rows.claim_money().await?;
        let until = begun + self.rows.lease().mul_f64(OF_LEASE);
        let this = &*self;
        let page = |claimed: ClaimedEvent| async move { this.tell_event(&claimed, until).await };
        let pages = stream::iter(events).map(page);
        let pages = pages.buffer_unordered(self.pacing.at_once).collect::<Vec<_>>();
        let (pages, money) = tokio::join!(pages, async {
            match money {
                Some(claimed) => this.tell_money(claimed, until).await,
                None => Ok(Look::Nothing),
            }
        });
        let mut most = money?;
        for page in pages {
            most = most.max(page?);
        }
        Ok(most)
    }

    async fn tell_event(
        &self,
        claimed: &ClaimedEvent,
        until: Instant,
    ) -> Result<Look, DatabaseError> {
        // Of those that wait behind others, the lease may be over: whoever comes next has them.
        if Instant::now() >= until {
            self.rows.settle(claimed, claimed.read_to).await?;
            return Ok(Look::Stuck);
        }
        let event = claimed.event.number;
        let batches = match self.rows.batches(event, claimed.read_to, claimed.head).await {
            Ok(batches) => batches,
            // What a later program wrote, perhaps. It keeps nobody else waiting.
            Err(error @ DatabaseError::Broken(_)) => {
                self.cannot_be_told(&error);
                self.rows.postpone(claimed, claimed.read_to, self.rows.lease()).await?;
                return Ok(Look::Nothing);
            }
            Err(error) => return Err(error),
        };
        let (read_to, told) = self.tell_batches(claimed, &batches, until).await?;
        self.end(Some(event), told, read_to > claimed.read_to, async |pause| match pause {
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
        let first = batches.first().map_or(claimed.head.0 + 1, |batch| batch.sequence.0);
        if first > claimed.read_to.0 + 1 && claimed.read_to.0 > 0 {
            let (sink, from, to) = (&*self.name, claimed.read_to.0 + 1, first - 1);
            tracing::error!(sink, from, to, "batches are no longer kept that a sink was not told");
            metric::failed(&self.name, "forgotten");
        }
        if batches.is_empty() {
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
        let news = match self.rows.money(claimed).await {
            Ok(news) => news,
            Err(error @ DatabaseError::Broken(_)) => {
                self.cannot_be_told(&error);
                self.rows.postpone_money(claimed, claimed.read_to, self.rows.lease()).await?;
                return Ok(Look::Nothing);
            }
            Err(error) => return Err(error),
        };
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
        self.end(None, told, read_to != claimed.read_to, async |pause| match pause {
            None => self.rows.settle_money(claimed, read_to).await,
            Some(pause) => self.rows.postpone_money(claimed, read_to, pause).await,
        })
        .await
    }

    /// How a page ends: the position moves to what was told, at once or for somebody after a pause.
    async fn end(
        &self,
        of: Option<EventNumber>,
        told: Result<(), SinkError>,
        moved: bool,
        settle: impl AsyncFnOnce(Option<Duration>) -> Result<bool, DatabaseError>,
    ) -> Result<Look, DatabaseError> {
        let failures = match &told {
            Err(SinkError::Away(_)) if !moved => {
                let mut stuck = self.stuck.lock();
                let failures = stuck.entry(of).or_default();
                *failures += 1;
                *failures
            }
            Ok(()) | Err(_) => {
                self.stuck.lock().remove(&of);
                1
            }
        };
        let pause = match &told {
            Ok(()) | Err(SinkError::OutOfTime | SinkError::Log(_)) => None,
            // Others may come through: a single message can be what it does not take.
            Err(SinkError::Away(_)) => Some(self.pacing.pause_after(failures)),
            Err(SinkError::Refused { pause, .. }) => Some(*pause),
        };
        if let Err(error) = &told
            && failures == 1
        {
            self.warn("a sink does not take what it is told", error);
        }
        if !settle(pause).await? {
            let sink = &*self.name;
            tracing::warn!(sink, "a lease ran out; what was told since is told again");
        }
        Ok(if told.is_ok() || moved { Look::More } else { Look::Stuck })
    }

    fn cannot_be_told(&self, error: &DatabaseError) {
        let (sink, error) = (&*self.name, in_full(error));
        tracing::error!(sink, error, "a history cannot be told; it is tried again later");
        metric::failed(&self.name, "unreadable");
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
