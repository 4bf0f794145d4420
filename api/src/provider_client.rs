//! The simulated provider, seen from outside: one request, one typed answer.
//!
//! It retries nothing, decides nothing and remembers nothing. It tells apart what the provider said
//! from not knowing ([`Unknown`]): a time-out, a lost connection, a 5xx or an unreadable answer may
//! each hide an operation that was done, and a refused connection says nothing of an earlier try.
//! Repeating with the same key is always safe. Whether an answer names the right order, amount and
//! currency is for the caller to check.

mod answer;

use std::time::Duration;

use reqwest::header::HeaderName;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, StatusCode, Url};
use serde::Serialize;
use uuid::Uuid;

pub use answer::{Authorisation, Declined, Failure, Lookup, Outcome, Refused, Unknown};

use answer::{Decided, read_answer};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

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

    /// Asks for an authorisation, once for each `key` (1 to 255 visible ASCII characters).
    pub async fn authorise(&self, key: &str, request: &AuthorisationRequest) -> Outcome {
        self.post(&["authorisations"], key, request).await
    }

    /// Captures the whole amount. A second capture with another key is [`Refused`].
    pub async fn capture(&self, reference: &str, key: &str) -> Outcome {
        self.post(&["authorisations", reference, "capture"], key, &NoBody {}).await
    }

    /// Lets the whole amount go. Refused once it is captured or voided.
    pub async fn void(&self, reference: &str, key: &str) -> Outcome {
        self.post(&["authorisations", reference, "void"], key, &NoBody {}).await
    }

    /// Pays back `amount` minor units of what was captured.
    pub async fn refund(&self, reference: &str, key: &str, amount: u64) -> Outcome {
        self.post(&["authorisations", reference, "refund"], key, &RefundBody { amount }).await
    }

    /// What became of the authorisation that `key` asked for.
    pub async fn find_by_key(&self, key: &str) -> Lookup {
        let mut url = self.url(&["authorisations"]);
        url.query_pairs_mut().append_pair("idempotency_key", key);
        match read_answer(self.http.request(Method::GET, url)).await {
            Ok(Decided::Authorised(authorisation)) => Lookup::Authorised(authorisation),
            Ok(Decided::Declined(declined)) => Lookup::Declined(declined),
            Ok(Decided::Pending {}) => Lookup::Pending,
            Ok(Decided::Refused(refused)) if refused.status == StatusCode::NOT_FOUND => {
                Lookup::Absent
            }
            Ok(Decided::Refused(refused)) => Lookup::Refused(refused),
            Err(unknown) => Lookup::Unknown(unknown),
        }
    }

    async fn post(&self, path: &[&str], key: &str, body: &impl Serialize) -> Outcome {
        let request = self.http.request(Method::POST, self.url(path));
        match read_answer(request.header(IDEMPOTENCY_KEY, key).json(body)).await {
            Ok(Decided::Authorised(authorisation)) => Outcome::Authorised(authorisation),
            Ok(Decided::Declined(declined)) => Outcome::Declined(declined),
            Ok(Decided::Refused(refused)) => Outcome::Refused(refused),
            // Only a look-up may find it still in work.
            Ok(Decided::Pending {}) => {
                Outcome::Unknown(Unknown::Unreadable { reason: "a pending answer".to_owned() })
            }
            Err(unknown) => Outcome::Unknown(unknown),
        }
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
