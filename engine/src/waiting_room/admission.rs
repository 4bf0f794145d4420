//! The permission to shop, as a command carries it.

use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::moment::Moment;

/// The database's clock is known up to half a round trip, and goes back by as much when it is read again: whoever
/// comes and holds at once would else not be there yet. Nobody holds anything before he comes, so it gives nothing
/// away.
const CLOCK_LEEWAY: Duration = Duration::from_secs(1);

/// Its buyer may shop from then until then. Whoever makes it has checked whose it is, of which event, and that
/// it has not been revoked since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// When its buyer came.
    pub from: Moment,
    /// From then on no more.
    pub until: Moment,
}

impl Admission {
    /// One that is always good.
    pub const ALWAYS: Self = Self { from: Moment(i64::MIN), until: Moment(i64::MAX) };

    /// Whether its buyer may, or might, shop at that instant.
    #[must_use]
    pub fn covers(&self, instant: Moment) -> bool {
        self.from <= instant + CLOCK_LEEWAY && instant < self.until
    }
}

/// What signs admissions to a sale, of its room's salt.
#[must_use]
pub fn admission_key(salt: &[u8; 32]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"taquilla admission key 1");
    hash.update(salt);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_admission_covers_the_instants_of_a_clock_that_went_back_and_none_after_its_end() {
        let admission = Admission { from: Moment(10_000_000), until: Moment(20_000_000) };
        let covered = [9_000_000, 9_990_000, 10_000_000, 19_999_999];
        assert!(covered.iter().all(|at| admission.covers(Moment(*at))));
        assert!([8_999_999, 20_000_000].iter().all(|at| !admission.covers(Moment(*at))));
    }
}
