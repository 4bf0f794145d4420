//! One event's order and memory, without IO.
//!
//! The [`Door`] takes requests in, sends sections what they must decide, and folds what they decided
//! into the [`Book`](book::Book) and the [`Lane`](lane::Lane), which holds every answer back until the
//! batch that makes it true has committed. It is a state machine: feed it, then drain
//! [`Door::poll`].

pub mod availability;
pub mod batch;
mod book;
mod churn;
pub mod door;
pub mod fact;
pub mod lane;
mod ledger;
mod limits;
mod line;
mod receipts;
pub mod snapshot;
mod stock;
mod terms;

pub use availability::Availability;
pub use batch::{Batch, Change, Reduction};
pub use churn::ChurnBudget;
pub use door::{Door, Effect};
pub use fact::{Fact, Places, Receipt, ReceiptResult, Ticket};
pub use lane::Unfinished;
pub use limits::Limits;
pub use snapshot::Snapshot;
pub use terms::{Amendment, Terms};
