//! What buyers and their banks do at the payment provider, past the server. Nothing of it is recorded:
//! the provider's books say what was done.

use std::time::Duration;

use serde_json::json;

use crate::DrillError;

/// A provider that keeps silent does so for longer than this.
const ANSWER_MAX: Duration = Duration::from_secs(3);

/// The way to the provider. Cheap to copy.
#[derive(Debug, Clone)]
pub struct Bank {
    http: reqwest::Client,
    url: String,
}

impl Bank {
    /// The banks behind the provider at `url`.
    ///
    /// # Errors
    /// If no HTTP client can be made.
    pub fn new(url: &str) -> Result<Self, DrillError> {
        let http = reqwest::Client::builder().timeout(ANSWER_MAX).build()?;
        Ok(Self { http, url: url.to_owned() })
    }

    /// The buyer answers the challenge at this page, yes or no.
    ///
    /// # Errors
    /// If the page does not answer, or there is none.
    pub async fn answer_challenge(&self, page: &str, accepts: bool) -> Result<(), DrillError> {
        let answer = if accepts { "accept" } else { "decline" };
        let answered = self.http.get(format!("{page}?answer={answer}")).send().await?;
        // A conflict: the payment was withdrawn before.
        let is_a_page = answered.status().is_success() || answered.status() == 409;
        if is_a_page {
            return Ok(());
        }
        Err(DrillError::Broken(format!("{page}: {}", answered.status())))
    }

    /// The buyer's bank takes `amount` of this authorisation back, unless the provider fails: whether it
    /// was done, its books tell.
    pub async fn charge_back(&self, reference: &str, amount: i64) {
        let url = format!("{}/authorisations/{reference}/chargeback", self.url);
        let asked = self.http.post(url).header("Idempotency-Key", format!("bank-{reference}"));
        let _told_by_the_books = asked.json(&json!({"amount": amount})).send().await;
    }
}
