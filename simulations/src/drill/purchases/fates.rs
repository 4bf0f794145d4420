//! What became of each order, as its buyer sees it once nothing moves any more.

use std::collections::BTreeMap;
use std::fmt;

use super::Bought;
use crate::DrillError;
use crate::client::{Answer, Request};

/// How many orders ended as what.
#[derive(Debug, Default)]
pub(super) struct Fates {
    ended: BTreeMap<String, u32>,
    wrong: Vec<String>,
}

impl Fates {
    /// Asks each buyer's order; all holds are over. Of an event that takes place.
    pub(super) async fn of(bought: &[Bought]) -> Result<Self, DrillError> {
        Self::asked(bought, is_over).await
    }

    /// The same of an event that was called off: nothing that was taken is kept.
    pub(super) async fn of_called_off(bought: &[Bought]) -> Result<Self, DrillError> {
        Self::asked(bought, |seen| is_over(seen) && seen.text("status") != "captured").await
    }

    async fn asked(bought: &[Bought], is_right: fn(&Answer) -> bool) -> Result<Self, DrillError> {
        let mut fates = Self::default();
        for (buyer, order) in bought {
            let seen = buyer.ask(&Request::get(format!("/orders/{order}"))).await?;
            let status = seen.text("status").to_owned();
            if !is_right(&seen) {
                fates.wrong.push(format!("order {order} is `{status}`: {}", seen.body));
            }
            *fates.ended.entry(status).or_default() += 1;
        }
        Ok(fates)
    }

    /// Orders that came to no end, or to a wrong one.
    pub(super) fn complaint(&self) -> Option<String> {
        (!self.wrong.is_empty()).then(|| self.wrong.join("\n"))
    }
}

/// Nobody may try to pay again: its hold is over.
fn is_over(order: &Answer) -> bool {
    order.is_at_rest() && order.text("status") != "declined"
}

impl fmt::Display for Fates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (status, orders) in &self.ended {
            writeln!(f, "  {status:<17} {orders:>8}")?;
        }
        Ok(())
    }
}
