//! `GET /openapi.json`: the document that the handlers' annotations make.

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi as DeriveOpenApi};

use crate::app::App;
use crate::problem::documented::ProblemSchema;
use crate::problem::no_such_method;

/// What no handler says: title, the scheme of tokens, the shape of problems.
#[derive(DeriveOpenApi)]
#[openapi(
    info(title = "taquilla", description = "Tickets for seats that go in minutes."),
    components(schemas(ProblemSchema, crate::strict::FormError)),
    modifiers(&BearerTokens)
)]
pub(super) struct Document;

struct BearerTokens;

impl Modify for BearerTokens {
    fn modify(&self, document: &mut OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        document.components.get_or_insert_default().add_security_scheme("bearer", scheme);
    }
}

/// Written once: it does not change while the process lives.
pub(super) fn router(document: &OpenApi) -> Router<App> {
    let json = Bytes::from(document.to_json().expect("a document of ours is plain JSON"));
    let answer = async move || ([(CONTENT_TYPE, "application/json")], json.clone());
    Router::new().route("/openapi.json", get(answer).fallback(no_such_method))
}
