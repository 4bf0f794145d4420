//! What a test or an operator looks at: the entries, and who keeps them.

use std::process;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::simulated_provider::entry::Entry;
use crate::simulated_provider::processor::Processor;
use crate::simulated_provider::refusal::Refusal;

/// A JSON array of entries shared with the ledger.
pub(super) struct Entries(Vec<Arc<Entry>>);

impl Serialize for Entries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(AsRef::as_ref))
    }
}

pub(super) async fn list_entries(
    State(processor): State<Arc<Processor>>,
) -> Result<Json<Entries>, Refusal> {
    processor.books.list_money_entries().await.map(|entries| Json(Entries(entries)))
}

#[derive(Serialize)]
pub(super) struct Health {
    instance: Uuid,
    pid: u32,
}

pub(super) async fn show_health(State(processor): State<Arc<Processor>>) -> Json<Health> {
    Json(Health { instance: processor.instance, pid: process::id() })
}
