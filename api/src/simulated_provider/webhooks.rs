//! Telling the caller's endpoint what happened, at least once each.
//!
//! Events are the lines of the books, seen from outside: what is booked is told, and what was
//! acknowledged (a 2xx) is a line of the books itself, so a kill neither loses an event nor has
//! many told again. Their order is not promised. What waits is bounded, as are the deliveries at a
//! time; nobody waits for one, but who paid with `sim_webhook_early`.

mod endpoint;
mod event;
mod outbox;
mod postman;
mod signature;

pub(super) use endpoint::{Endpoint, EndpointFile};
pub(super) use event::Event;
pub(super) use outbox::{Outbox, Tried};
pub(super) use postman::Postman;
