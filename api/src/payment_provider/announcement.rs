//! Telling the simulated provider where its notices go. It is told at each start, with a secret of that
//! start, so nobody has to keep one.

use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use tokio::time::sleep;

use super::SIMULATED;
use crate::provider_client::SimulatedProviderClient;

/// The pause before the provider is told again; doubled from then on.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// A secret for the provider to sign with from now on.
#[must_use]
pub(super) fn fresh_secret() -> SecretString {
    let secret: [u8; 32] = rand::random();
    URL_SAFE_NO_PAD.encode(secret).into()
}

/// Whom to tell, and the secret.
pub(crate) struct Announcement {
    client: SimulatedProviderClient,
    secret: SecretString,
}

impl Announcement {
    pub(super) fn new(client: SimulatedProviderClient, secret: SecretString) -> Self {
        Self { client, secret }
    }

    /// Tells the provider that we are here, until it has heard. Meanwhile nothing is lost: attempts are
    /// asked about.
    pub(crate) async fn until_heard(self, server: SocketAddr) {
        let to = format!("http://{server}/payments/webhooks/{SIMULATED}");
        let to = Url::parse(&to).expect("an address and a path are a URL");
        let mut pause = PAUSE;
        loop {
            match self.client.set_webhook_endpoint(&to, self.secret.expose_secret()).await {
                Ok(()) => return,
                Err(error) => tracing::warn!(%error, "the provider does not know where we are"),
            }
            sleep(pause.mul_f64(0.5 + rand::random::<f64>())).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}
