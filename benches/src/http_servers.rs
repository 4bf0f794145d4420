//! Two servers in this process, over the same connections, tokens, strict bodies and views: the product's
//! own router before the engine, and one route before the function with row locks, which is spared the
//! front and the usher that only the product has.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use taquilla_api::auth::{Buyer, TokenVerifier, authenticate};
use taquilla_api::config::{Config, settings};
use taquilla_api::connections::{self, Bounds};
use taquilla_api::forms::hold::HoldForm;
use taquilla_api::listings::Listings;
use taquilla_api::problem::{Problem, complete_problems, refused};
use taquilla_api::proofs::Proofs;
use taquilla_api::relay::Sinks;
use taquilla_api::strict::KeyedJson;
use taquilla_api::tickets::TicketSigner;
use taquilla_api::views::HoldView;
use taquilla_api::waiting_rooms::WaitingRooms;
use taquilla_api::webhooks::Webhooks;
use taquilla_api::{App, EdgeSettings, routes};
use taquilla_engine::clock::Clock;
use taquilla_engine::command::Wish;
use taquilla_engine::event::Terms;
use taquilla_engine::hold::{Hold, HoldStatus};
use taquilla_engine::id::{EventId, HoldId};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_engine::pricing::quote;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::{PaymentSettings, PaymentWorld, Payments, Rooms};
use taquilla_persistence::attempts::{ATTEMPTS_MAX, PostgresAttempts};
use taquilla_persistence::audit::Audit;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::database::Database;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::inbox::Inbox;
use taquilla_persistence::operator_action::Trail;
use taquilla_persistence::orders::Orders;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::reconciliation::Reconciliations;
use taquilla_persistence::refunds::PostgresRefunds;
use taquilla_persistence::site::Site;
use taquilla_persistence::story::Stories;
use taquilla_persistence::tickets::Tickets;
use taquilla_persistence::waiting_room::{Draws, PostgresQueueJournal, QueueHeads};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::engine_way::EngineWay;
use crate::function_way::FunctionWay;
use crate::generator::token_settings;
use crate::load::{Placed, Way};
use crate::stage::Stage;
use crate::workload::Wanted;

/// A server has a key of tickets. This one is the first of RFC 8032's examples.
pub const TICKET_KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
    -----END PRIVATE KEY-----\n";

/// The engine behind the product's front.
pub async fn serve_engine(stage: &Stage, engine: &EngineWay) -> SocketAddr {
    serve(routes::front(app(stage, engine).await)).await
}

/// What the product's front works with, of this engine.
pub async fn app(stage: &Stage, engine: &EngineWay) -> App {
    let pool = Pool::new(&stage.settings).expect("a URL of our own");
    let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("a near database"));
    let rows = Database::new(pool, &stage.settings);
    let catalogue = Catalogue::new(rows.clone());
    let node = engine.node();
    let world = PaymentWorld {
        attempts: Arc::new(PostgresAttempts::new(rows.clone(), ATTEMPTS_MAX)),
        refunds: Arc::new(PostgresRefunds::new(rows.clone())),
        provider: Arc::new(MemoryProvider::default()),
        seats: Arc::clone(node) as _,
        bells: Arc::clone(node.bells()),
        clock: clock.clone(),
    };
    let payments = Payments::new(PaymentSettings::default(), world);
    let site = Site::new(rows.clone());
    let listings = Arc::new(Listings::load(&catalogue).await.expect("readable events"));
    let queues = PostgresQueueJournal::new(stage.settings.clone(), Arc::clone(&clock));
    let defaults = Config::load(None, std::iter::empty()).expect("the shipped file");
    let rooms = Rooms::new(Arc::new(queues), clock.clone(), settings::rooms(&defaults));
    let rooms = WaitingRooms::new(
        rooms,
        defaults.waiting_room.members_max,
        Arc::clone(node),
        Arc::clone(&payments),
        Arc::clone(&listings),
        QueueHeads::new(rows.clone()),
    );
    App {
        node: Arc::clone(node),
        payments,
        listings,
        rooms: Arc::new(rooms),
        proofs: Arc::new(Proofs::new(Draws::new(rows.clone()))),
        challenges: None,
        catalogue,
        orders: Orders::new(rows.clone()),
        audit: Audit::new(rows.clone()),
        stories: Stories::new(rows.clone()),
        site,
        reconciliations: Reconciliations::new(rows.clone()),
        trail: Trail::new(rows.clone()),
        webhooks: Webhooks::new(Inbox::new(rows.clone()), Vec::new(), clock.clone()),
        sinks: Arc::new(Sinks::new(Vec::new(), rows.clone())),
        gates: Tickets::new(rows),
        contacts: None,
        clock,
        live_maps: Arc::default(),
        seat_maps: Arc::default(),
        verifier: Arc::new(verifier()),
        tickets: Arc::new(TicketSigner::new(&TICKET_KEY.into()).expect("a good key")),
        limits: Arc::default(),
        shedding: None,
        settings: Arc::new(EdgeSettings::default()),
    }
}

