//! Looking for what carries our ids, in Stripe's listings. *Not there* is only said once everything that
//! could be it has been read.

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

/// The newest payment intent of this attempt among the listed.
pub(super) async fn payment_intent(
    client: &StripeClient,
    attempt: &str,
    listed: &Listed,
) -> Found<PaymentIntent> {
    let page = |after: Option<String>| async move { client.list(listed, after.as_deref()).await };
    let is_it = |intent: &PaymentIntent| intent.metadata(ATTEMPT_ID) == Some(attempt);
    first(page, |intent| &intent.id, is_it).await
}

/// The refund of this id, among those of the payment.
pub(super) async fn refund(client: &StripeClient, reference: &str, id: &str) -> Found<Refund> {
    let page =
        |after: Option<String>| async move { client.refunds(reference, after.as_deref()).await };
    first(page, |refund| &refund.id, |refund| refund.metadata(REFUND_ID) == Some(id)).await
}

/// The first that is it, page after page.
async fn first<T, F>(
    page: impl Fn(Option<String>) -> F,
    name: impl Fn(&T) -> &String,
    is_it: impl Fn(&T) -> bool,
) -> Found<T>
where
    F: Future<Output = Result<Page<T>, String>>,
{
    let mut after = None;
    for _ in 0..PAGES_MAX {
        let page = match page(after).await {
            Ok(page) => page,
            Err(why) => return Found::Unanswered(why),
        };
        after = next(&page, &name);
        if let Some(it) = page.data.into_iter().find(&is_it) {
            return Found::It(it);
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
