//! What payment providers tell by themselves: verified, kept before it is acknowledged, and then looked
//! into. A notice is never believed: it says where to look, and the provider's own record says what is
//! so; but for the sum of a chargeback, as far as that can have been taken, and of its return. One that comes before its attempt
//! can be read is matched later; news for nobody is let go after a day. What cannot be settled is looked into more and
//! more seldom, by the hour in the end.

mod metric;
mod unreadable;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use taquilla_engine::clock::Clock;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::Payments;
use taquilla_engine::telemetry;
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::inbox::{Inbox, Notice, NoticeKind, Unsettled};
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};

pub use self::metric::describe_metrics;
use self::unreadable::{unreadable, with_names};
use crate::background::{Background, REST};
use crate::payment_provider::{Forged, NoticeReader, Unreadable};

/// How often everything that is to be looked into is, whoever rang or did not.
const SWEEP: Duration = Duration::from_secs(5);

/// How often notices that are too old are forgotten.
const PRUNE: Duration = Duration::from_secs(3_600);

/// After so long, news of an attempt that is nowhere here is of somebody else's: our own are recorded before
/// their provider hears of them.
const NOBODYS: Duration = Duration::from_secs(24 * 3_600);

/// The longest pause before a notice that could not be settled is looked into again.
const PAUSE_MAX: Duration = Duration::from_secs(3_600);

/// Its pause is this part of its age: what comes in the wrong order is there within minutes, what fails for days
/// hardly ever stops failing.
const PAUSE_OF_AGE: u32 = 20;

/// How many are read at once.
const PAGE: u32 = 256;

