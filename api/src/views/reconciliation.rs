//! How reconciliation stands, as operators see it.

use std::collections::BTreeMap;

use serde::Serialize;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::reconciliation::Difference;
use taquilla_persistence::reconciliation::{RunRecord, Standing};
use utoipa::ToSchema;
use uuid::Uuid;

use super::MoneyView;
use crate::instant::Instant;
use crate::problem::RECONCILIATION_UNSAFE;

/// The last comparison of our payments with the provider's books, and what follows from it.
#[derive(Serialize, ToSchema)]
#[schema(as = Reconciliation)]
pub struct ReconciliationView {
    payments: PaymentsView,
    /// The last one that was made; null before the first.
    last: Option<RunView>,
    /// The last one that could not be made.
    last_failure: Option<RunFailureView>,
    /// Since when one is being made, if one is.
    at_work_since: Option<Instant>,
    /// The server's time.
    as_of: Instant,
}

/// Whether new payments are taken.
#[derive(Serialize, ToSchema)]
#[schema(as = ReconciledPayments)]
pub struct PaymentsView {
    /// Whether a reconciliation has closed them.
    closed: bool,
    /// As buyers are told: `reconciliation-unsafe`.
    reason: Option<&'static str>,
    /// What closed them.
    detail: Option<String>,
    /// Since when.
    closed_at: Option<Instant>,
}

/// A reconciliation that was made.
#[derive(Serialize, ToSchema)]
#[schema(as = ReconciliationRun)]
struct RunView {
    run_id: Uuid,
    provider: String,
    /// `hourly`, or `command`.
    started_by: String,
    started_at: Instant,
    ended_at: Instant,
    /// It looked at everything from then until it began.
    since: Instant,
    /// `clean`, `differing`, or `unsafe`: money could be wrong.
    verdict: &'static str,
    /// The provider's records that were compared.
    records: u64,
    /// Attempts of ours that were looked at.
    attempts: u64,
    /// Of these, attempts on their way, which are compared another time.
    in_flight: u64,
    /// Differences that could mean that money is wrong.
    #[serde(rename = "unsafe")]
    unsafe_count: u64,
    /// All differences, by kind; kinds without any are left out.
    counts: BTreeMap<&'static str, u64>,
    /// The first of them, unsafe ones before all others.
    differences: Vec<DifferenceView>,
    /// Differences that are only counted.
    more: u64,
    /// Who opened payments all the same, and when.
    accepted: Option<AcceptedView>,
}

/// One difference.
#[derive(Serialize, ToSchema)]
#[schema(as = ReconciliationDifference)]
struct DifferenceView {
    kind: &'static str,
    #[serde(rename = "unsafe")]
    is_unsafe: bool,
    attempt_id: Option<String>,
    order_id: Option<String>,
    /// The provider's name for it.
    reference: Option<String>,
    /// What we say.
    ours: Option<MoneyView>,
    /// What the provider says.
    theirs: Option<MoneyView>,
    /// In words.
    detail: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ReconciliationAccepted)]
struct AcceptedView {
    by: String,
    at: Instant,
}

/// A reconciliation that could not be made.
#[derive(Serialize, ToSchema)]
#[schema(as = ReconciliationFailure)]
struct RunFailureView {
    at: Instant,
    /// In words.
    detail: String,
}

impl ReconciliationView {
    /// As it stood at this time.
    #[must_use]
    pub fn of(standing: Standing, now: Moment) -> Self {
        Self {
            payments: standing.closed.into(),
            last: standing.last.map(RunView::from),
            last_failure: standing
                .failed
                .map(|(at, detail)| RunFailureView { at: Instant(at), detail }),
            at_work_since: standing.at_work.map(Instant),
            as_of: Instant(now),
        }
    }
}

/// Of why they are closed and since when, if they are.
impl From<Option<(String, Moment)>> for PaymentsView {
    fn from(closed: Option<(String, Moment)>) -> Self {
        let (detail, closed_at) = closed.unzip();
        Self {
            closed: detail.is_some(),
            reason: detail.is_some().then_some(RECONCILIATION_UNSAFE),
            detail,
            closed_at: closed_at.map(Instant),
        }
    }
}

impl From<RunRecord> for RunView {
    fn from(run: RunRecord) -> Self {
        let more = run.more();
        Self {
            run_id: run.id,
            provider: run.provider,
            started_by: run.started_by,
            started_at: Instant(run.started_at),
            ended_at: Instant(run.ended_at),
            since: Instant(run.since),
            verdict: run.verdict.code(),
            records: run.records,
            attempts: run.attempts,
            in_flight: run.in_flight,
            unsafe_count: run.unsafe_count,
            counts: run.counts.into_iter().map(|(kind, count)| (kind.code(), count)).collect(),
            differences: run.differences.into_iter().map(DifferenceView::from).collect(),
            more,
            accepted: run.accepted.map(|(by, at)| AcceptedView { by, at: Instant(at) }),
        }
    }
}

impl From<Difference> for DifferenceView {
    fn from(difference: Difference) -> Self {
        Self {
            kind: difference.kind.code(),
            is_unsafe: difference.is_unsafe,
            attempt_id: difference.attempt.map(|id| id.to_string()),
            order_id: difference.order.map(|id| id.to_string()),
            reference: difference.reference,
            ours: difference.ours.map(MoneyView::from),
            theirs: difference.theirs.map(MoneyView::from),
            detail: difference.detail,
        }
    }
}
