//! What differs between the providers that the suite is run with.

mod simulated;
mod stripe;

use std::sync::Arc;

use axum::http::Method;
use reqwest::Url;
use serde_json::Value;
use taquilla_api::payment_provider::NoticeReader;
use taquilla_engine::clock::Clock;
use taquilla_engine::payment::PaymentProvider;

pub(super) use simulated::Simulated;
pub(super) use stripe::{LocalStripe, dispute};

use super::wire::Step;

/// What a buyer pays with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pays {
    Well,
    /// The bank says no.
    Declined,
    /// The bank asks the buyer first.
    Challenged,
}

/// Money of one order, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Books {
    /// Set aside, and neither taken nor let go.
    pub(super) reserved: i64,
    /// Taken, ever.
    pub(super) captured: i64,
    /// Given back, ever.
    pub(super) refunded: i64,
}

/// A provider that runs for the test alone, and its adapter.
pub(super) trait Provider: Sized {
    /// As attempts, webhook paths and the suite's list of what is left out call it.
    const NAME: &'static str;
    /// The header that its notices are signed in.
    const SIGNATURE: &'static str;

    /// What a purchase that is given back asks for, one after the other.
    const STEPS: &'static [Step];

    async fn start() -> Self;

    fn base(&self) -> Url;

    /// What a request asks for.
    fn step(method: &Method, path: &str) -> Step;

    /// The adapter that reaches it at this address.
    fn adapter(base: Url, clock: Arc<dyn Clock>) -> Arc<dyn PaymentProvider>;

    fn reader(secret: &str) -> Arc<dyn NoticeReader>;

    /// A token for `POST /orders/{id}/payments`.
    async fn method(&self, pays: Pays) -> String;

    /// The buyer of this attempt, as the API shows it, does what the bank wants, or not. Says whether that
    /// could still be done.
    async fn answer(&self, attempt: &Value, does: bool) -> bool;

    /// What is reserved for this attempt is let go by hand.
    async fn let_go(&self, attempt: &Value);

    /// Its own books of this order.
    async fn books(&self, order: &str) -> Books;

    /// How many records it has of this order's attempts, whatever became of them.
    async fn records(&self, order: &str) -> usize;

    /// A notice of its own shape that says that there is money under this attempt of this order.
    fn notice(id: &str, order: &str, attempt: &Value) -> Value;

    /// The bank of this attempt's buyer takes so much back: its notice.
    async fn charge_back(&self, id: &str, order: &str, attempt: &Value, amount: i64) -> Value;

    /// From now on it tells by itself.
    async fn tell(&self, url: &Url, secret: &str);
}
