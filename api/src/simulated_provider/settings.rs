//! What a provider promises, set when it is started.

use std::time::Duration;

use super::faults::Faults;
use crate::connections::Bounds;

/// The settings of one provider.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where buyers reach it, without a path: challenges are below it.
    pub base_url: String,
    /// How long an authorisation can be captured.
    pub authorisation_life: Duration,
    /// How long a caller that gets no answer is kept waiting before its connection is closed.
    pub silence: Duration,
    /// What connections may take.
    pub bounds: Bounds,
    /// What goes wrong.
    pub faults: Faults,
}

impl Settings {
    /// How long authorisations live unless it is said: as those of cards mostly do.
    pub const AUTHORISATION_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

    /// How long callers without an answer wait unless it is said: longer than anyone's patience.
    pub const SILENCE: Duration = Duration::from_secs(60);

    /// The usual settings of a provider that listens at `base_url`: nothing goes wrong.
    #[must_use]
    pub fn new(base_url: String) -> Self {
        Self {
            base_url,
            authorisation_life: Self::AUTHORISATION_LIFE,
            silence: Self::SILENCE,
            bounds: Bounds::default(),
            faults: Faults::default(),
        }
    }
}
