//! Sinks and deliveries as operators see them.

use serde::Serialize;
use taquilla_persistence::deliveries::Delivery;
use taquilla_persistence::relay::Lag;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::instant::Instant;

/// Every sink of the configuration.
#[derive(Serialize, ToSchema)]
#[schema(as = SinkList)]
pub struct SinkListView {
    /// The bus first, then endpoints in the configuration's order.
    pub items: Vec<SinkView>,
    /// Null: there is one page.
    #[schema(value_type = Option<String>)]
    pub next_cursor: Option<String>,
    /// The server's time.
    pub as_of: Instant,
}

/// A sink, and how far it is behind.
#[derive(Serialize, ToSchema)]
#[schema(as = Sink)]
pub struct SinkView {
    sink: String,
    /// Of events' histories, in batches.
    events: LagView,
    /// Of orders' money, in transitions; 10,000 of these at most are counted.
    money: LagView,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Lag)]
struct LagView {
    behind: u64,
    /// The age of the oldest one.
    oldest_seconds: f64,
}

impl From<Lag> for LagView {
    fn from(Lag { behind, age }: Lag) -> Self {
        Self { behind, oldest_seconds: age.as_secs_f64() }
    }
}

impl SinkView {
    /// Of events and of money.
    #[must_use]
    pub fn of(name: &str, [events, money]: [Lag; 2]) -> Self {
        Self { sink: name.to_owned(), events: events.into(), money: money.into() }
    }
}

/// What was posted to an endpoint, the latest tries first.
#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryList)]
pub struct DeliveryListView {
    /// At most `limit`.
    pub items: Vec<DeliveryView>,
    /// For `cursor`; null on the last page.
    pub next_cursor: Option<String>,
}

/// A message, and what came of it.
#[derive(Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryView {
    /// The message's `webhook-id`, which is its CloudEvent's `id`.
    message_id: String,
    r#type: String,
    event_id: Uuid,
    /// `pending`: it is still tried. `parked`: it was refused too often, and those behind it go on.
    outcome: &'static str,
    tries: u32,
    /// The last of them.
    tried_at: Instant,
    /// What the last try was answered; null, there was no answer.
    #[schema(value_type = Option<u16>)]
    status: Option<u16>,
    /// What came of the last try, where that is not the message's fault.
    #[schema(value_type = Option<String>)]
    error: Option<String>,
}

impl From<Delivery> for DeliveryView {
    fn from(delivery: Delivery) -> Self {
        let Delivery { message_id, kind, event, tried_at, tries, status, error, outcome } =
            delivery;
        Self {
            message_id,
            r#type: kind,
            event_id: event.uuid(),
            outcome: outcome.code(),
            tries,
            tried_at: Instant(tried_at),
            status,
            error,
        }
    }
}
