//! Where buyers wait for a sale that more of them want than it can serve at once.
//!
//! - [`draw`]: who of those present before the opening stands where, by lot, so that anybody can check it.
//! - [`members`]: which number each buyer has.

pub mod calls;
pub mod draw;
pub mod members;
pub mod rate;
