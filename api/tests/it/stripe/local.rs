//! localstripe, a fake of Stripe's API that others wrote, as a process of the test's own; and what a
//! buyer's page does with it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use reqwest::{Client, StatusCode, Url};
use serde_json::Value;
use taquilla_api::payment_provider::stripe::{StripeClient, StripeSettings};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Cards that it knows.
pub(crate) const VISA: &str = "4242424242424242";
pub(crate) const DECLINED: &str = "4000000000000341";
pub(crate) const ASKS_THE_BUYER: &str = "4000002500003155";

/// A running localstripe. Ends with the test, however that ends.
pub(crate) struct Local {
    pub(crate) base: Url,
    http: Client,
    _process: Child,
}

impl Local {
    pub(crate) async fn start() -> Self {
        let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = crate_folder.join("../target/tools/localstripe/bin/python");
        assert!(python.exists(), "run: sh config/install-tools.sh localstripe (make test does)");
        let mut process = Command::new(python)
            .arg(crate_folder.join("../config/serve-localstripe.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("Python starts");
        let stdout = process.stdout.take().expect("it is piped");
        let port = BufReader::new(stdout).lines().next_line().await.expect("it can be read");
        let port = port.expect("localstripe says its port");
        let base = Url::parse(&format!("http://127.0.0.1:{port}")).expect("a URL");
        Self { base, http: Client::new(), _process: process }
    }

    pub(crate) fn client(&self) -> StripeClient {
        Self::client_at(self.base.clone())
    }

    /// A client that reaches it at another address.
    pub(crate) fn client_at(base: Url) -> StripeClient {
        let deadline = Duration::from_secs(10);
        StripeClient::new(base, &"sk_test_1".into(), deadline).expect("a client")
    }

    /// A method for this card, as Stripe's script makes it in the buyer's page.
    pub(crate) async fn method(&self, card: &str) -> String {
        let form = [
            ("type", "card"),
            ("card[number]", card),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2030"),
            ("card[cvc]", "123"),
        ];
        let method = self.post("/v1/payment_methods", &form).await;
        method["id"].as_str().expect("a name").to_owned()
    }

    /// The buyer does what the bank wants, or not; says whether that could still be done.
    #[must_use]
    pub(crate) async fn authenticate(
        &self,
        reference: &str,
        client_secret: &str,
        success: bool,
    ) -> bool {
        let path = format!("/v1/payment_intents/{reference}/_authenticate");
        let success = if success { "true" } else { "false" };
        let form = [("client_secret", client_secret), ("success", success)];
        self.send(&path, &form).await.0.is_success()
    }

    /// Whatever its own API has, and what it answers.
    pub(crate) async fn post(&self, path: &str, form: &[(&str, &str)]) -> Value {
        let (status, text) = self.send(path, form).await;
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    async fn send(&self, path: &str, form: &[(&str, &str)]) -> (StatusCode, String) {
        let url = self.base.join(path).expect("a path");
        let request = self.http.post(url).bearer_auth("sk_test_1").form(form);
        let answer = request.send().await.expect("an answer");
        (answer.status(), answer.text().await.expect("text"))
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let url = self.base.join(path).expect("a path");
        let answer = self.http.get(url).bearer_auth("sk_test_1").send().await;
        answer.expect("an answer").json().await.expect("JSON")
    }
}

/// As the shipped configuration says.
pub(crate) fn settings() -> StripeSettings {
    StripeSettings {
        return_url: None,
        key_life: Duration::from_secs(82_800),
        unknown_max: Duration::from_secs(86_400),
    }
}
