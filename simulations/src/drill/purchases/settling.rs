//! The wait for the end of everything that was begun.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use taquilla_auditor::{
    AttemptStatus, Entry, EntryKind, OrderStatus, RefundStatus, Rows, TicketStatus,
};
use uuid::Uuid;

use crate::stage::Stage;
use crate::{DrillError, patience};

/// An attempt that the provider does not know is given up after a minute; questions that fail one after
/// the other come up to 45 s apart, and a webhook that failed often a minute.
const SETTLED_MAX: Duration = Duration::from_secs(240);
/// How long the wire to Stripe goes on to fail meanwhile: a refund takes two questions, and of four tries
/// in a row one in six comes to nothing.
const FAULTS_MAX: Duration = Duration::from_secs(15);
/// Between two looks at all rows.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Between two words about what is left.
const SAID_AGAIN: Duration = Duration::from_secs(5);

/// Waits until nothing is under way, and says now and then what is.
pub(super) async fn wait(stage: &Stage) -> Result<(), DrillError> {
    let started = Instant::now();
    let (mut said, mut left_last) = (Duration::ZERO, None);
    let settled = patience::until("nothing under way", SETTLED_MAX, LOOK_AGAIN, async || {
        let left = Left::of(&stage.rows().await?, &stage.books().await?);
        if left.is_nothing() {
            return Ok(Some(()));
        }
        let waited = started.elapsed();
        // What was begun among faults comes to its end once they stop.
        stage.spare_the_wire(waited >= FAULTS_MAX);
        if waited >= said {
            println!("  settling, {:>3} s: {}", waited.as_secs(), left.counts());
            said = waited + SAID_AGAIN;
        }
        left_last = Some(left);
        Ok(None)
    });
    match (settled.await, left_last) {
        (Err(DrillError::Late { after_seconds, .. }), Some(left)) => {
            Err(DrillError::Late { for_what: format!("{left:?}"), after_seconds })
        }
        (settled, _) => settled,
    }
}

/// What is under way.
#[derive(Debug)]
struct Left {
    orders: Vec<String>,
    attempts: Vec<String>,
    refunds: Vec<String>,
    notices: Vec<String>,
    /// Booked by the provider, and not by the server.
    charge_backs: usize,
}

impl Left {
    fn of(rows: &Rows, books: &[Entry]) -> Self {
        let waiting = waiting_for_somebody(rows);
        let waits = |order: &Uuid| waiting.contains(order);
        let orders = rows.orders.iter().filter(|it| it.status == OrderStatus::Open);
        let attempts = rows.attempts.iter().filter(|it| !it.is_final() && !waits(&it.order));
        let refunds = rows.refunds.iter().filter(|it| it.status == RefundStatus::Due);
        let refunds = refunds.filter(|it| !waits(&it.order));
        let notices = rows.notices.iter().filter(|it| !it.is_settled);
        let taken_back = books.iter().filter(|it| it.kind == EntryKind::Chargeback).count();
        let booked = rows.ledger.iter().filter(|it| it.is_charge_back_by_provider()).count();
        Self {
            orders: orders.map(|it| it.id.to_string()).collect(),
            attempts: attempts.map(|it| format!("{} is {:?}", it.id, it.status)).collect(),
            refunds: refunds.map(|it| format!("{} of order {}", it.id, it.order)).collect(),
            notices: notices.map(|it| format!("{it:?}")).collect(),
            charge_backs: taken_back.saturating_sub(booked),
        }
    }

    fn is_nothing(&self) -> bool {
        let Self { orders, attempts, refunds, notices, charge_backs } = self;
        let lists = [orders, attempts, refunds, notices];
        lists.iter().all(|it| it.is_empty()) && *charge_backs == 0
    }

    fn counts(&self) -> String {
        let Self { orders, attempts, refunds, notices, charge_backs } = self;
        format!(
            "{} orders, {} attempts, {} refunds, {} notices, {charge_backs} chargebacks",
            orders.len(),
            attempts.len(),
            refunds.len(),
            notices.len()
        )
    }
}

/// Orders whose capture was refused and that still have tickets: for a day somebody may settle them, and
/// what is owed for those of their tickets that came back waits as well.
fn waiting_for_somebody(rows: &Rows) -> HashSet<Uuid> {
    let in_force = rows.tickets.iter().filter(|it| it.status != TicketStatus::Void);
    let in_force: HashSet<Uuid> = in_force.map(|it| it.order).collect();
    let refused = rows.attempts.iter().filter(|it| it.status == AttemptStatus::CaptureFailed);
    refused.map(|it| it.order).filter(|order| in_force.contains(order)).collect()
}
