//! `GET /openapi.json`: the document that the handlers' annotations make; and `GET /`, which leads there.

use std::sync::LazyLock;

use axum::Json;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde::Serialize;
use serde_json::json;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi, RefOr, Schema};
use utoipa::{Modify, OpenApi as DeriveOpenApi, ToSchema};

use crate::problem::documented::{DocumentProblems, ProblemSchema, problem_schemas};
use crate::strict::IDEMPOTENCY_KEY;

/// What no handler says: title, the scheme of tokens, the shape of problems.
#[derive(DeriveOpenApi)]
#[openapi(
    info(title = "taquilla", description = "Tickets for seats that go in minutes."),
    components(schemas(ProblemSchema, crate::strict::FormError)),
    modifiers(&BearerTokens, &EachProblem)
)]
pub(super) struct Document;

struct BearerTokens;

impl Modify for BearerTokens {
    fn modify(&self, document: &mut OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        document.components.get_or_insert_default().add_security_scheme("bearer", scheme);
    }
}

struct EachProblem;

impl Modify for EachProblem {
    fn modify(&self, document: &mut OpenApi) {
        document.components.get_or_insert_default().schemas.extend(problem_schemas());
    }
}

/// States everywhere what the header that names a request for its repetitions must be.
pub(super) fn constrain_keys(document: &mut OpenApi) {
    let schema = json!({"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"});
    let schema: Schema = serde_json::from_value(schema).expect("a schema of ours is one");
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.post, &mut item.patch, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            for parameter in operation.parameters.iter_mut().flatten() {
                if let RefOr::T(parameter) = parameter
                    && parameter.name == IDEMPOTENCY_KEY
                {
                    parameter.schema = Some(schema.clone().into());
                }
            }
        }
    }
}

/// Written once: it does not change while the process lives.
static JSON: LazyLock<Bytes> = LazyLock::new(|| {
    let json = super::document().to_json();
    Bytes::from(json.expect("a document of ours is plain JSON"))
});

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "operations",
    responses((status = 200, description = "OpenAPI 3.1", body = Object), DocumentProblems)
)]
pub(super) async fn show_document() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], JSON.clone())
}

/// Where to go from here.
#[derive(Serialize, ToSchema)]
pub(super) struct Entrance {
    #[schema(example = "taquilla")]
    name: &'static str,
    /// The list of events.
    #[schema(example = "/events")]
    events: &'static str,
    /// The document of all there is.
    #[schema(example = "/openapi.json")]
    openapi: &'static str,
}

/// What this is, and where it goes on.
#[utoipa::path(
    get,
    path = "/",
    tag = "operations",
    responses((status = 200, body = Entrance), DocumentProblems)
)]
pub(super) async fn show_entrance() -> Json<Entrance> {
    Json(Entrance { name: "taquilla", events: "/events", openapi: "/openapi.json" })
}
