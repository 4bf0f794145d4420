//! The provider that the configuration names, before there is a clock to give it.

use std::sync::Arc;

use taquilla_engine::clock::Clock;
use taquilla_engine::payment::PaymentProvider;

use super::stripe::{STRIPE, StripeClient, StripeNotices, StripeProvider, StripeSettings};
use super::{NoticeReader, SignedWith, SimulatedProvider};

/// Who is asked for money.
pub(crate) enum Configured {
    Simulated(SimulatedProvider),
    Stripe { client: StripeClient, settings: StripeSettings, secrets: SignedWith },
}

impl Configured {
    /// The provider's name, and who reads its notices, where it has secrets to sign them with.
    pub(crate) fn reader(&self) -> Option<(&'static str, Arc<dyn NoticeReader>)> {
        match self {
            Self::Simulated(_) => None,
            Self::Stripe { secrets, .. } => {
                Some((STRIPE, Arc::new(StripeNotices::new(secrets.clone()))))
            }
        }
    }

    /// The provider, by this clock.
    pub(crate) fn at(self, clock: Arc<dyn Clock>) -> Arc<dyn PaymentProvider> {
        match self {
            Self::Simulated(provider) => Arc::new(provider),
            Self::Stripe { client, settings, .. } => {
                Arc::new(StripeProvider::new(client, settings, clock))
            }
        }
    }
}
