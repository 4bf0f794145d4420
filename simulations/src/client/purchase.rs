//! From a hold to its tickets: the requests, and the wait for what becomes of the money.

use serde_json::json;

use super::{Answer, Buyer, Request, Unresolved};

/// Of a long poll: short, so that who waits notices the end of the day.
const WAIT_SECONDS: u32 = 2;

impl Request {
    /// The order of this hold.
    pub fn order(hold: &str, key: impl Into<String>) -> Self {
        Self::post("/orders", key, json!({"hold_id": hold}))
    }

    /// An attempt to pay this order.
    pub fn payment(order: &str, key: impl Into<String>, method: &str) -> Self {
        Self::post(format!("/orders/{order}/payments"), key, json!({"payment_method": method}))
    }
}

impl Answer {
    /// Of an order: whether nothing more happens to it by itself. One that was declined may be paid again
    /// while its hold lives, and a capture that was refused waits for somebody.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        matches!(
            self.text("status"),
            "declined"
                | "captured"
                | "capture_failed"
                | "expired"
                | "cancelled"
                | "voided"
                | "refunded"
        )
    }
}

impl Buyer {
    /// Polls the order, so many times at most, until it is as wanted; what was seen last.
    ///
    /// # Errors
    /// [`Unresolved`], if a poll is.
    pub async fn watch(
        &self,
        order: &str,
        polls_max: u32,
        as_wanted: impl Fn(&Answer) -> bool,
    ) -> Result<Answer, Unresolved> {
        let look = Request::get(format!("/orders/{order}?wait_seconds={WAIT_SECONDS}"));
        let mut seen = self.ask(&look).await?;
        for _ in 1..polls_max {
            if as_wanted(&seen) {
                break;
            }
            seen = self.ask(&look).await?;
        }
        Ok(seen)
    }
}
