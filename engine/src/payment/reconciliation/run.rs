//! One run: the provider's pages, our rows of each, and then what the provider never showed.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::compare::{Compared, compare, never_shown, unreadable};
use super::difference::{Difference, DifferenceKind};
use super::{Settlement, Settlements};
use crate::id::AttemptId;
use crate::moment::Moment;
use crate::payment::{PaymentProvider, ProviderRecord, StoreUnavailable, UnreadableRecord};

/// How many rows are read at once.
const PAGE: u32 = 256;

/// How many attempts a run remembers as shown. A hash set of a million ids of 16 bytes has 2^21
/// places of 17 bytes: 36 MB, and half as much again while it grows, is the most that a run needs beside
/// a page and its report.
const SHOWN_MAX: usize = 1_000_000;

/// How many pages a provider may have: fifty million records at a hundred a page. A provider that
/// never comes to its last one would be listed for ever.
const PAGES_MAX: u32 = 500_000;

/// How much earlier than the window the provider is asked for records, whose times are by its own clock.
const CLOCKS_APART: Duration = Duration::from_secs(3_600);

/// What a run looks at.
#[derive(Clone, Copy, Debug)]
pub struct ReconciliationSettings {
    /// How far back.
    pub window: Duration,
    /// What moved within this time is in flight.
    pub in_flight: Duration,
    /// How many differences a report spells out; the others are counted.
    pub differences_max: usize,
}

impl Default for ReconciliationSettings {
    fn default() -> Self {
        Self {
            // A card's reservation lasts seven days: each is seen again once it has come to its end.
            window: Duration::from_secs(8 * 24 * 3_600),
            in_flight: Duration::from_secs(300),
            differences_max: 200,
        }
    }
}

/// Whether the two records agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They do.
    Clean,
    /// They do not, and no buyer's money could be wrong by it.
    Differing,
    /// A buyer's money could be wrong.
    Unsafe,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Clean, Self::Differing, Self::Unsafe];

    /// The name in rows, reports and metrics.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Differing => "differing",
            Self::Unsafe => "unsafe",
        }
    }

    /// The verdict of this name.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.code() == code)
    }
}

/// What a run found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconciliation {
    /// Records of the provider's that were looked at.
    pub records: u64,
    /// Attempts of ours that were looked at.
    pub attempts: u64,
    /// Of these, attempts on their way.
    pub in_flight: u64,
    /// How many differences there are of each kind.
    pub counts: HashMap<DifferenceKind, u64>,
    /// Of all of them, how many could mean that money is wrong.
    pub unsafe_count: u64,
    /// The first of them; those that could mean that money is wrong before all others.
    pub differences: Vec<Difference>,
}

/// Why no comparison was made. It says nothing about the money.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReconciled {
    /// The provider's books could not be had.
    #[error("the payment provider's books cannot be read: {0}")]
    Provider(String),
    /// Ours could not.
    #[error(transparent)]
    Rows(#[from] StoreUnavailable),
    /// There is more in the window than a run can hold.
    #[error("more than {0} payments lie in the window: choose a shorter one")]
    TooMany(usize),
}

impl Reconciliation {
    /// How many differences there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Whether the records agree.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match (self.total(), self.unsafe_count) {
            (0, _) => Verdict::Clean,
            (_, 0) => Verdict::Differing,
            _ => Verdict::Unsafe,
        }
    }

    /// Keeps a difference, in the place of one that matters less if there is room for no more.
    fn add(&mut self, difference: Difference, max: usize) {
        *self.counts.entry(difference.kind).or_default() += 1;
        self.unsafe_count += u64::from(difference.is_unsafe);
        let place = if difference.is_unsafe {
            self.differences.partition_point(|it| it.is_unsafe)
        } else {
            self.differences.len()
        };
        self.differences.insert(place, difference);
        self.differences.truncate(max);
    }
}

/// Compares everything of the window. `progress` is told, page by page, how far it has come.
///
/// # Errors
/// [`NotReconciled`]; what had been found until then says nothing.
pub async fn reconcile(
    provider: &dyn PaymentProvider,
    rows: &dyn Settlements,
    now: Moment,
    settings: ReconciliationSettings,
    progress: &(dyn Fn(&Reconciliation) + Send + Sync),
) -> Result<Reconciliation, NotReconciled> {
    let mut run = Run {
        provider,
        rows,
        now,
        settings,
        shown: HashSet::new(),
        found: Reconciliation::default(),
    };
    run.what_the_provider_shows(progress).await?;
    run.what_it_does_not_show(progress).await?;
    Ok(run.found)
}

