//! Where buyers wait for a sale that more of them want than it can serve at once.
//!
//! - [`draw`]: who of those present before the opening stands where, by lot, so that anybody can check it.
//! - [`room`]: what its owner decides, and [`batch`]: what of that becomes durable together.
//! - [`line`]: what everybody may read meanwhile; [`members`], [`states`], [`calls`]: what it is made of.
//! - [`journal`]: where it becomes durable.
//! - [`admission`]: what those who were called and came may show.
//! - [`rate`]: how many are let in a second; [`control`]: what an operator sets of it.

pub mod admission;
pub mod batch;
pub mod calls;
pub mod control;
pub mod draw;
pub mod journal;
pub mod line;
pub mod members;
pub mod rate;
pub mod room;
pub mod snapshot;
pub mod states;
