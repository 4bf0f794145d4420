//! Every path, on one screen. Three groups: public, a buyer's, an operator's; a group's token is
//! looked at before anything else about its requests, and before it how many there are from one address.
//! A fourth is public and not counted. Before all of them comes whether there is room for one more.

mod admin;
mod answered;
mod availability;
mod conditional;
mod documents;
mod events;
mod health;
mod holds;
mod methods;
mod orders;
mod payments;
mod preflight;
mod problems;
mod queries;
mod queue;
mod seat_maps;
mod ticket_keys;
mod ticket_papers;
mod webhooks;

use std::future::ready;
use std::sync::Arc;

use axum::extract::MatchedPath;
use axum::http::{HeaderName, Method, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::any;
use axum::{Extension, Router};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use self::admin::venues::PlanTurns;
use self::health::DatabaseLooks;
use self::methods::Taken;
use self::preflight::pass_by_unless_preflight;
use self::queries::{Unread, refuse_unread};
use self::ticket_papers::PrintTurns;
use crate::app::{App, EdgeSettings, Shared};
use crate::auth::{require_buyer, require_operator};
use crate::in_time::answer_in_time;
use crate::limits::{limit_by_account, limit_by_address};
use crate::problem::{
    IDEMPOTENT_REPLAYED, RATE_LIMIT, RATE_LIMIT_POLICY, caught_panic, complete_problems,
    no_such_route,
};
use crate::request_id::{X_REQUEST_ID, keep_request_id};
use crate::shedding::shed_or_answer;

fn public() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(events::list_events))
        .routes(routes!(events::show_event))
        .routes(routes!(seat_maps::show_seat_map))
        .routes(routes!(availability::show_availability))
        .routes(routes!(queue::published::show_now_serving))
        .routes(routes!(queue::published::show_proof))
        .routes(routes!(ticket_keys::show_ticket_keys))
}

/// What nobody is kept from: whether the process is well, what the interface is, and the notices of
/// providers. These come from a few addresses, as many as a sale has payments; each that is put off is
/// money that is known later, and without a signature of now none is read.
fn uncounted() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(webhooks::take_notice))
        .routes(routes!(health::show_health))
        .routes(routes!(health::show_readiness).layer(Extension(DatabaseLooks::default())))
        .routes(routes!(problems::show_problem))
        .routes(routes!(documents::show_document))
        .routes(routes!(documents::show_entrance))
}

fn buyers() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(holds::place_hold))
        .routes(routes!(holds::show_hold, holds::release_hold))
        .routes(routes!(holds::release_items))
        .routes(routes!(holds::list_holds))
        .routes(routes!(orders::list_orders, orders::place_order))
        .routes(routes!(orders::show_order, orders::cancel_order))
        .routes(routes!(orders::list_tickets))
        .routes(routes!(ticket_papers::print_tickets).layer(Extension(PrintTurns::default())))
        .routes(routes!(payments::open_attempt))
        .routes(routes!(queue::join_queue, queue::show_place, queue::leave_queue))
        .routes(routes!(queue::stream::follow_place))
}

fn operators() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(admin::venues::create_venue, admin::venues::list_venues))
        .routes(routes!(admin::events::create_event, admin::events::list_events))
        .routes(routes!(admin::audits::audit_event))
        .routes(routes!(admin::explain::explain_event))
        .routes(routes!(admin::blocks::block_seats))
        .routes(routes!(admin::event_changes::change_event))
        .routes(routes!(admin::event_changes::change_sale))
        .routes(routes!(admin::admission::show_admission, admin::admission::change_admission))
        .routes(routes!(admin::admission::revoke_admissions))
        .routes(routes!(admin::purchases::change_purchases, admin::purchases::show_purchases))
        .routes(routes!(admin::reconciliation::show_reconciliation))
        .routes(routes!(admin::orders::list_all_orders))
        .routes(routes!(admin::refunds::refund_order))
        .routes(routes!(admin::cancellations::cancel_event))
        .routes(routes!(admin::cancellations::show_cancellation))
        .routes(routes!(admin::actions::list_actions))
        .routes(routes!(admin::tickets::scan_ticket))
        .routes(routes!(admin::tickets::list_scans))
        .routes(routes!(admin::revocations::list_revocations))
}