struct Run<'a> {
    provider: &'a dyn PaymentProvider,
    rows: &'a dyn Settlements,
    now: Moment,
    settings: ReconciliationSettings,
    /// Attempts that the provider has a record of, under the reference that we know.
    shown: HashSet<AttemptId>,
    found: Reconciliation,
}

impl Run<'_> {
    fn since(&self) -> Moment {
        self.now - self.settings.window
    }

    fn settled_by(&self) -> Moment {
        self.now - self.settings.in_flight
    }

    async fn what_the_provider_shows(
        &mut self,
        progress: &(dyn Fn(&Reconciliation) + Send + Sync),
    ) -> Result<(), NotReconciled> {
        let since = self.since() - CLOCKS_APART;
        let mut after: Option<String> = None;
        for _ in 0..PAGES_MAX {
            let page = self.provider.list(since, after.as_deref()).await;
            let page = page.map_err(NotReconciled::Provider)?;
            if page.next.is_some() && page.next == after {
                break;
            }
            let is_old = |created_at: Option<Moment>| created_at.is_some_and(|at| at < since);
            let records = page.records.iter().filter(|it| !is_old(it.created_at));
            self.look_at(&records.collect::<Vec<_>>()).await?;
            for record in page.unreadable.iter().filter(|it| !is_old(it.created_at)) {
                self.add_unreadable(record)?;
            }
            progress(&self.found);
            match page.next {
                None => return Ok(()),
                next @ Some(_) => after = next,
            }
        }
        Err(NotReconciled::Provider("it has no last page".into()))
    }

    async fn look_at(&mut self, records: &[&ProviderRecord]) -> Result<(), NotReconciled> {
        let named: Vec<AttemptId> = records.iter().filter_map(|record| record.attempt).collect();
        let ours = match named.as_slice() {
            [] => Vec::new(),
            named => self.rows.of(self.provider.name(), named).await?,
        };
        let ours: HashMap<_, _> = ours.into_iter().map(|it| (it.attempt, it)).collect();
        for record in records {
            let ours = record.attempt.and_then(|attempt| ours.get(&attempt));
            self.found.records += 1;
            if let Some(ours) = ours {
                self.count(ours, record)?;
            }
            match compare(record, ours, self.now, self.settled_by()) {
                Compared::InFlight => self.found.in_flight += 1,
                Compared::Told(differences) => {
                    for difference in differences {
                        self.found.add(difference, self.settings.differences_max);
                    }
                }
            }
        }
        Ok(())
    }

    /// Remembers that the provider has a record of what we know under this reference.
    fn count(&mut self, ours: &Settlement, record: &ProviderRecord) -> Result<(), NotReconciled> {
        if ours.is_under_another(record) {
            return Ok(());
        }
        self.remember(ours.attempt)
    }

    fn remember(&mut self, attempt: AttemptId) -> Result<(), NotReconciled> {
        self.found.attempts += u64::from(self.shown.insert(attempt));
        if self.shown.len() > SHOWN_MAX {
            return Err(NotReconciled::TooMany(SHOWN_MAX));
        }
        Ok(())
    }

    /// Told at once, whatever is on its way: no later look reads more of it. Its attempt is not told as
    /// missing besides.
    fn add_unreadable(&mut self, record: &UnreadableRecord) -> Result<(), NotReconciled> {
        self.found.records += 1;
        self.found.add(unreadable(record), self.settings.differences_max);
        record.attempt.map_or(Ok(()), |attempt| self.remember(attempt))
    }

    async fn what_it_does_not_show(
        &mut self,
        progress: &(dyn Fn(&Reconciliation) + Send + Sync),
    ) -> Result<(), NotReconciled> {
        let (name, since, settled_by) = (self.provider.name(), self.since(), self.settled_by());
        let mut after = None;
        loop {
            let page = self.rows.with_money(name, since, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some((last.created_at, last.attempt));
            for ours in page.iter().filter(|it| !self.shown.contains(&it.attempt)) {
                self.found.attempts += 1;
                if ours.is_settled_since(settled_by) {
                    self.found.add(never_shown(ours), self.settings.differences_max);
                } else {
                    self.found.in_flight += 1;
                }
            }
            progress(&self.found);
        }
    }
}
