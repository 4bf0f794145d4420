//! The provider that the configuration names, before there is a clock to give it.

use std::sync::Arc;

use secrecy::SecretString;
use taquilla_engine::clock::Clock;
use taquilla_engine::payment::PaymentProvider;

use super::announcement::{Announcement, fresh_secret};
use super::stripe::{STRIPE, StripeClient, StripeNotices, StripeProvider, StripeSettings};
use super::{NoticeReader, SIMULATED, SignedWith, SimulatedNotices, SimulatedProvider};
use crate::provider_client::SimulatedProviderClient;

/// Who is asked for money.
pub(crate) enum Configured {
    Simulated { client: SimulatedProviderClient, secret: SecretString },
    Stripe { client: StripeClient, settings: StripeSettings, secrets: SignedWith },
}

impl Configured {
    /// The simulated provider, which will sign with a secret of this start.
    pub(crate) fn simulated(client: SimulatedProviderClient) -> Self {
        Self::Simulated { client, secret: fresh_secret() }
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
