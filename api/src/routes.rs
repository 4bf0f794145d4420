//! Every path, on one screen. Three groups: public, a buyer's, an operator's; a fourth is public and not counted.
//! What every request passes stands in [`front`], what those of a group pass in [`usher`].

mod admin;
mod answered;
mod availability;
mod conditional;
mod documents;
mod events;
mod front;
mod health;
mod holds;
mod methods;
mod orders;
mod payments;
mod problems;
mod queries;
mod queue;
mod seat_maps;
mod ticket_keys;
mod ticket_papers;
mod usher;
mod webhooks;

use std::future::ready;
use std::sync::Arc;

use axum::extract::MatchedPath;
use axum::http::{HeaderName, Method, header};
use axum::middleware::from_fn_with_state;
use axum::routing::any;
use axum::{Extension, Router};
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use self::admin::venues::PlanTurns;
pub use self::front::Front;
use self::health::DatabaseLooks;
use self::methods::Taken;
use self::queries::Unread;
use self::ticket_papers::PrintTurns;
use self::usher::{Usher, let_buyers_in, let_everybody_in, let_operators_in, let_the_public_in};
use crate::app::{App, EdgeSettings, Shared};
use crate::problem::{IDEMPOTENT_REPLAYED, RATE_LIMIT, RATE_LIMIT_POLICY, no_such_route};
use crate::request_id::X_REQUEST_ID;

fn public() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(events::list_events))
        .routes(routes!(events::show_event))
        .routes(routes!(seat_maps::show_seat_map))
        .routes(routes!(availability::show_availability))
        .routes(routes!(availability::stream::follow_availability))
        .routes(routes!(queue::published::show_now_serving))
        .routes(routes!(queue::published::show_proof))
        .routes(routes!(ticket_keys::show_ticket_keys))
}

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
        .routes(routes!(admin::plans::show_venue))
        .routes(routes!(admin::plans::create_plan))
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
        .routes(routes!(admin::outbox::list_sinks))
        .routes(routes!(admin::outbox::list_deliveries))
}

/// The whole interface over these handles.
#[must_use]
pub fn front(app: App) -> Front {
    let app = Arc::new(app);
    let Groups { public, uncounted, buyers, operators, .. } = groups();
    let usher = |unread| Usher::new(&app, unread);
    let of_public = from_fn_with_state(usher(public.unread), let_the_public_in);
    let of_all = from_fn_with_state(usher(uncounted.unread), let_everybody_in);
    let of_buyers = from_fn_with_state(usher(buyers.unread), let_buyers_in);
    let of_operators = from_fn_with_state(usher(operators.unread), let_operators_in);
    // What stands nowhere below /admin asks for an operator's token all the same.
    let operators = ["/admin", "/admin/", "/admin/{*nowhere}"]
        .into_iter()
        .fold(operators.router, |router, path| router.route(path, any(no_such_route)))
        .layer(Extension(PlanTurns::default()));
    let nowhere = Router::new().fallback(no_such_route);
    let routes = public.router.merge(nowhere).layer(of_public);
    let routes = routes.merge(uncounted.router.layer(of_all));
    let routes = routes.merge(buyers.router.layer(of_buyers)).merge(operators.layer(of_operators));
    let (shedding, other_origins) = (app.shedding.clone(), cors(&app.settings));
    Front::new(routes.with_state(Shared(app)), shedding, &other_origins)
}

/// The OpenAPI 3.1 document of the interface, as served at `/openapi.json`.
#[must_use]
pub fn document() -> OpenApi {
    groups().document
}

/// The groups, and the document of them all.
struct Groups {
    public: Group,
    uncounted: Group,
    buyers: Group,
    operators: Group,
    document: OpenApi,
}

/// Routes with one usher.
struct Group {
    router: Router<Shared>,
    unread: Unread,
}

fn groups() -> Groups {
    let mut document = documents::Document::openapi();
    let mut group = |routes: OpenApiRouter<Shared>| {
        let (router, part) = routes.split_for_parts();
        let (unread, taken) = (Unread::of(&part), Arc::new(Taken::of(&part)));
        document.merge(part);
        let refuse = move |path: MatchedPath| ready(taken.refuse(&path));
        Group { router: router.method_not_allowed_fallback(refuse), unread }
    };
    let (public, uncounted) = (group(public()), group(uncounted()));
    let (buyers, operators) = (group(buyers()), group(operators()));
    documents::constrain_keys(&mut document);
    Groups { public, uncounted, buyers, operators, document }
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
