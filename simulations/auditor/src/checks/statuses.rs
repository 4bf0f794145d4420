//! An order's status as its buyer saw it, one answer after the other. Needs the recording alone.

use std::collections::HashMap;

use uuid::Uuid;

use crate::answers::{Answers, OrderShown};
use crate::report::{Report, Rule};

pub(crate) fn check(answers: &Answers<'_>, report: &mut Report) {
    let mut by_order: HashMap<Uuid, Vec<&OrderShown<'_>>> = HashMap::new();
    for shown in &answers.orders {
        by_order.entry(shown.order).or_default().push(shown);
    }
    for shown in by_order.values_mut() {
        shown.sort_unstable_by_key(|shown| shown.at_end);
        for after in shown.iter() {
            // The latest that had been answered when this was asked: what overlaps has no order.
            let before = shown.partition_point(|it| it.at_end < after.at_start);
            let Some(before) = before.checked_sub(1).map(|place| shown[place]) else { continue };
            if !may_become(before.status, after.status) {
                report.find(Rule::StatusWentBack, format!("{before:?}, then {after:?}"));
            }
        }
    }
}

/// Whether an order may be shown as the one, and later as the other.
fn may_become(before: &str, after: &str) -> bool {
    before == after
        || match before {
            "pending_payment" => true,
            "authorizing" | "verifying" | "declined" => after != "pending_payment",
            "confirmed" => matches!(after, "captured" | "capture_failed" | "refunded"),
            "capture_failed" => matches!(after, "captured" | "refunded"),
            "captured" => after == "refunded",
            _ => false,
        }
}
