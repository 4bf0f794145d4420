//! The simulated provider, seen from outside: one request, one typed answer.
//!
//! It retries nothing, decides nothing and remembers nothing. It tells apart three things that are
//! easily taken for one:
//!
//! | what came | what it says | the next try |
//! |---|---|---|
//! | an answer | it was done, or definitely not ([`Refused`]) | none |
//! | an error, 5xx ([`ErrorAnswer`]) | done or not, and this key says so for ever | by another key |
//! | none ([`Unknown`]) | done, or not, or not yet | by the same key |
//!
//! Another key for the same attempt, or for the same refund, never does it twice. A capture or void
//! that had been done is [`Refused`] under another key, as `already_captured` or `already_voided`.
//! Whether an answer names the right order, amount and currency
//! is for the caller to check.

mod answer;
mod ask;
mod authorisation;
mod page;

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use serde::Serialize;
use uuid::Uuid;

pub use answer::{ErrorAnswer, Lookup, Moved, Outcome, Refused, Unanswered, Unknown};
pub use authorisation::{Authorisation, Declined, Failure, Refund, RequiredAction};
pub use page::{Item, Page, Status};

use answer::{Decided, Said};
use ask::{ANSWER_BYTES_MAX, PAGE_BYTES_MAX};

/// A client of one provider. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct SimulatedProviderClient {
    http: Client,
    base_url: Url,
}

/// What is to be authorised.
#[derive(Debug, Clone, Serialize)]
pub struct AuthorisationRequest {
    /// The order that is paid.
    pub order_id: Uuid,
    /// The attempt to pay it.
    pub attempt_id: Uuid,
    /// Minor units, at least 1.
    pub amount: u64,
    /// ISO 4217, three letters.
    pub currency: String,
    /// The provider's name of a payment method, such as `sim_ok`.
    pub payment_method: String,
}

#[derive(Serialize)]
struct NoBody {}

#[derive(Serialize)]
struct RefundBody {
    amount: u64,
    refund_id: Uuid,
}

#[derive(Serialize)]
struct EndpointBody<'a> {
    url: &'a str,
    secret: &'a str,
}

impl SimulatedProviderClient {
    /// A client of the provider at `base_url`. Every request ends within `deadline`, in
    /// [`Unknown::TimedOut`] if need be.
    ///
    /// Fails if the process cannot set up TLS.
    pub fn new(base_url: Url, deadline: Duration) -> Result<Self, reqwest::Error> {
        let http = Client::builder()
            .timeout(deadline)
            // A proxy or a redirect would answer in the provider's name.
            .no_proxy()
            .redirect(Policy::none())
            .build()?;
        Ok(Self { http, base_url })
    }

    /// Asks for the authorisation of an attempt, once for each `key` (1 to 255 visible ASCII
    /// characters). If the attempt has one already, whatever its key, the answer is that one.
    pub async fn authorise(&self, key: &str, request: &AuthorisationRequest) -> Outcome {
        self.post::<Decided>(&["authorisations"], key, request).await.into()
    }

    /// Captures the whole amount.
    pub async fn capture(&self, reference: &str, key: &str) -> Moved {
        self.post(&["authorisations", reference, "capture"], key, &NoBody {}).await.into()
    }

    /// Lets the whole amount go. What still waits for the buyer's action is withdrawn, for good.
    pub async fn void(&self, reference: &str, key: &str) -> Moved {
        self.post(&["authorisations", reference, "void"], key, &NoBody {}).await.into()
    }

    /// Pays back `amount` minor units of what was captured, once for each `refund_id`.
    pub async fn refund(&self, reference: &str, key: &str, refund_id: Uuid, amount: u64) -> Moved {
        let body = RefundBody { amount, refund_id };
        self.post(&["authorisations", reference, "refund"], key, &body).await.into()
    }

    /// What became of the authorisation of an attempt, whichever key asked for it.
    pub async fn find_by_attempt(&self, attempt_id: Uuid) -> Lookup {
        let mut url = self.url(&["authorisations"]);
        url.query_pairs_mut().append_pair("attempt_id", &attempt_id.to_string());
        match ask::ask::<Decided>(self.http.get(url), ANSWER_BYTES_MAX).await {
            Said::Answer(Decided::Authorised(authorisation)) => Lookup::Authorised(authorisation),
            Said::Answer(Decided::RequiresAction(action)) => Lookup::RequiresAction(action),
            Said::Answer(Decided::Declined(declined)) => Lookup::Declined(declined),
            Said::Answer(Decided::Pending {}) => Lookup::Pending,
            Said::Refused(refused) if refused.status == StatusCode::NOT_FOUND => Lookup::Absent,
            Said::Refused(refused) => Lookup::Refused(refused),
            Said::Error(error) => Lookup::Unknown(Unknown::Status { status: error.status }),
            Said::Nothing(unknown) => Lookup::Unknown(unknown),
        }
    }

    /// Up to 100 authorisations, declines included, in the order of booking: from the first, or
    /// from a page's `next_cursor`.
    pub async fn list(&self, cursor: Option<&str>) -> Result<Page, Unanswered> {
        let mut url = self.url(&["authorisations"]);
        if let Some(cursor) = cursor {
            url.query_pairs_mut().append_pair("cursor", cursor);
        }
        ask::ask(self.http.get(url), PAGE_BYTES_MAX).await.answered()
    }

    /// Sets where webhooks go and the secret that signs them, in the place of any before. It
    /// survives the provider's restarts.
    pub async fn set_webhook_endpoint(&self, to: &Url, secret: &str) -> Result<(), Unanswered> {
        let body = EndpointBody { url: to.as_str(), secret };
        let request = self.http.put(self.url(&["webhook-endpoint"])).json(&body);
        ask::command(request).await.answered()
    }

    async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        key: &str,
        body: &impl Serialize,
    ) -> Said<T> {
        let request = self.http.post(self.url(path)).header(ask::IDEMPOTENCY_KEY, key).json(body);
        ask::ask(request, ANSWER_BYTES_MAX).await
    }

    /// The path's segments are escaped, so a reference cannot lead elsewhere.
    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base_url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }
}
