//! What Prometheus is told of notices.

use metrics::{counter, describe_counter};

use crate::payment_provider::Forged;

/// Tells the recorder what each metric means. Once, at the start.
pub fn describe_metrics() {
    describe_counter!("taquilla_notices_total", "notices of providers, by what became of them");
}

/// A notice in a provider's name was taken or not. Labels: the provider, and what became of it.
pub(super) fn notice(provider: &'static str, outcome: &'static str) {
    counter!("taquilla_notices_total", "provider" => provider, "outcome" => outcome).increment(1);
}

/// How a notice that is not the provider's is counted.
pub(super) fn forged(why: Forged) -> &'static str {
    match why {
        Forged::Missing => "unsigned",
        Forged::Stale => "stale",
        Forged::Wrong => "forged",
    }
}
