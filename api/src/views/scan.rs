//! A scan as gates see it.

use serde::Serialize;
use taquilla_persistence::tickets::ScanRecord;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::instant::Instant;

/// What a gate was told of a code.
#[derive(Serialize, ToSchema)]
#[schema(as = Scan)]
pub struct ScanView {
    /// `accepted`: let them in. `already_used`: somebody came with this ticket before. `void`: it was
    /// taken back. `unknown`: no ticket of this installation.
    #[schema(example = "accepted")]
    pub result: &'static str,
    /// Of this scan.
    pub scan_id: String,
    /// When it came first.
    pub scanned_at: Instant,
    /// Who scanned.
    pub scanned_by: String,
    /// The ticket; absent where it is unknown, as all below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_id: Option<Uuid>,
    /// For which event: a gate of another one lets nobody in by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<Uuid>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its seat's label, where the section has seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    /// Of a ticket that was used already: when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Instant>,
    /// And by which scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by_scan: Option<String>,
}

impl From<ScanRecord> for ScanView {
    fn from(scan: ScanRecord) -> Self {
        let ScanRecord { id, at, who, result, ticket, used } = scan;
        let (ids, place) = match ticket {
            Some(it) => (Some((it.id.uuid(), it.event.uuid())), (Some(it.section), it.seat)),
            None => (None, (None, None)),
        };
        let (used_at, used_by_scan) = used.map(|used| (Instant(used.at), used.scan)).unzip();
        Self {
            result: result.code(),
            scan_id: id,
            scanned_at: Instant(at),
            scanned_by: who,
            ticket_id: ids.map(|(ticket, _)| ticket),
            event_id: ids.map(|(_, event)| event),
            section: place.0,
            seat: place.1,
            used_at,
            used_by_scan,
        }
    }
}

/// Scans, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = ScanList)]
pub struct ScanListView {
    /// At most `limit`.
    pub items: Vec<ScanView>,
    /// For `cursor`; null on the last page.
    pub next_cursor: Option<String>,
}
