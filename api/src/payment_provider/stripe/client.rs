//! Stripe's REST API, as far as it is used: one request, one answer. It retries nothing and decides
//! nothing.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use taquilla_engine::payment::{Attempt, GiveBack};

use super::ask::{Said, ask};
use super::intent::{Page, PaymentIntent, Refund};

/// The version of the API whose shapes are read here. An account's own version may be another.
const API_VERSION: &str = "2024-06-20";

const VERSION: HeaderName = HeaderName::from_static("stripe-version");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// With the charge comes until when the money stays reserved.
const LATEST_CHARGE: (&str, &str) = ("expand[]", "latest_charge");

/// As many as Stripe gives at once.
const PAGE: &str = "100";

/// The names under which our ids are written beside Stripe's records.
pub(super) const ORDER_ID: &str = "order_id";
pub(in super::super) const ATTEMPT_ID: &str = "attempt_id";
pub(super) const REFUND_ID: &str = "refund_id";

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The secret key cannot be a header.
    #[error("payments.stripe.secret_key is made of visible ASCII characters")]
    Key,
    /// The process cannot set up TLS.
    #[error("TLS cannot be set up")]
    Tls(#[from] reqwest::Error),
}

/// Asks Stripe. Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub struct StripeClient {
    http: Client,
    base: Url,
}

/// Which payment intents are listed: those that were created in these seconds since 1970.
pub(super) struct Listed {
    pub(super) since: i64,
    pub(super) until: Option<i64>,
}

impl StripeClient {
    /// A client of the API at `base`, such as `https://api.stripe.com`. Every request ends within
    /// `deadline`.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn new(base: Url, key: &SecretString, deadline: Duration) -> Result<Self, ClientError> {
        let bearer = format!("Bearer {}", key.expose_secret());
        let mut bearer = HeaderValue::try_from(bearer).map_err(|_| ClientError::Key)?;
        // Shown nowhere.
        bearer.set_sensitive(true);
        let headers = [(AUTHORIZATION, bearer), (VERSION, HeaderValue::from_static(API_VERSION))];
        let http = Client::builder()
            .default_headers(HeaderMap::from_iter(headers))
            .timeout(deadline)
            // A proxy or a redirect would answer in Stripe's name, and hear the key.
            .no_proxy()
            .redirect(Policy::none())
            .build()?;
        Ok(Self { http, base })
    }

    /// Up to a hundred payment intents, newest first, each with its charge: what was given back stands
    /// there.
    pub(super) async fn list(
        &self,
        listed: &Listed,
        after: Option<&str>,
    ) -> Result<Page<PaymentIntent>, String> {
        let mut url = self.url(&["payment_intents"]);
        let until = listed.until.map(|until| ("created[lte]", until.to_string()));
        url.query_pairs_mut()
            .append_pair("expand[]", "data.latest_charge")
            .append_pair("limit", PAGE)
            .append_pair("created[gte]", &listed.since.to_string())
            .extend_pairs(until)
            .extend_pairs(after.map(|after| ("starting_after", after)));
        ask(self.http.get(url)).await.answered()
    }

    /// Opens a payment of this amount in Stripe's units. Nothing is reserved yet.
    pub(super) async fn create(&self, attempt: &Attempt, amount: i64) -> Said<PaymentIntent> {
        let (order, id) = (attempt.order.to_string(), attempt.id.to_string());
        let form = [
            ("amount", amount.to_string()),
            ("currency", attempt.money.currency.as_str().to_lowercase()),
            ("capture_method", "manual".into()),
            ("payment_method", attempt.method.clone()),
            ("payment_method_types[]", "card".into()),
            (&format!("metadata[{ORDER_ID}]"), order),
            (&format!("metadata[{ATTEMPT_ID}]"), id),
        ];
        let key = keyed(attempt.id, "create", attempt.errors);
        self.post(&["payment_intents"], Some(key), &form).await
    }

    /// Reserves the money, if the bank lets it go.
    pub(super) async fn confirm(
        &self,
        reference: &str,
        attempt: &Attempt,
        return_url: Option<&Url>,
    ) -> Said<PaymentIntent> {
        let (expand, what) = LATEST_CHARGE;
        let mut form = vec![(expand, what.to_owned())];
        form.extend(return_url.map(|url| ("return_url", url.to_string())));
        let key = keyed(attempt.id, "confirm", attempt.errors);
        self.post(&["payment_intents", reference, "confirm"], Some(key), &form).await
    }

    pub(super) async fn retrieve(&self, reference: &str) -> Said<PaymentIntent> {
        let mut url = self.url(&["payment_intents", reference]);
        url.query_pairs_mut().extend_pairs([LATEST_CHARGE]);
        ask(self.http.get(url)).await
    }

    /// Takes all that is reserved.
    pub(super) async fn capture(&self, reference: &str, attempt: &Attempt) -> Said<PaymentIntent> {
        let key = keyed(attempt.id, "capture", attempt.errors);
        self.post(&["payment_intents", reference, "capture"], Some(key), &[]).await
    }

    /// Lets go what is reserved, or ends what was only opened. Without a key: what is cancelled stays so,
    /// and an error of Stripe's would be repeated for the key.
    pub(super) async fn cancel(&self, reference: &str) -> Said<PaymentIntent> {
        self.post(&["payment_intents", reference, "cancel"], None, &[]).await
    }

    pub(super) async fn refund(
        &self,
        reference: &str,
        give_back: &GiveBack,
        amount: i64,
    ) -> Said<Refund> {
        let form = [
            ("payment_intent", reference.to_owned()),
            ("amount", amount.to_string()),
            (&format!("metadata[{REFUND_ID}]"), give_back.id.to_string()),
        ];
        let key = keyed(give_back.id, &format!("refund-{amount}"), give_back.errors);
        self.post(&["refunds"], Some(key), &form).await
    }

    /// Up to a hundred refunds of this payment, newest first.
    pub(super) async fn refunds(
        &self,
        reference: &str,
        after: Option<&str>,
    ) -> Result<Page<Refund>, String> {
        let mut url = self.url(&["refunds"]);
        url.query_pairs_mut()
            .append_pair("payment_intent", reference)
            .append_pair("limit", PAGE)
            .extend_pairs(after.map(|after| ("starting_after", after)));
        ask(self.http.get(url)).await.answered()
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &[&str],
        key: Option<String>,
        form: &[(&str, String)],
    ) -> Said<T> {
        let mut request = self.http.post(self.url(path)).form(form);
        if let Some(key) = key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        ask(request).await
    }

    /// The path's segments are escaped, so a reference cannot lead elsewhere.
    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        url
    }
}

/// After each error of Stripe's another one, since it repeats an error for its key.
fn keyed(id: impl std::fmt::Display, step: &str, errors: u32) -> String {
    format!("{id}-{step}-{errors}")
}
