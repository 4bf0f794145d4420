//! Who moves money, and what is needed to ask for it. A provider's secrets are asked for only where it is
//! the one that is asked.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::ConfigError;
use super::secret::given;
use crate::payment_provider::SignedWith;

/// `[payments]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payments {
    /// Who is asked for money.
    pub provider: Provider,
    /// Where the simulated provider listens.
    pub simulated_url: String,
    pub(super) patience_ms: u64,
    /// Attempts in work at once.
    pub in_work_max: usize,
    /// Attempts an order.
    pub attempts_max: u32,
    pub(super) capture_grace_hours: u64,
    /// Whether tickets are void once a bank has taken their money back.
    pub chargeback_voids_tickets: bool,
    /// How Stripe is used, if it is asked.
    pub stripe: Stripe,
}

impl Payments {
    /// How long one question to the provider may take.
    #[must_use]
    pub fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms)
    }

    /// How long somebody may take to settle a capture that was refused.
    #[must_use]
    pub fn capture_grace(&self) -> Duration {
        Duration::from_secs(self.capture_grace_hours * 3_600)
    }
}

/// A payment provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The one that comes with taquilla.
    Simulated,
    /// Stripe.
    Stripe,
}

/// `[payments.stripe]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stripe {
    secret_key: SecretString,
    secret_key_file: PathBuf,
    webhook_secrets: SecretString,
    webhook_secrets_file: PathBuf,
    api_base: String,
    return_url: String,
    pub(super) key_life_seconds: u64,
    pub(super) unknown_max_seconds: u64,
}

impl Stripe {
    /// The key of Stripe's API.
    ///
    /// # Errors
    /// [`ConfigError`] if it is not set, its file cannot be read, or it is another kind of key.
    pub fn secret_key(&self) -> Result<SecretString, ConfigError> {
        let name = "payments.stripe.secret_key";
        let key = given(name, &self.secret_key, &self.secret_key_file)?;
        if !["sk_", "rk_"].iter().any(|prefix| key.expose_secret().starts_with(prefix)) {
            return Err(ConfigError::value(
                name,
                "begins with sk_ or rk_: a secret or restricted key",
            ));
        }
        Ok(key)
    }

    /// What Stripe signs its events with: one secret, or two while one is being replaced.
    ///
    /// # Errors
    /// [`ConfigError`] if none is set, or their file cannot be read.
    pub fn webhook_secrets(&self) -> Result<SignedWith, ConfigError> {
        let key = "payments.stripe.webhook_secrets";
        let all = given(key, &self.webhook_secrets, &self.webhook_secrets_file)?;
        let separate = |character: char| character == ',' || character.is_whitespace();
        let each = all.expose_secret().split(separate).filter(|secret| !secret.is_empty());
        let secrets: Vec<SecretString> = each.map(SecretString::from).collect();
        if secrets.is_empty() {
            return Err(ConfigError::value(key, "names one secret at least, such as whsec_…"));
        }
        Ok(SignedWith::new(secrets))
    }

    /// Where its API is.
    ///
    /// # Errors
    /// [`ConfigError`] if it is no such address, or would carry a live key in the open.
    pub fn api_base(&self) -> Result<Url, ConfigError> {
        let base = web_page(&self.api_base).filter(|url| url.query().is_none());
        let wrong = |rule| ConfigError::value("payments.stripe.api_base", rule);
        let base = base.ok_or_else(|| wrong("is a URL such as https://api.stripe.com"))?;
        if base.scheme() == "http" && self.secret_key().is_ok_and(|key| is_live(&key)) {
            return Err(wrong("is https where payments.stripe.secret_key is a live one"));
        }
        Ok(base)
    }

    /// Where a bank's page sends the buyer back to, if there are such pages.
    ///
    /// # Errors
    /// [`ConfigError`] if it is no address of a page.
    pub fn return_url(&self) -> Result<Option<Url>, ConfigError> {
        if self.return_url.is_empty() {
            return Ok(None);
        }
        let rule = "is empty, or a page of the shop such as https://shop.example/paid";
        let url = web_page(&self.return_url);
        url.map(Some).ok_or_else(|| ConfigError::value("payments.stripe.return_url", rule))
    }

    /// How long Stripe is sure to remember an idempotency key.
    #[must_use]
    pub fn key_life(&self) -> Duration {
        Duration::from_secs(self.key_life_seconds)
    }

    /// How long an attempt may stay unknown.
    #[must_use]
    pub fn unknown_max(&self) -> Duration {
        Duration::from_secs(self.unknown_max_seconds)
    }
}

/// An address of HTTP: without the scheme, a port would be taken for the path of a scheme of its own.
pub(super) fn web_page(text: &str) -> Option<Url> {
    let is_http = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    Url::parse(text).ok().filter(is_http)
}

/// Whether the key moves real money: `sk_live_…` or, restricted, `rk_live_…`.
fn is_live(key: &SecretString) -> bool {
    key.expose_secret().get(2..).is_some_and(|rest| rest.starts_with("_live_"))
}
