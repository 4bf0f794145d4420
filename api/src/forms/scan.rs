//! `POST /admin/tickets/scan`: a code, as a gate has read it; `GET /admin/tickets/scans`: which ones;
//! `GET /admin/events/{id}/revocations`: which page of the tickets that let nobody in.

use serde::Deserialize;
use taquilla_persistence::tickets::ScanPosition;
use utoipa::{IntoParams, ToSchema};

use super::number::{Limit, Whole};
use crate::cursor::Cursor;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// As for idempotency keys.
const SCAN_ID_BYTES_MAX: usize = 255;

/// A page of revocations: 110 KB.
pub const REVOCATIONS_MAX: u16 = 10_000;

/// A code that a gate has read.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ScanTicket)]
pub struct ScanForm {
    /// As read, whatever it is.
    pub code: String,
    /// Drawn anew by the gate for each reading, a UUID for instance, and sent again with each repetition:
    /// 1 to 255 visible ASCII characters.
    pub scan_id: String,
}

impl RequestBody for ScanForm {}

impl ScanForm {
    /// The form, if its id is one.
    ///
    /// # Errors
    /// `malformed-request`.
    pub fn check(self) -> Result<Self, Problem> {
        let mut errors = FormErrors::default();
        let fits = (1..=SCAN_ID_BYTES_MAX).contains(&self.scan_id.len());
        let visible = self.scan_id.bytes().all(|byte| byte.is_ascii_graphic());
        errors.require(fits && visible, "/scan_id", "1 to 255 visible ASCII characters");
        errors.into_result()?;
        Ok(self)
    }
}

/// Which scans.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ScansQuery {
    /// Only of this event's tickets: its id or slug. Codes that are no ticket's are of no event.
    pub event_id: Option<String>,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor<ScanPosition>>,
    /// 1 to 100, 20 unless said.
    #[param(value_type = Option<u16>)]
    pub limit: Option<Limit>,
}

/// Which page of an event's void tickets.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RevocationsQuery {
    /// The `next_after` of the page before.
    #[param(value_type = Option<uuid::Uuid>)]
    pub after: Option<String>,
    /// 1 to 10,000, which it is unless said.
    #[param(value_type = Option<u16>)]
    pub limit: Option<Whole<1, { REVOCATIONS_MAX as u64 }>>,
}
