//! One scan: a ticket redeemed, or the reason why not, and the same answer for ever after.

use taquilla_engine::id::{EventId, TicketId};
use taquilla_engine::moment::Moment;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::Tickets;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::session::ACKNOWLEDGED_COMMIT;

const SCAN: &str = "/* scan_ticket */ SELECT scan_ticket($1, $2, $3, $4)";

/// A scan with what it names, from `ticket_scans s`, which the caller brings.
macro_rules! scan_columns {
    () => {
        "s.scan_id, s.code_hash, s.at, s.who, s.result, s.ticket_id, e.event_id, \
         section.name AS section, seat.label AS seat, used.at AS used_at, used.scan_id AS used_by \
           FROM ticket_scans s \
           LEFT JOIN tickets t ON t.ticket_id = s.ticket_id \
           LEFT JOIN events e ON e.event_no = t.event_no \
           LEFT JOIN plan_sections section \
             ON section.plan_id = e.plan_id AND section.section_no = t.section_no \
           LEFT JOIN plan_seats seat \
             ON seat.plan_id = e.plan_id \
            AND seat.seat_index = t.seat_key - e.event_no::bigint * 1048576 \
           LEFT JOIN ticket_scans used \
             ON s.result = 1 AND used.ticket_id = s.ticket_id AND used.result = 0"
    };
}
pub(super) use scan_columns;

const FIND: &str = concat!("/* find_scan */ SELECT ", scan_columns!(), " WHERE s.scan_id = $1");

/// A code as a gate has read it.
#[derive(Clone, Copy, Debug)]
pub struct NewScan<'a> {
    /// Drawn by the gate for this one reading: whoever repeats it gets the same answer.
    pub id: &'a str,
    /// The code's SHA-256.
    pub code_hash: &'a [u8; 32],
    /// The ticket that it names, if its signature is good.
    pub ticket: Option<TicketId>,
    /// The operator's `sub`.
    pub who: &'a str,
}

/// What became of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scanned {
    /// This is what it was told, now or the first time.
    Told {
        /// The scan.
        scan: ScanRecord,
        /// Whether it was told before.
        replayed: bool,
    },
    /// The id stands for the scan of another code.
    IdReused,
}

/// A scan, and what it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRecord {
    /// Its id.
    pub id: String,
    /// When it came first.
    pub at: Moment,
    /// Who scanned.
    pub who: String,
    /// What it was told.
    pub result: ScanResult,
    /// Whose code it was; none where the result is unknown.
    pub ticket: Option<ScannedTicket>,
    /// Of a ticket that was used already: by what.
    pub used: Option<UsedBy>,
}

/// A ticket as a gate sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedTicket {
    /// Its id.
    pub id: TicketId,
    /// For which event.
    pub event: EventId,
    /// Its section's name.
    pub section: String,
    /// Its seat's label, where the section has seats.
    pub seat: Option<String>,
}

/// The scan that let somebody in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedBy {
    /// When.
    pub at: Moment,
    /// Its id.
    pub scan: String,
}

/// What a gate is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanResult {
    /// Let them in.
    Accepted,
    /// Somebody came with this ticket before.
    AlreadyUsed,
    /// The ticket was taken back.
    Void,
    /// It is no ticket of this installation.
    Unknown,
}

impl ScanResult {
    /// As gates see it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            ScanResult::Accepted => "accepted",
            ScanResult::AlreadyUsed => "already_used",
            ScanResult::Void => "void",
            ScanResult::Unknown => "unknown",
        }
    }

    pub(crate) fn from_column(result: i16) -> Option<ScanResult> {
        match result {
            0 => Some(ScanResult::Accepted),
            1 => Some(ScanResult::AlreadyUsed),
            2 => Some(ScanResult::Void),
            3 => Some(ScanResult::Unknown),
            _ => None,
        }
    }
}

impl Tickets {
    /// Redeems the ticket, if it is valid and nobody was before. Idempotent by the scan's id.
    ///
    /// # Errors
    /// [`DatabaseError`]; the ticket may be redeemed then, and a repetition tells.
    pub async fn scan(&self, scan: NewScan<'_>) -> Result<Scanned, DatabaseError> {
        let ticket = scan.ticket.map(TicketId::uuid);
        let hash = scan.code_hash.as_slice();
        let told = self.database.write("scan_ticket", async |transaction| {
            let params = [
                (&scan.id as &(dyn tokio_postgres::types::ToSql + Sync), Type::TEXT),
                (&hash, Type::BYTEA),
                (&ticket, Type::UUID),
                (&scan.who, Type::TEXT),
            ];
            let is_new: bool = transaction.query_typed(SCAN, &params).await?[0].try_get(0)?;
            let row = transaction.query_typed(FIND, &[(&scan.id, Type::TEXT)]).await?;
            // Also for what was told before: a repetition writes nothing, and what it finds may not be
            // durable yet.
            transaction.batch_execute(ACKNOWLEDGED_COMMIT).await?;
            Ok((is_new, row))
        });
        let (is_new, rows) = told.await?;
        let row = rows.first().ok_or_else(|| BrokenRow::new("scan_id", "it was just there"))?;
        if columns::get::<&[u8]>(row, "code_hash")? != hash {
            return Ok(Scanned::IdReused);
        }
        Ok(Scanned::Told { scan: read_scan(row)?, replayed: !is_new })
    }
}

pub(super) fn read_scan(row: &Row) -> Result<ScanRecord, BrokenRow> {
    let ticket: Option<Uuid> = columns::get(row, "ticket_id")?;
    let ticket = ticket.is_some().then(|| read_ticket(row)).transpose()?;
    let used_at = columns::moment_if_any(row, "used_at")?;
    let used = used_at.map(|at| Ok(UsedBy { at, scan: columns::get(row, "used_by")? }));
    Ok(ScanRecord {
        id: columns::get(row, "scan_id")?,
        at: columns::moment(row, "at")?,
        who: columns::get(row, "who")?,
        result: columns::parse(row, "result", ScanResult::from_column)?,
        ticket,
        used: used.transpose()?,
    })
}

fn read_ticket(row: &Row) -> Result<ScannedTicket, BrokenRow> {
    Ok(ScannedTicket {
        id: columns::id(row, "ticket_id", TicketId::parse)?,
        event: columns::id(row, "event_id", EventId::parse)?,
        section: columns::get(row, "section")?,
        seat: columns::get(row, "seat")?,
    })
}
