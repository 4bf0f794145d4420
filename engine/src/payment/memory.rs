//! Reference implementations in memory: a record of attempts beside the journal in memory, and a
//! provider whose payment methods say what it does.

mod attempts;
mod provider;

pub use attempts::MemoryAttempts;
pub use provider::MemoryProvider;
