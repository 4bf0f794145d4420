//! An auditor that shares no code with what it audits.
//!
//! It is given three accounts of one run, each kept by someone else, and says where they contradict
//! each other or themselves:
//!
//! - [`Rows`]: what Postgres holds, read with the auditor's own SQL in one snapshot;
//! - [`Entry`]: the payment provider's books;
//! - [`Recorded`]: what clients asked, when, and what they were told.
//!
//! It assumes that rows are not purged during the run, and that one clock serves the clients and the
//! database up to [`CLOCK_LEEWAY`]. It knows no engine, no door, no batch.

mod answers;
mod books;
mod checks;
mod index;
mod line;
pub mod oracle;
mod recorded;
mod report;
mod rows;
mod tenures;

pub use books::{Entry, EntryKind};
pub use checks::CLOCK_LEEWAY;
pub use line::{Line, read_line};
pub use recorded::{Recorded, RecordingError, read_recording, write_recording};
pub use report::{Finding, Report, Rule};
pub use rows::{
    Area, Attempt, AttemptStatus, Buyer, Cause, Event, Hold, HoldStatus, Notice, Order,
    OrderStatus, Posting, ReadError, Refund, RefundStatus, Rows, Seat, SeatState, Ticket,
    TicketStatus, read_rows,
};

use answers::Answers;
use index::Index;

/// The three accounts of one run.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// What Postgres holds.
    pub rows: Rows,
    /// What the provider booked, in its order.
    pub books: Vec<Entry>,
    /// What clients asked and were told, in any order.
    pub recorded: Vec<Recorded>,
}

/// Examines everything and reports every contradiction; an empty report means that there is none.
#[must_use]
pub fn audit(evidence: &Evidence) -> Report {
    let index = Index::of(&evidence.rows);
    let answers = Answers::of(&evidence.recorded);
    let mut report = Report::default();
    checks::run(evidence, &index, &answers, &mut report);
    report
}
