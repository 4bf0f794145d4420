//! What the simulated provider tells by itself.

use std::net::SocketAddr;
use std::time::Duration;

use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use taquilla_engine::id::AttemptId;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_persistence::inbox::{Notice, NoticeKind};
use tokio::time::sleep;
use uuid::Uuid;

use super::{NoticeReader, SIMULATED, SignedWith, Unreadable};
use crate::provider_client::SimulatedProviderClient;

const SIGNATURE: &str = "simulated-signature";

/// The pause before the provider is told again where we are; doubled from then on.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// A secret for the provider to sign with from now on. It is told at each start, so nobody has to keep it.
#[must_use]
pub fn fresh_secret() -> SecretString {
    let secret: [u8; 32] = rand::random();
    URL_SAFE_NO_PAD.encode(secret).into()
}

/// Tells the provider where its notices go and what signs them, until it has heard. Meanwhile nothing is
/// lost: attempts are asked about.
pub async fn announce(client: SimulatedProviderClient, server: SocketAddr, secret: SecretString) {
    let to = format!("http://{server}/payments/webhooks/{SIMULATED}");
    let to = Url::parse(&to).expect("an address and a path are a URL");
    let mut pause = PAUSE;
    loop {
        match client.set_webhook_endpoint(&to, secret.expose_secret()).await {
            Ok(()) => return,
            Err(error) => tracing::warn!(%error, "the provider does not know where we are"),
        }
        sleep(pause.mul_f64(0.5 + rand::random::<f64>())).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Reads its notices.
pub struct SimulatedNotices(SignedWith);

impl SimulatedNotices {
    /// Signed with any of these.
    #[must_use]
    pub fn new(secrets: SignedWith) -> Self {
        Self(secrets)
    }
}

#[derive(Deserialize)]
struct Body {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    attempt_id: Uuid,
    reference: Option<String>,
    amount: i64,
    currency: String,
}

impl NoticeReader for SimulatedNotices {
    fn read(&self, headers: &HeaderMap, body: &[u8], now: Moment) -> Result<Notice, Unreadable> {
        self.0.check(headers.get(SIGNATURE).map(|value| value.as_bytes()), body, now)?;
        let body: Body = serde_json::from_slice(body)
            .map_err(|error| Unreadable::Malformed(format!("not a notice: {error}")))?;
        let kind = match body.kind.as_str() {
            "authorisation.charged_back" => NoticeKind::ChargedBack,
            kind if kind.starts_with("authorisation.") => NoticeKind::News,
            _ => NoticeKind::Other,
        };
        let currency = Currency::parse(&body.currency);
        Ok(Notice {
            provider: SIMULATED.into(),
            id: body.id,
            kind,
            attempt: AttemptId::parse(body.attempt_id),
            reference: body.reference,
            money: currency.map(|currency| Money { amount: body.amount, currency }),
        })
    }
}
