//! What the edge works with: a few handles, each for one thing, put together by whoever starts the
//! process (`serve`, `dev`, a test).

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRef;
use axum::http::HeaderValue;
use taquilla_engine::clock::Clock;
use taquilla_engine::runtime::{Node, Payments};
use taquilla_persistence::audit::Audit;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::mail::Contacts;
use taquilla_persistence::operator_action::Trail;
use taquilla_persistence::orders::Orders;
use taquilla_persistence::reconciliation::Reconciliations;
use taquilla_persistence::site::Site;
use taquilla_persistence::story::Stories;
use taquilla_persistence::tickets::Tickets;

use crate::auth::TokenVerifier;
use crate::challenge::Challenges;
use crate::limits::Limits;
use crate::listings::Listings;
use crate::live_maps::LiveMaps;
use crate::proofs::Proofs;
use crate::relay::Sinks;
use crate::seat_maps::SeatMaps;
use crate::shedding::Shedding;
use crate::tickets::TicketSigner;
use crate::waiting_rooms::WaitingRooms;
use crate::webhooks::Webhooks;

/// The handles that routes take, each by its own type.
///
/// To start: open the pool, make a clock, a node over the journal, payments over the node; then
/// `Listings::load` and `node.open` the terms of every event; then [`crate::routes::front`]. Beside it
/// [`crate::listings::Follower`] keeps what buyers look at as the rows are.
#[derive(Clone)]
pub struct App {
    /// The events that this process owns.
    pub node: Arc<Node>,
    /// The payment workflow.
    pub payments: Arc<Payments>,
    /// Venues and events in rows: what operators make.
    pub catalogue: Catalogue,
    /// What buyers bought, in rows.
    pub orders: Orders,
    /// Whether rows agree with each other.
    pub audit: Audit,
    /// What happened, from rows.
    pub stories: Stories,
    /// What holds for all events.
    pub site: Site,
    /// How payments stand against the provider's books, in rows.
    pub reconciliations: Reconciliations,
    /// What operators did.
    pub trail: Trail,
    /// The service's time, the same that the node decides by.
    pub clock: Arc<dyn Clock>,
    /// What buyers look at, in memory.
    pub listings: Arc<Listings>,
    /// What is free, as everybody sees it.
    pub live_maps: Arc<LiveMaps>,
    /// Seat maps, encoded.
    pub seat_maps: Arc<SeatMaps>,
    /// Verifies bearer tokens.
    pub verifier: Arc<TokenVerifier>,
    /// Tickets at the gates, in rows.
    pub gates: Tickets,
    /// Where buyers are written to; none while mail is off.
    pub contacts: Option<Contacts>,
    /// Signs ticket codes.
    pub tickets: Arc<TicketSigner>,
    /// Where buyers wait.
    pub rooms: Arc<WaitingRooms>,
    /// What a place in a line is asked for with; none while that is off.
    pub challenges: Option<Arc<Challenges>>,
    /// Draws, as they are published.
    pub proofs: Arc<Proofs>,
    /// What payment providers tell by themselves.
    pub webhooks: Arc<Webhooks>,
    /// Who is told what happened.
    pub sinks: Arc<Sinks>,
    /// How much each caller may ask.
    pub limits: Arc<Limits>,
    /// Turns requests away when there is too much to do; none while that is off.
    pub shedding: Option<Arc<Shedding>>,
    /// Bounds and origins.
    pub settings: Arc<EdgeSettings>,
}

/// The handles as routes have them. Cloned for every request: one count instead of one a handle.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<App>);

macro_rules! each_by_its_type {
    ($($handle:ident: $of:ty),+ $(,)?) => {
        $(impl FromRef<Shared> for $of {
            fn from_ref(shared: &Shared) -> Self {
                shared.0.$handle.clone()
            }
        })+
    };
}

each_by_its_type! {
    node: Arc<Node>,
    payments: Arc<Payments>,
    catalogue: Catalogue,
    orders: Orders,
    audit: Audit,
    stories: Stories,
    site: Site,
    reconciliations: Reconciliations,
    trail: Trail,
    clock: Arc<dyn Clock>,
    limits: Arc<Limits>,
    listings: Arc<Listings>,
    live_maps: Arc<LiveMaps>,
    seat_maps: Arc<SeatMaps>,
    gates: Tickets,
    contacts: Option<Contacts>,
    tickets: Arc<TicketSigner>,
    rooms: Arc<WaitingRooms>,
    challenges: Option<Arc<Challenges>>,
    proofs: Arc<Proofs>,
    webhooks: Arc<Webhooks>,
    sinks: Arc<Sinks>,
}

/// The edge's own settings.
#[derive(Clone, Debug)]
pub struct EdgeSettings {
    /// How long a decision may take before its caller is told that it is unknown.
    pub decision_deadline: Duration,
    /// Web pages of these origins may call. None: no page of another origin may.
    pub cors_origins: Vec<HeaderValue>,
}

impl Default for EdgeSettings {
    fn default() -> Self {
        Self { decision_deadline: Duration::from_secs(3), cors_origins: Vec::new() }
    }
}