/// A reader for each provider that may send notices.
pub type Readers = Vec<(&'static str, Arc<dyn NoticeReader>)>;

/// Why a notice was not taken; nothing was kept.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// There is no such provider.
    #[error("there is no such provider")]
    NoSuchProvider,
    /// It is not the provider's, or not of now.
    #[error(transparent)]
    Forged(#[from] Forged),
    /// It could not be kept; the provider brings it again.
    #[error("the notice could not be kept")]
    Unavailable(#[from] DatabaseError),
}

/// Takes notices, and looks into them.
pub struct Webhooks {
    inbox: Inbox,
    readers: Readers,
    clock: Arc<dyn Clock>,
    came: Notify,
    background: Background,
}

impl Webhooks {
    /// Of these providers, over this inbox.
    #[must_use]
    pub fn new(inbox: Inbox, readers: Readers, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self {
            inbox,
            readers,
            clock,
            came: Notify::new(),
            background: Background::default(),
        })
    }

    /// Whether a notice with this head may be the provider's, before its body has been read.
    ///
    /// # Errors
    /// [`NotTaken`].
    pub fn look(&self, provider: &str, headers: &HeaderMap) -> Result<(), NotTaken> {
        let (name, reader) = self.reader(provider)?;
        reader.look(headers, self.clock.now()).map_err(|forged| refused(name, forged))
    }

    /// Keeps a notice, if it is the provider's: durable when this returns. A repeat is as welcome. One
    /// that cannot be read is kept as well, and raises an alert.
    ///
    /// # Errors
    /// [`NotTaken`].
    pub async fn take(
        &self,
        provider: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<(), NotTaken> {
        let (name, reader) = self.reader(provider)?;
        let read = reader.read(headers, body, self.clock.now()).and_then(with_names);
        let (notice, why) = match read {
            Ok(notice) => (notice, None),
            Err(Unreadable::Forged(forged)) => return Err(refused(name, forged)),
            Err(Unreadable::Malformed(why)) => (unreadable(name, body), Some(why)),
        };
        let stored = self.inbox.store(&notice, body).await;
        let is_new = stored.inspect_err(|_| metric::notice(name, "not-kept"))?;
        match why {
            Some(why) if is_new => {
                metric::notice(name, "unreadable");
                telemetry::payment_alert("notice_unreadable");
                tracing::error!(provider, id = notice.id, why, "a notice cannot be read");
            }
            Some(_) | None => {
                metric::notice(name, if is_new { "kept" } else { "repeated" });
                tracing::debug!(provider, id = notice.id, is_new, "a notice came");
            }
        }
        self.came.notify_one();
        Ok(())
    }

    fn reader(&self, provider: &str) -> Result<(&'static str, &dyn NoticeReader), NotTaken> {
        let found = self.readers.iter().find(|(name, _)| *name == provider);
        found.map(|(name, reader)| (*name, &**reader)).ok_or(NotTaken::NoSuchProvider)
    }

    /// Looks into notices from now on.
    pub fn keep_up(self: &Arc<Self>, payments: &Arc<Payments>) {
        let (this, payments) = (Arc::clone(self), Arc::clone(payments));
        self.background.keep("what looks into notices", REST, move || {
            Arc::clone(&this).look_into_all(Arc::clone(&payments))
        });
        let this = Arc::clone(self);
        let forget = move || Arc::clone(&this).forget_old();
        self.background.keep("what forgets old notices", REST, forget);
    }

    /// Stops looking. What has not been looked into is by the next process.
    pub async fn stop(&self) {
        self.background.stop().await;
    }

    /// All of them every few seconds, and what comes between as it comes.
    async fn look_into_all(self: Arc<Self>, payments: Arc<Payments>) {
        loop {
            let mut latest = self.look_into(None, &payments).await;
            let _next_sweep = timeout(SWEEP, async {
                loop {
                    self.came.notified().await;
                    latest = self.look_into(latest.take(), &payments).await;
                }
            })
            .await;
        }
    }

    /// Those behind this one; says which was the last.
    async fn look_into(
        &self,
        mut latest: Option<Unsettled>,
        payments: &Arc<Payments>,
    ) -> Option<Unsettled> {
        loop {
            let page = match self.inbox.unsettled(latest.as_ref(), PAGE).await {
                Ok(page) => page,
                Err(error) => {
                    tracing::warn!(%error, "notices cannot be looked into");
                    return latest;
                }
            };
            let is_last = page.len() < PAGE as usize;
            latest = page.last().cloned().or(latest);
            let (settled, waiting) = self.settle_page(page, payments).await;
            self.write_down(&settled, &waiting).await;
            if is_last {
                return latest;
            }
        }
    }

    async fn write_down(&self, settled: &[Notice], waiting: &[Unsettled]) {
        let settled: Vec<&Notice> = settled.iter().collect();
        if !settled.is_empty()
            && let Err(error) = self.inbox.settle(&settled).await
        {
            tracing::warn!(%error, "notices are looked into again");
        }
        let now = self.clock.now();
        let put_off = waiting.iter().map(|it| (&it.notice, pause_at(now.since(it.received_at))));
        let put_off: Vec<_> = put_off.collect();
        if !put_off.is_empty()
            && let Err(error) = self.inbox.put_off(&put_off).await
        {
            tracing::warn!(%error, "notices are looked into again by the next sweep");
        }
    }

    /// Looks into all of them, those of one attempt in their order. What is settled, and what waits, is told in
    /// any order.
    async fn settle_page(
        &self,
        page: Vec<Unsettled>,
        payments: &Arc<Payments>,
    ) -> (Vec<Notice>, Vec<Unsettled>) {
        let at_once = at_once(self.inbox.connections_max());
        let now = self.clock.now();
        let mut of_attempts: HashMap<_, Vec<Unsettled>> = HashMap::new();
        for unsettled in page {
            of_attempts.entry(unsettled.matches).or_default().push(unsettled);
        }
        let mut looking = JoinSet::new();
        let (mut settled, mut waiting) = (Vec::new(), Vec::new());
        let mut take = |looked| {
            let (done, left) = taken(looked);
            settled.extend(done);
            waiting.extend(left);
        };
        for of_attempt in of_attempts.into_values() {
            if looking.len() >= at_once
                && let Some(looked) = looking.join_next().await
            {
                take(looked);
            }
            looking.spawn(settle_in_order(of_attempt, Arc::clone(payments), now));
        }
        while let Some(looked) = looking.join_next().await {
            take(looked);
        }
        (settled, waiting)
    }

    async fn forget_old(self: Arc<Self>) {
        loop {
            match self.inbox.prune().await {
                Ok(0) => {}
                Ok(forgotten) => tracing::info!(forgotten, "old notices are forgotten"),
                Err(error) => tracing::warn!(%error, "old notices cannot be forgotten"),
            }
            sleep(PRUNE).await;
        }
    }
}

/// Attempts whose notices are looked into at once: half of the pool's connections stay for others.
fn at_once(connections: usize) -> usize {
    (connections / 2).max(1)
}

/// How long a notice of this age is left alone once it could not be settled.
fn pause_at(age: Duration) -> Duration {
    (age / PAUSE_OF_AGE).min(PAUSE_MAX)
}

/// What is settled, and what waits. A return that came before what it returns is looked into once more behind that: no
/// refund is to be let go between the two.
async fn settle_in_order(
    notices: Vec<Unsettled>,
    payments: Arc<Payments>,
    now: Moment,
) -> (Vec<Notice>, Vec<Unsettled>) {
    let (mut settled, mut waiting) = (Vec::new(), Vec::new());
    for unsettled in notices {
        match is_settled(&unsettled, &payments, now).await {
            true => settled.push(unsettled.notice),
            false => waiting.push(unsettled),
        }
    }
    if !settled.iter().any(|it| it.kind == NoticeKind::ChargedBack) {
        return (settled, waiting);
    }
    let mut left = Vec::new();
    for unsettled in waiting {
        let is_return = unsettled.notice.kind == NoticeKind::Reinstated;
        match is_return && is_settled(&unsettled, &payments, now).await {
            true => settled.push(unsettled.notice),
            false => left.push(unsettled),
        }
    }
    (settled, left)
}

fn taken<T: Default>(looked: Result<T, JoinError>) -> T {
    looked.unwrap_or_else(|error| {
        tracing::error!(%error, "notices of one attempt could not be looked into");
        T::default()
    })
}

/// It is not the provider's, and counted.
fn refused(provider: &'static str, forged: Forged) -> NotTaken {
    metric::notice(provider, metric::forged(forged));
    tracing::debug!(provider, %forged, "a notice was refused");
    forged.into()
}

/// Whether nothing is left to be done about it.
async fn is_settled(unsettled: &Unsettled, payments: &Arc<Payments>, now: Moment) -> bool {
    let Unsettled { notice, matches, received_at, is_new } = unsettled;
    let Some(attempt) = *matches else {
        return match notice.kind {
            NoticeKind::Other => true,
            NoticeKind::News => now.since(*received_at) > NOBODYS,
            // Money that has moved, or may have, waits for whoever looks through the inbox.
            NoticeKind::ChargedBack
            | NoticeKind::Reinstated
            | NoticeKind::RefundFailed
            | NoticeKind::Unreadable => false,
        };
    };
    let heard = match notice.kind {
        NoticeKind::Other => return true,
        NoticeKind::Unreadable => return false,
        NoticeKind::ChargedBack => payments.charged_back(attempt, &notice.id, notice.money).await,
        NoticeKind::Reinstated => payments.reinstated(attempt, &notice.id, notice.money).await,
        NoticeKind::RefundFailed => payments.refund_failed(attempt).await,
        NoticeKind::News => payments.hear(attempt).await,
    };
    heard.unwrap_or_else(|error| {
        if *is_new {
            tracing::warn!(%attempt, %error, "news of an attempt waits");
        } else {
            tracing::debug!(%attempt, %error, "news of an attempt still waits");
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_connections_are_left_to_others_where_there_is_more_than_one() {
        assert_eq!([1, 2, 3, 16, 1_000].map(at_once), [1, 1, 1, 8, 500]);
    }

    #[test]
    fn the_older_a_notice_is_the_later_it_is_looked_into_again_and_by_the_hour_in_the_end() {
        let minutes = |age: u64| pause_at(Duration::from_secs(age * 60)).as_secs();
        assert_eq!(
            [0, 1, 5, 60, 600, 1_200, 9_999].map(minutes),
            [0, 3, 15, 180, 1_800, 3_600, 3_600]
        );
    }
}
