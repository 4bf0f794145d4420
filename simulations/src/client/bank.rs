//! What buyers and their banks do at the payment provider, past the server. Nothing of it is recorded:
//! the provider's books say what was done.

use std::time::Duration;

use serde_json::{Value, json};

use crate::DrillError;

/// A provider that keeps silent does so for longer than this.
const ANSWER_MAX: Duration = Duration::from_secs(3);

/// The way to the provider. Cheap to copy.
#[derive(Debug, Clone)]
pub struct Bank {
    http: reqwest::Client,
    url: String,
    at: At,
}

#[derive(Debug, Clone)]
enum At {
    Simulated,
    Stripe { key: String },
}

impl Bank {
    /// The banks behind the simulated provider at `url`.
    ///
    /// # Errors
    /// If no HTTP client can be made.
    pub fn simulated(url: &str) -> Result<Self, DrillError> {
        Self::at(url, At::Simulated)
    }

    /// The banks behind localstripe at `url`, which takes this key.
    ///
    /// # Errors
    /// If no HTTP client can be made.
    pub fn stripe(url: &str, key: &str) -> Result<Self, DrillError> {
        Self::at(url, At::Stripe { key: key.to_owned() })
    }

    fn at(url: &str, at: At) -> Result<Self, DrillError> {
        let http = reqwest::Client::builder().timeout(ANSWER_MAX).build()?;
        Ok(Self { http, url: url.to_owned(), at })
    }

    /// What the server is given for this method of the simulated provider: itself, or a card that localstripe
    /// treats like it, as far as it can.
    ///
    /// # Errors
    /// If localstripe does not make a method of the card.
    pub async fn token(&self, method: &str) -> Result<String, DrillError> {
        let At::Stripe { key } = &self.at else { return Ok(method.to_owned()) };
        let card = match method {
            "sim_decline" | "sim_timeout_decline" => "4000000000000341",
            "sim_challenge" => "4000002500003155",
            _ => "4242424242424242",
        };
        let form = [
            ("type", "card"),
            ("card[number]", card),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2030"),
            ("card[cvc]", "123"),
        ];
        let url = format!("{}/v1/payment_methods", self.url);
        let made = self.http.post(url).bearer_auth(key).form(&form).send().await?;
        let made: Value = made.error_for_status()?.json().await?;
        let token = made["id"].as_str();
        token.map(Into::into).ok_or_else(|| DrillError::Broken(format!("no method: {made}")))
    }

    /// The buyer of this attempt answers what the bank asks, yes or no.
    ///
    /// # Errors
    /// If the bank does not answer, or has no such question.
    pub async fn answer_challenge(&self, attempt: &Value, accepts: bool) -> Result<(), DrillError> {
        let action = &attempt["next_action"];
        let asking = match &self.at {
            At::Simulated => {
                let page = action["url"].as_str().unwrap_or_default();
                let answer = if accepts { "accept" } else { "decline" };
                self.http.get(format!("{page}?answer={answer}"))
            }
            At::Stripe { key } => {
                let reference = attempt["provider_reference"].as_str().unwrap_or_default();
                let secret = action["client_secret"].as_str().unwrap_or_default();
                let url = format!("{}/v1/payment_intents/{reference}/_authenticate", self.url);
                let form = [("client_secret", secret), ("success", &accepts.to_string())];
                self.http.post(url).bearer_auth(key).form(&form)
            }
        };
        let status = asking.send().await?.status();
        // The payment was withdrawn before; localstripe finds the same bad of any request.
        let withdrawn = match self.at {
            At::Simulated => 409,
            At::Stripe { .. } => 400,
        };
        if status.is_success() || status == withdrawn {
            return Ok(());
        }
        Err(DrillError::Broken(format!("{action}: {status}")))
    }

    /// The buyer's bank takes `amount` of this authorisation back, unless the provider fails: whether it
    /// was done, its books tell. localstripe has no disputes.
    pub async fn charge_back(&self, reference: &str, amount: i64) {
        let At::Simulated = self.at else { return };
        let url = format!("{}/authorisations/{reference}/chargeback", self.url);
        let asked = self.http.post(url).header("Idempotency-Key", format!("bank-{reference}"));
        let _told_by_the_books = asked.json(&json!({"amount": amount})).send().await;
    }
}
