//! What is true, whether an answer was, and the words between the engine and who judges it.
//!
//! [`history`] and [`judge`] know nothing of the engine: numbers and names of the scenario only.

pub(super) mod history;
pub(super) mod judge;
pub(super) mod plain;
