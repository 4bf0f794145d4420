//! Payment providers: each an adapter of the engine's port, and a reader of what the provider tells by
//! itself.

mod announcement;
mod configured;
mod notice;
mod signature;
mod simulated;
mod simulated_notices;
pub mod stripe;

use taquilla_engine::payment::{Failure, MoneyMoved};

pub(crate) use announcement::Announcement;
pub(crate) use configured::Configured;
pub use configured::NotConfigured;
pub use notice::{NoticeReader, Unreadable};
pub use signature::{Forged, SignedWith};
pub use simulated::{SIMULATED, SimulatedProvider};
pub use simulated_notices::SimulatedNotices;

/// What an adapter says where money is to be moved that it has no name for.
fn without_reference() -> MoneyMoved {
    let why = "the attempt has no reference, though its status needs one";
    MoneyMoved::Refused(Failure::new("no_reference", why))
}
