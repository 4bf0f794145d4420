//! Whether the process is alive, and whether it may take traffic.

mod looks;

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::Serialize;
use taquilla_engine::runtime::Node;
use taquilla_persistence::catalogue::Catalogue;
use utoipa::ToSchema;

pub(super) use self::looks::DatabaseLooks;
use crate::problem::documented::{PlainProblems, ReadinessProblems};
use crate::problem::{Problem, paused, store_unavailable};

/// Alive, or ready.
#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    #[schema(example = "ok")]
    status: &'static str,
}

/// The process is alive.
#[utoipa::path(get, path = "/healthz", tag = "operations", responses((status = 200, body = Health), PlainProblems))]
pub(super) async fn show_health() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// The process may take traffic: the database answers, and no event is without an owner but for one whose
/// owner is being made, which requests wait for. The database is looked at once a second at most, whoever asks.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operations",
    responses((status = 200, body = Health), ReadinessProblems)
)]
pub(super) async fn show_readiness(
    State(node): State<Arc<Node>>,
    State(catalogue): State<Catalogue>,
    Extension(looks): Extension<DatabaseLooks>,
) -> Result<Json<Health>, Problem> {
    if let Some(reason) = node.paused() {
        return Err(paused(reason));
    }
    let look = async {
        let read = catalogue.all_event_numbers().await;
        read.map(drop).map_err(|error| store_unavailable(&error))
    };
    looks.last_or(look).await?;
    Ok(Json(Health { status: "ready" }))
}
