//! A part of all authorisations, for reconciliation.

use serde::Deserialize;

use super::authorisation::Authorisation;

/// A part of the list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Page {
    /// In the order of booking.
    pub items: Vec<Item>,
    /// Where the next page begins; `None` at the end.
    pub next_cursor: Option<String>,
}

/// An authorisation with its status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Item {
    /// What was decided.
    pub status: Status,
    /// And all that was done about it.
    #[serde(flatten)]
    pub authorisation: Authorisation,
}

/// What was decided about an authorisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It waits for the buyer.
    RequiresAction,
    /// Yes.
    Authorised,
    /// No, or withdrawn.
    Declined,
}
