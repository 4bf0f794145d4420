//! Looking for what carries our ids, in Stripe's listings. *Not there* is only said once everything that
//! could be it has been read.

use super::client::{ATTEMPT_ID, Listed, REFUND_ID, StripeClient};
use super::intent::{Page, PaymentIntent, Refund, came_to_nothing};

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

/// Every refund of one id.
#[derive(Default)]
pub(super) struct Refunds {
    /// The one that is with the buyer, or on its way to him, if there is one.
    pub(super) stands: Option<Refund>,
    /// How many came to nothing, and one of them. Not counted beside one that stands.
    pub(super) failed: u32,
    pub(super) latest_failed: Option<Refund>,
}

/// The refunds of this id, among those of the payment. Each that came to nothing stays listed, beside the one
/// that was made in its place.
pub(super) async fn refunds(client: &StripeClient, reference: &str, id: &str) -> Found<Refunds> {
    let page =
        |after: Option<String>| async move { client.refunds(reference, after.as_deref()).await };
    let mut found = Refunds::default();
    let stands = first(
        page,
        |refund| &refund.id,
        |refund: &Refund| {
            if refund.metadata(REFUND_ID) != Some(id) {
                return false;
            }
            let is_nothing = came_to_nothing(refund.status.as_deref());
            if is_nothing {
                found.failed += 1;
                // The newest come first.
                found.latest_failed.get_or_insert_with(|| refund.clone());
            }
            !is_nothing
        },
    );
    match stands.await {
        Found::It(refund) => found.stands = Some(refund),
        Found::Absent if found.failed == 0 => return Found::Absent,
        Found::Absent => {}
        Found::TooMany => return Found::TooMany,
        Found::Unanswered(why) => return Found::Unanswered(why),
    }
    Found::It(found)
}

/// The first that is it, page after page.
async fn first<T, F>(
    page: impl Fn(Option<String>) -> F,
    name: impl Fn(&T) -> &String,
    mut is_it: impl FnMut(&T) -> bool,
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
        if let Some(it) = page.data.into_iter().find(&mut is_it) {
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
