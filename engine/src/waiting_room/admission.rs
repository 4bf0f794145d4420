//! The permission to shop, as a command carries it.

use sha2::{Digest, Sha256};

use crate::moment::Moment;

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
        self.from <= instant && instant < self.until
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
