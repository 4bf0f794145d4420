//! Tickets at the gates: scanned, and what was scanned.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use sha2::{Digest, Sha256};
use taquilla_engine::id::TicketId;
use taquilla_persistence::tickets::{NewScan, Scanned, Tickets};

use super::{event_number, not_written};
use crate::auth::Operator;
use crate::cursor::Cursor;
use crate::desk::Desk;
use crate::forms::number::page_size;
use crate::forms::scan::{ScanForm, ScansQuery};
use crate::problem::documented::{OperatorReadProblems, ScanTicketProblems};
use crate::problem::{Problem, store_unavailable, table};
use crate::routes::answered::{made, private};
use crate::strict::{StrictJson, StrictQuery};
use crate::tickets::TicketSigner;
use crate::views::{ScanListView, ScanView};

/// Redeems a ticket for the first scan that comes. Repeated with the same `scan_id` and code, the answer
/// is the first one, whatever became of the ticket since.
#[utoipa::path(
    post,
    path = "/admin/tickets/scan",
    tag = "tickets",
    security(("bearer" = ["operator"])),
    request_body = ScanForm,
    responses((status = 200, body = ScanView), ScanTicketProblems)
)]
pub(crate) async fn scan_ticket(
    State(tickets): State<Tickets>,
    State(signer): State<Arc<TicketSigner>>,
    operator: Operator,
    StrictJson(form): StrictJson<ScanForm>,
) -> Result<Response, Problem> {
    let form = form.check()?;
    let ticket = signer.verify(&form.code).and_then(|code| TicketId::parse(code.ticket_id));
    let code_hash = Sha256::digest(form.code.as_bytes()).into();
    let scan = NewScan { id: &form.scan_id, code_hash: &code_hash, ticket, who: &operator.0 };
    match tickets.scan(scan).await.map_err(not_written)? {
        Scanned::Told { scan, replayed } => {
            Ok(made(StatusCode::OK, None, replayed, ScanView::from(scan)))
        }
        Scanned::IdReused => {
            let detail = "this scan_id stands for the scan of another code";
            Err(Problem::new(&table::IDEMPOTENCY_KEY_REUSED, detail))
        }
    }
}

/// What was scanned, by whom, and what they were told; newest first.
#[utoipa::path(
    get,
    path = "/admin/tickets/scans",
    tag = "tickets",
    security(("bearer" = ["operator"])),
    params(ScansQuery),
    responses((status = 200, body = ScanListView), OperatorReadProblems)
)]
pub(crate) async fn list_scans(
    State(desk): State<Desk>,
    State(tickets): State<Tickets>,
    StrictQuery(query): StrictQuery<ScansQuery>,
) -> Result<Response, Problem> {
    let event = event_number(&desk, query.event_id.as_deref()).await?;
    let after = query.cursor.map(|cursor| cursor.0);
    let page = tickets.scans(event, after, page_size(query.limit)).await;
    let page = page.map_err(|error| store_unavailable(&error))?;
    Ok(private(ScanListView {
        items: page.items.into_iter().map(ScanView::from).collect(),
        next_cursor: page.next.map(|position| Cursor(position).to_text()),
    }))
}
