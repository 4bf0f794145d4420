//! The permission to shop, as a command carries it.

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
