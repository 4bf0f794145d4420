//! The demo: a stadium of 60,000 seats with a floor, and two sales in it, made through the operator's
//! API as anybody would make them. Made once; a start that finds them leaves them as they are.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Client, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};
use taquilla_persistence::catalogue::{Catalogue, Reference};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::wall_clock;
use uuid::Uuid;

use super::stadium;
use crate::auth::{Grant, mint};
use crate::config::Config;
use crate::config::settings::tokens;

/// The slug of the venue.
const STADIUM: &str = "estadio-de-la-ribera";

/// How soon after the first start the second sale opens.
const ONSALE_AFTER: TimeDelta = TimeDelta::seconds(60);

/// Why there is no demo.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The operator's token could not be made.
    #[error("no operator's token for the demo: {0}")]
    Token(String),
    /// The API could not be asked.
    #[error("the demo could not be made")]
    Unreachable(#[from] reqwest::Error),
    /// The stadium's row cannot be read.
    #[error("the demo's venue cannot be read")]
    Database(#[from] DatabaseError),
    /// The API refused.
    #[error("the demo was refused: {0}")]
    Refused(String),
}

/// Makes what is missing of the demo.
///
/// # Errors
/// [`DemoError`].
pub async fn make(api: &str, config: &Config, catalogue: &Catalogue) -> Result<(), DemoError> {
    let operator = Operator::new(api, config)?;
    if operator.exists("events/demo-onsale").await? {
        return Ok(());
    }
    tracing::info!("making the demo: a stadium of 60,000 seats and two sales");
    operator.post("admin/venues", &venue()).await?;
    let venue = catalogue.venue(&Reference::parse(STADIUM)).await?;
    let venue = venue.ok_or_else(|| DemoError::Refused(format!("there is no venue {STADIUM}")))?;
    let now = DateTime::from_timestamp_micros(wall_clock::now().0).unwrap_or_default();
    let open = sale(venue.id, "demo-open", "Noche abierta", now, false);
    operator.post("admin/events", &open).await?;
    let onsale = sale(venue.id, "demo-onsale", "Noche grande", now + ONSALE_AFTER, true);
    operator.post("admin/events", &onsale).await
}

struct Operator {
    http: Client,
    api: String,
    token: String,
}

impl Operator {
    fn new(api: &str, config: &Config) -> Result<Self, DemoError> {
        let grant = Grant {
            subject: "taquilla-dev".into(),
            scope: "operator".into(),
            lifetime: Duration::from_secs(300),
            email: None,
        };
        let settings = tokens(config).map_err(|error| DemoError::Token(error.to_string()))?;
        let token = mint(&settings, &grant, wall_clock::now())
            .map_err(|error| DemoError::Token(error.to_string()))?;
        let http = Client::builder().no_proxy().timeout(Duration::from_secs(60)).build()?;
        Ok(Self { http, api: api.into(), token })
    }

    async fn exists(&self, path: &str) -> Result<bool, DemoError> {
        let answer = self.http.get(format!("{}/{path}", self.api)).send().await?;
        Ok(answer.status().is_success())
    }

    /// What is there already, from a start that was killed half-way, is fine.
    async fn post(&self, path: &str, body: &impl Serialize) -> Result<(), DemoError> {
        let request = self.http.post(format!("{}/{path}", self.api)).bearer_auth(&self.token);
        let answer = request.header("Idempotency-Key", Uuid::new_v4().to_string());
        let answer = answer.json(body).send().await?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            StatusCode::CONFLICT => Ok(()),
            _ => Err(DemoError::Refused(answer.text().await?)),
        }
    }
}

/// A venue as an operator sends it. Its plan is not made a tree: it has 60,000 seats.
#[derive(Serialize)]
struct Venue {
    name: &'static str,
    slug: &'static str,
    city: &'static str,
    country: &'static str,
    lat: f64,
    lon: f64,
    timezone: &'static str,
    plan: stadium::Plan,
}

fn venue() -> Venue {
    let name = "Estadio de la Ribera";
    Venue {
        name,
        slug: STADIUM,
        city: "Sevilla",
        country: "ES",
        lat: 37.3564,
        lon: -5.9817,
        timezone: "Europe/Madrid",
        plan: stadium::plan(name),
    }
}

fn sale(venue: Uuid, slug: &str, name: &str, opens_at: DateTime<Utc>, waiting_room: bool) -> Value {
    json!({
        "venue_id": venue, "name": name, "slug": slug, "category": "rock",
        "description": "A demo: nothing here is for sale in earnest.",
        "artists": ["Las Mareas"], "starts_at": opens_at + TimeDelta::days(180), "currency": "EUR",
        "price_tiers": [
            {"tier": "floor", "amount": 6_500}, {"tier": "A", "amount": 9_000},
            {"tier": "B", "amount": 6_000}, {"tier": "C", "amount": 3_500},
        ],
        "section_tiers": {"FLOOR": "floor"},
        "category_tiers": {"A": "A", "B": "B", "C": "C"},
        "fees": [{"name": "service", "percent": "5.00", "fixed": 100}],
        "sale": {"opens_at": opens_at, "waiting_room": waiting_room},
    })
}
