//! Who is told, and how long what was told is kept.

use std::time::Duration;

use super::{NatsSettings, WebhookSettings};

/// All of it.
#[derive(Clone, Debug)]
pub struct RelaySettings {
    /// The bus, if there is one.
    pub nats: Option<NatsSettings>,
    /// Endpoints; their names differ, and none is the bus's.
    pub webhooks: Vec<WebhookSettings>,
    /// How long batches are kept that all have been told; `None`, for ever.
    pub outbox_kept: Option<Duration>,
    /// How long the log of deliveries is.
    pub deliveries_kept: Duration,
}