/// The function behind one route.
pub async fn serve_function(stage: &Stage, way: Arc<FunctionWay>) -> SocketAddr {
    let pool = Pool::new(&stage.settings).expect("a URL of our own");
    let desk = FunctionDesk {
        way,
        terms: Arc::new(stage.events[0].clone()),
        event: stage.ids[0],
        verifier: Arc::new(verifier()),
        clock: Arc::new(DatabaseClock::connect(&pool).await.expect("a near database")),
    };
    let router = Router::new().route("/holds", post(place_hold));
    let router = router.layer(from_fn_with_state(desk.clone(), require_buyer));
    serve(router.layer(from_fn(complete_problems)).with_state(desk)).await
}

/// What its one handler works with.
#[derive(Clone)]
struct FunctionDesk {
    way: Arc<FunctionWay>,
    terms: Arc<Terms>,
    event: EventId,
    verifier: Arc<TokenVerifier>,
    clock: Arc<dyn Clock>,
}

async fn require_buyer(
    State(desk): State<FunctionDesk>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let caller = authenticate(&desk.verifier, &*desk.clock, request.headers())?;
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

async fn place_hold(
    State(desk): State<FunctionDesk>,
    Buyer(buyer): Buyer,
    KeyedJson { body, keyed }: KeyedJson<HoldForm>,
) -> Result<Response, Problem> {
    let Wish::Claim { claim, .. } = body.check()?.wish(&desk.terms.plan) else {
        return Err(Problem::not_found());
    };
    let now = desk.clock.now();
    let wanted = Wanted {
        event: 0,
        buyer: buyer.clone(),
        key: keyed.key.to_string(),
        fingerprint: keyed.fingerprint,
        seats: claim.seats.clone(),
    };
    let Terms { event, plan, fees, sale, .. } = &*desk.terms;
    match desk.way.place(wanted).await {
        Placed::Refused => {
            let refusal = Refusal::SeatsUnavailable { seats: claim.seats, sections: Vec::new() };
            Err(refused(&refusal, &desk.terms))
        }
        Placed::Granted => {
            let unit_prices: Vec<i64> =
                claim.seats.iter().map(|seat| plan.seat_tier(*seat).price).collect();
            let quote = quote(fees, unit_prices.iter().map(|price| (*price, 1)));
            let hold = Hold {
                id: HoldId::derive(*event, &buyer, &keyed.key),
                buyer,
                fingerprint: keyed.fingerprint,
                claim,
                unit_prices,
                quote: quote.expect("small amounts"),
                status: HoldStatus::Active,
                created_at: now,
                expires_at: now + sale.hold_ttl,
                extended: false,
                order: None,
                remarks: None,
            };
            let location = format!("/holds/{}", hold.id);
            let view = HoldView::of(&hold, desk.event, &desk.terms, now);
            Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(view)).into_response())
        }
    }
}

fn verifier() -> TokenVerifier {
    TokenVerifier::new(&token_settings()).expect("a good key")
}

/// A server of this service, by the connections of the product.
pub async fn serve<S>(service: S) -> SocketAddr
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + Unpin + 'static,
    S::Future: Send + Unpin,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it listens");
    let stopping = CancellationToken::new();
    tokio::spawn(connections::serve(listener, service, Bounds::default(), stopping));
    address
}
