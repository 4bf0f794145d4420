//! Lists: items, and where the next page begins.

use serde::Serialize;
use utoipa::ToSchema;

use super::{BuyersOrderView, EventSummaryView, HoldView, OrderView};
use crate::instant::Instant;

/// Events, soonest first.
#[derive(Serialize, ToSchema)]
#[schema(as = EventList)]
pub struct EventListView {
    /// At most `limit`.
    pub items: Vec<EventSummaryView>,
    /// For `cursor`; null on the last page.
    pub next_cursor: Option<String>,
    /// When the list was known to be so: moments ago, or before the database went away.
    pub as_of: Instant,
}

/// A buyer's orders, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = OrderList)]
pub struct OrderListView {
    /// At most `limit`.
    pub items: Vec<OrderView>,
    /// For `cursor`; null on the last page.
    pub next_cursor: Option<String>,
    /// The server's time.
    pub as_of: Instant,
}

/// Everybody's orders, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = AllOrders)]
pub struct AllOrdersView {
    /// At most `limit`.
    pub items: Vec<BuyersOrderView>,
    /// For `cursor`; null on the last page.
    pub next_cursor: Option<String>,
}

/// A buyer's active holds in an event; never more than one page.
#[derive(Serialize, ToSchema)]
#[schema(as = HoldList)]
pub struct HoldListView {
    /// Oldest first.
    pub items: Vec<HoldView>,
    /// Null.
    #[schema(value_type = Option<String>)]
    pub next_cursor: Option<String>,
    /// The server's time.
    pub as_of: Instant,
}