/// The whole interface over these handles.
///
/// Layers stand in stacks, and those of all routes around the router, not in each of its routes: a route
/// copies all that is in it for every request, and for every layer that it has been given by itself once more.
pub fn router(app: App) -> Router {
    let shared = Shared(Arc::new(app));
    let Parts { public, uncounted, buyers, operators, .. } = parts();
    let of_buyers = ServiceBuilder::new()
        .layer(from_fn_with_state(shared.clone(), require_buyer))
        .layer(from_fn_with_state(shared.clone(), limit_by_account))
        .layer(from_fn_with_state(shared.clone(), answer_in_time));
    let of_operators = ServiceBuilder::new()
        .layer(from_fn_with_state(shared.clone(), require_operator))
        .layer(Extension(PlanTurns::default()));
    // What stands nowhere below /admin asks for an operator's token all the same.
    let operators = ["/admin", "/admin/", "/admin/{*nowhere}"]
        .into_iter()
        .fold(operators, |router, path| router.route(path, any(no_such_route)))
        .layer(of_operators);
    let settings = Arc::clone(&shared.0.settings);
    let counted = public.merge(buyers.layer(of_buyers)).merge(operators).fallback(no_such_route);
    let counted = ServiceBuilder::new()
        .layer(from_fn_with_state(shared.clone(), limit_by_address))
        .service(counted.with_state(shared.clone()));
    let routes = uncounted.fallback_service(counted);
    let room = shared.0.shedding.clone();
    let room = room.map(|shedding| from_fn_with_state(shedding, shed_or_answer));
    let of_all = ServiceBuilder::new()
        .layer(from_fn(complete_problems))
        .layer(CatchPanicLayer::custom(caught_panic))
        .option_layer(room);
    let all = Router::new().fallback_service(of_all.service(routes.with_state(shared)));
    let outermost = ServiceBuilder::new()
        .layer(from_fn(keep_request_id))
        .layer(from_fn_with_state(all.clone(), pass_by_unless_preflight))
        .layer(cors(&settings));
    Router::new().fallback_service(outermost.service(all))
}

/// The OpenAPI 3.1 document of the interface, as served at `/openapi.json`.
#[must_use]
pub fn document() -> OpenApi {
    parts().document
}

/// The groups, and the document of them all.
struct Parts {
    public: Router<Shared>,
    uncounted: Router<Shared>,
    buyers: Router<Shared>,
    operators: Router<Shared>,
    document: OpenApi,
}

fn parts() -> Parts {
    let mut document = documents::Document::openapi();
    let mut part = |group: OpenApiRouter<Shared>| {
        let (router, part) = group.split_for_parts();
        let unread = Arc::new(Unread::of(&part));
        let taken = Arc::new(Taken::of(&part));
        document.merge(part);
        router
            .layer(from_fn_with_state(unread, refuse_unread))
            .method_not_allowed_fallback(move |path: MatchedPath| ready(taken.refuse(&path)))
    };
    let (public, uncounted) = (part(public()), part(uncounted()));
    let (buyers, operators) = (part(buyers()), part(operators()));
    documents::constrain_keys(&mut document);
    Parts { public, uncounted, buyers, operators, document }
}

fn cors(settings: &EdgeSettings) -> CorsLayer {
    let name = HeaderName::from_static;
    CorsLayer::new()
        .allow_origin(origins(settings))
        .allow_methods([Method::GET, Method::POST, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_NONE_MATCH,
            name("idempotency-key"),
            name("admission-token"),
            name("last-event-id"),
            X_REQUEST_ID,
        ])
        .expose_headers([
            header::ETAG,
            header::LOCATION,
            header::RETRY_AFTER,
            IDEMPOTENT_REPLAYED,
            RATE_LIMIT,
            RATE_LIMIT_POLICY,
            X_REQUEST_ID,
        ])
}

/// `*` alone is any origin; configuration has made sure that it stands with no other.
fn origins(settings: &EdgeSettings) -> AllowOrigin {
    match settings.cors_origins.as_slice() {
        [any] if any.as_bytes() == b"*" => AllowOrigin::any(),
        origins => AllowOrigin::list(origins.iter().cloned()),
    }
}
