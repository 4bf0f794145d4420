//! Stripe as a provider: against answers of Stripe's shapes that a small server gives, and against a
//! fake of its API that others wrote. docs/stripe.md says which behaviour is tested against which.

mod authorise;
pub(crate) mod events;
mod find;
pub(crate) mod local;
mod localstripe;
mod movements;
mod recorded;
mod records;
