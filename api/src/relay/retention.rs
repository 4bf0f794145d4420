//! What all have been told, and is old, is deleted: a little at a time, by whichever process comes first.

use std::time::Duration;

use taquilla_persistence::deliveries::Deliveries;
use taquilla_persistence::in_full;
use taquilla_persistence::relay::Retention;
use tokio::time::sleep;

use super::{RelaySettings, Sinks, consumer};
use crate::background::{Background, REST, jittered};

/// Between two rounds, and between two parts of one.
const EVERY: Duration = Duration::from_secs(600);
const PART: Duration = Duration::from_millis(200);

/// Deletes from now on, until the owner of the background ends it. `others`: consumers that are no sinks.
pub fn start(background: &Background, settings: &RelaySettings, sinks: &Sinks, others: &[&str]) {
    let deliveries = (Deliveries::new(sinks.database.clone()), settings.deliveries_kept);
    background.keep("what forgets deliveries", REST, move || forget(deliveries.clone()));
    let Some(kept) = settings.outbox_kept else { return };
    let others = others.iter().map(|&other| other.to_owned());
    let consumers = sinks.names().map(consumer).chain(others).collect();
    let retention = Retention::new(sinks.database.clone(), consumers, kept);
    background.keep("what tidies the outbox", REST, move || tidy(retention.clone()));
}

async fn tidy(retention: Retention) {
    // A sink that is new has begun by then, and keeps what it needs.
    sleep(jittered(EVERY)).await;
    loop {
        match retention.tidy().await {
            Ok(true) => sleep(PART).await,
            Ok(false) => sleep(jittered(EVERY)).await,
            Err(error) => {
                tracing::warn!(error = in_full(&error), "the outbox cannot be tidied");
                sleep(jittered(EVERY)).await;
            }
        }
    }
}

async fn forget((deliveries, kept): (Deliveries, Duration)) {
    loop {
        match deliveries.forget(kept).await {
            Ok(0) => sleep(jittered(EVERY)).await,
            Ok(_) => sleep(PART).await,
            Err(error) => {
                tracing::warn!(error = in_full(&error), "deliveries cannot be forgotten");
                sleep(jittered(EVERY)).await;
            }
        }
    }
}
