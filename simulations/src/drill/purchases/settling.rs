//! The wait for the end of everything that was begun.

use std::time::{Duration, Instant};

use taquilla_auditor::{Entry, EntryKind, OrderStatus, RefundStatus, Rows};

use crate::DrillError;
use crate::stage::Stage;

/// An attempt that the provider does not know is given up after a minute; questions that fail one after
/// the other come up to 45 s apart, and a webhook that failed often a minute.
const SETTLED_MAX: Duration = Duration::from_secs(240);
/// Between two looks at all rows.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Waits until nothing is under way, and says now and then what is.
pub(super) async fn wait(stage: &Stage) -> Result<(), DrillError> {
    let started = Instant::now();
    let mut said = Duration::ZERO;
    loop {
        let left = Left::of(&stage.rows().await?, &stage.books().await?);
        if left.is_nothing() {
            return Ok(());
        }
        let waited = started.elapsed();
        if waited >= SETTLED_MAX {
            let after_seconds = waited.as_secs();
            return Err(DrillError::Late { for_what: format!("{left:?}"), after_seconds });
        }
        if waited >= said {
            println!("  settling, {:>3} s: {}", waited.as_secs(), left.counts());
            said = waited + Duration::from_secs(5);
        }
        tokio::time::sleep(LOOK_AGAIN).await;
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
        let orders = rows.orders.iter().filter(|it| it.status == OrderStatus::Open);
        let attempts = rows.attempts.iter().filter(|it| !it.is_at_rest());
        let refunds = rows.refunds.iter().filter(|it| it.status == RefundStatus::Due);
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
