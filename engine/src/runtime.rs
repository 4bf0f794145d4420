//! The engine at work: an actor a section, an actor an event, a supervisor a node. No rules are
//! here; actors carry messages between the pure parts, and the journal's word back.
//!
//! Mailboxes are unbounded in ractor, so every command carries a permit that was taken before it was
//! sent and is given back with its answer.

mod backoff;
mod bells;
mod cancellations;
mod died;
mod event_actor;
mod gauge;
mod handle;
mod node;
mod owned;
mod payments;
mod refusals;
mod reply;
mod section_actor;
mod slot;
mod supervisor;
mod waiting_room;
mod writer;

pub use bells::{OrderBell, OrderBells};
pub use cancellations::Cancellations;
pub use handle::EventHandle;
pub use node::{Node, Settings};
pub use payments::{
    NotHeard, OpenError, PaymentSettings, PaymentWorld, Payments, PaymentsMeasured,
};
pub use waiting_room::{
    QueueError, Regulated, RoomHandle, RoomSettings, RoomWorld, Rooms, SaleGauge,
};
