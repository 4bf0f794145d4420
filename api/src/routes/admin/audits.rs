//! Whether an event's rows agree with each other.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use taquilla_persistence::audit::{Audit, AuditReport, InvariantReport};
use utoipa::ToSchema;

use crate::desk::Desk;
use crate::problem::documented::OperatorReadProblems;
use crate::problem::{Problem, store_unavailable};
use crate::routes::answered::private;
use crate::strict::PathName;

/// Every invariant, and how often it is broken.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditView {
    ok: bool,
    invariants: Vec<InvariantView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Invariant)]
struct InvariantView {
    name: &'static str,
    violations: u64,
    /// The first few, in words.
    examples: Vec<String>,
}

/// Audits an event, in one snapshot.
#[utoipa::path(
    get,
    path = "/admin/events/{event_id}/audit",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = AuditView), OperatorReadProblems)
)]
pub(crate) async fn audit_event(
    State(desk): State<Desk>,
    State(audit): State<Audit>,
    event: PathName,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let report = audit.run(Some(event.id().event())).await;
    Ok(private(AuditView::from(report.map_err(|error| store_unavailable(&error))?)))
}

impl From<AuditReport> for AuditView {
    fn from(report: AuditReport) -> Self {
        let view = |InvariantReport { name, violations, examples }| InvariantView {
            name,
            violations,
            examples,
        };
        Self { ok: report.ok, invariants: report.invariants.into_iter().map(view).collect() }
    }
}
