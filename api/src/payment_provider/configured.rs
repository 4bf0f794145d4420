//! The provider that the configuration names, before there is a clock to give it.

use std::sync::Arc;

use secrecy::SecretString;
use taquilla_engine::clock::Clock;
use taquilla_engine::payment::PaymentProvider;

use super::announcement::{Announcement, fresh_secret};
use super::stripe::{
    ClientError, STRIPE, StripeClient, StripeNotices, StripeProvider, StripeSettings,
};
use super::{NoticeReader, SIMULATED, SignedWith, SimulatedNotices, SimulatedProvider};
use crate::config::{Config, ConfigError, Provider, settings};
use crate::provider_client::SimulatedProviderClient;

/// Who is asked for money.
pub(crate) enum Configured {
    Simulated { client: SimulatedProviderClient, secret: SecretString },
    Stripe { client: StripeClient, settings: StripeSettings, secrets: SignedWith },
}

/// Why the provider that the configuration names cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum NotConfigured {
    /// Something that it needs is not set, or cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The process cannot set up TLS.
    #[error("the payment provider's client cannot start")]
    Client(#[from] reqwest::Error),
    /// Neither can Stripe's client, or its key is none.
    #[error("Stripe cannot be asked")]
    Stripe(#[from] ClientError),
}

impl Configured {
    /// The one that is named. The simulated one will sign with a secret of this start.
    ///
    /// # Errors
    /// [`NotConfigured`].
    pub(crate) fn of(config: &Config) -> Result<Self, NotConfigured> {
        let patience = config.payments.patience();
        match config.payments.provider {
            Provider::Simulated => {
                let url = settings::simulated_url(config)?;
                let client = SimulatedProviderClient::new(url, patience)?;
                Ok(Self::Simulated { client, secret: fresh_secret() })
            }
            Provider::Stripe => {
                let stripe = &config.payments.stripe;
                let (base, key) = (stripe.api_base()?, stripe.secret_key()?);
                Ok(Self::Stripe {
                    client: StripeClient::new(base, &key, patience)?,
                    settings: settings::stripe(config)?,
                    secrets: stripe.webhook_secrets()?,
                })
            }
        }
    }

    /// The provider's name, and who reads its notices.
    pub(crate) fn reader(&self) -> (&'static str, Arc<dyn NoticeReader>) {
        match self {
            Self::Simulated { secret, .. } => {
                let secrets = SignedWith::new([secret.clone()]);
                (SIMULATED, Arc::new(SimulatedNotices::new(secrets)))
            }
            Self::Stripe { secrets, .. } => (STRIPE, Arc::new(StripeNotices::new(secrets.clone()))),
        }
    }

    /// Whom to tell where notices go. At Stripe somebody has said so by hand.
    pub(crate) fn announcement(&self) -> Option<Announcement> {
        match self {
            Self::Simulated { client, secret } => {
                Some(Announcement::new(client.clone(), secret.clone()))
            }
            Self::Stripe { .. } => None,
        }
    }

    /// The provider, by this clock.
    pub(crate) fn at(self, clock: Arc<dyn Clock>) -> Arc<dyn PaymentProvider> {
        match self {
            Self::Simulated { client, .. } => Arc::new(SimulatedProvider::new(client)),
            Self::Stripe { client, settings, .. } => {
                Arc::new(StripeProvider::new(client, settings, clock))
            }
        }
    }
}
