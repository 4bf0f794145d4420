//! Waiting rooms at work: one task a room that owns it, takes it over again when it dies, and once a second
//! decides how many are let in. No rules are here.

mod handle;
mod owner;
mod regulator;
mod rooms;

pub use handle::{QueueError, RoomHandle};
pub use owner::{RoomSettings, RoomWorld};
pub use regulator::{Regulated, SaleGauge};
pub use rooms::Rooms;
