//! What became of each order, as its buyer sees it once nothing moves any more.

use std::collections::BTreeMap;
use std::fmt;

use super::Bought;
use crate::DrillError;
use crate::client::Request;

/// What never changes again, or waits for somebody to settle it.
const ENDS: [&str; 6] =
    ["captured", "capture_failed", "expired", "cancelled", "voided", "refunded"];

/// How many orders ended as what.
#[derive(Debug, Default)]
pub(super) struct Fates {
    ended: BTreeMap<String, u32>,
    endless: Vec<String>,
}

impl Fates {
    /// Asks each buyer's order.
    pub(super) async fn of(bought: Vec<Bought>) -> Result<Self, DrillError> {
        let mut fates = Self::default();
        for (buyer, order) in bought {
            let seen = buyer.ask(&Request::get(format!("/orders/{order}"))).await?;
            let status = seen.text("status").to_owned();
            if !ENDS.contains(&status.as_str()) {
                fates.endless.push(format!("order {order} is `{status}`: {}", seen.body));
            }
            *fates.ended.entry(status).or_default() += 1;
        }
        Ok(fates)
    }

    /// Orders that came to no end.
    pub(super) fn complaint(&self) -> Option<String> {
        (!self.endless.is_empty()).then(|| self.endless.join("\n"))
    }
}

impl fmt::Display for Fates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (status, orders) in &self.ended {
            writeln!(f, "  {status:<17} {orders:>8}")?;
        }
        Ok(())
    }
}
