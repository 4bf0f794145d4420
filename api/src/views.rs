//! Answers as they leave: twins of what engine and persistence know, in the contract's words. Nothing
//! here decides; a view is made from its source and serialised.

mod admission;
mod attempt;
mod availability;
mod bill;
mod cancellation;
mod event;
mod hold;
mod lists;
mod money;
mod order;
mod queue;
mod reconciliation;
mod refund;
mod scan;
mod seat_map;
mod sink;
mod story;
mod ticket;
mod venue;

pub use self::sink::{DeliveryListView, DeliveryView, SinkListView, SinkView};
pub use admission::{AdmissionView, SignalsView};
pub use attempt::{AttemptView, FailureView};
pub use availability::{
    AvailabilityAnswer, AvailabilityView, ChangesView, GeneralView, binary_availability,
};
pub use bill::{BillView, FeeView, ItemView, bill_of};
pub use cancellation::CancellationView;
pub use event::{EventSummaryView, EventView, OperatorsEventView};
pub use hold::HoldView;
pub use lists::{AllOrdersView, EventListView, HoldListView, OrderListView};
pub use money::MoneyView;
pub use order::{BuyersOrderView, OrderView};
pub use queue::{EtaView, NowServingView, Outlook, PlaceState, QueueTicketView, Told};
pub use reconciliation::{PaymentsView, ReconciliationView};
pub use refund::RefundView;
pub use scan::{ScanListView, ScanView};
pub use seat_map::SeatMapView;
pub use story::StoryView;
pub use ticket::TicketView;
pub use venue::{
    ListedVenueView, MadePlanView, SectionView, VenueHallsView, VenueListView, VenueView,
};
