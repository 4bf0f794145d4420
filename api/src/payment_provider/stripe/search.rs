//! Looking for what carries our ids, in Stripe's listings. *Not there* is only said once everything that
//! could be it has been read.

use std::ops::RangeInclusive;

use super::client::{ATTEMPT_ID, Listed, REFUND_ID, StripeClient};
use super::intent::{Page, PaymentIntent, Refund};

/// Pages of one search: a thousand records, and a few seconds.
const PAGES_MAX: usize = 10;

/// How a search ended.
pub(super) enum Found<T> {
    /// With this.
    It(T),
    /// Everything was read, and nothing carries the id.
    Absent,
    /// There is more than is read.
    TooMany,
    /// Stripe did not answer.
    Unanswered(String),
}

/// The newest payment intent of this attempt, created in these seconds since 1970.
pub(super) async fn payment_intent(
    client: &StripeClient,
    attempt: &str,
    created: RangeInclusive<i64>,
) -> Found<PaymentIntent> {
    let mut listed = Listed { created: Some(created), after: None };
    for _ in 0..PAGES_MAX {
        let page = match client.list(&listed).await {
            Ok(page) => page,
            Err(why) => return Found::Unanswered(why),
        };
        listed.after = next(&page, |intent| &intent.id);
        let is_it = |intent: &PaymentIntent| intent.metadata(ATTEMPT_ID) == Some(attempt);
        if let Some(intent) = page.data.into_iter().find(is_it) {
            return Found::It(intent);
        }
        if listed.after.is_none() {
            return Found::Absent;
        }
    }
    Found::TooMany
}

/// The refund of this id, among those of the payment.
pub(super) async fn refund(client: &StripeClient, reference: &str, id: &str) -> Found<Refund> {
    let mut after = None;
    for _ in 0..PAGES_MAX {
        let page = match client.refunds(reference, after.as_deref()).await {
            Ok(page) => page,
            Err(why) => return Found::Unanswered(why),
        };
        after = next(&page, |refund| &refund.id);
        let is_it = |refund: &Refund| refund.metadata(REFUND_ID) == Some(id);
        if let Some(refund) = page.data.into_iter().find(is_it) {
            return Found::It(refund);
        }
        if after.is_none() {
            return Found::Absent;
        }
    }
    Found::TooMany
}

/// Where the next page begins; none after the last.
pub(super) fn next<T>(page: &Page<T>, id: impl Fn(&T) -> &String) -> Option<String> {
    if page.has_more { page.data.last().map(id).cloned() } else { None }
}
