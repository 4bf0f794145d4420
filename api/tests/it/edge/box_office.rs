//! A whole edge with a small hall. The payment provider is the engine's own in-memory one, which
//! answers at once, unless a test brings another.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use taquilla_api::auth::{Grant, TokenSettings, TokenVerifier, VerificationKey, mint};
use taquilla_api::config::{Config, settings};
use taquilla_api::limits::Limits;
use taquilla_api::listings::{Follower, Listings};
use taquilla_api::payment_provider::{NoticeReader, SIMULATED, SignedWith, SimulatedNotices};
use taquilla_api::proofs::Proofs;
use taquilla_api::relay::Sinks;
use taquilla_api::routes::{Front, front};
use taquilla_api::seat_maps::SeatMaps;
use taquilla_api::tickets::{TicketSigner, ticket_key_pem};
use taquilla_api::waiting_rooms::WaitingRooms;
use taquilla_api::webhooks::Webhooks;
use taquilla_api::{App, EdgeSettings};
use taquilla_engine::clock::Clock;
use taquilla_engine::event;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::PaymentProvider;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_engine::runtime::{Node, PaymentSettings, PaymentWorld, Payments, Rooms, Settings};
use taquilla_persistence::attempts::{ATTEMPTS_MAX, PostgresAttempts};
use taquilla_persistence::audit::Audit;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::chronicle::PostgresChronicle;
use taquilla_persistence::database::Database;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::inbox::Inbox;
use taquilla_persistence::journal::PostgresJournal;
use taquilla_persistence::operator_action::Trail;
use taquilla_persistence::orders::Orders;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::reconciliation::Reconciliations;
use taquilla_persistence::refunds::PostgresRefunds;
use taquilla_persistence::relay::News;
use taquilla_persistence::settings::DatabaseSettings;
use taquilla_persistence::site::Site;
use taquilla_persistence::story::Stories;
use taquilla_persistence::tickets::Tickets;
use taquilla_persistence::waiting_room::{Draws, PostgresQueueJournal, QueueHeads};

use super::Call;

/// What the provider signs its notices with.
pub(crate) const NOTICE_SECRET: &str = "between the provider and us";

pub(crate) struct BoxOffice {
    pub(crate) app: App,
    pub(crate) tokens: TokenSettings,
    /// Of what its lanes write.
    pub(crate) news: News,
}

/// A bug.
struct BrokenClock;

impl Clock for BrokenClock {
    fn now(&self) -> Moment {
        panic!("a secret of the inside")
    }
}

/// Who signs and for whom in these tests.
pub(crate) fn token_settings() -> TokenSettings {
    TokenSettings {
        algorithm: Algorithm::HS256,
        keys: vec![VerificationKey::Secret("a secret of thirty-two bytes, about".into())],
        issuer: "taquilla-tests".into(),
        audience: "taquilla".into(),
    }
}

impl BoxOffice {
    /// An edge over an empty database.
    pub(crate) async fn empty(name: &str) -> Self {
        let settings = scratch::shared().await.migrated_database(name).await.expect("a database");
        Self::over(settings, Arc::new(MemoryProvider::default())).await
    }

    /// An edge over this database, with this provider.
    pub(crate) async fn over(
        settings: DatabaseSettings,
        provider: Arc<dyn PaymentProvider>,
    ) -> Self {
        Self::at_pace(settings, provider, PaymentSettings::default()).await
    }

    /// The same, whose payments ask and wait as these settings say.
    pub(crate) async fn at_pace(
        settings: DatabaseSettings,
        provider: Arc<dyn PaymentProvider>,
        pace: PaymentSettings,
    ) -> Self {
        Self::put_together(settings, provider, pace, Settings::default()).await
    }

    /// An edge over an empty database, whose events have these limits.
    pub(crate) async fn empty_within(name: &str, limits: event::Limits) -> Self {
        let settings = scratch::shared().await.migrated_database(name).await.expect("a database");
        let (provider, pace) = (Arc::new(MemoryProvider::default()), PaymentSettings::default());
        let events = Settings { limits, ..Settings::default() };
        Self::put_together(settings, provider, pace, events).await
    }

    async fn put_together(
        settings: DatabaseSettings,
        provider: Arc<dyn PaymentProvider>,
        pace: PaymentSettings,
        events: Settings,
    ) -> Self {
        let pool = Pool::new(&settings).expect("a pool");
        let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("the database's time"));
        let database = Database::new(pool, &settings);
        let journal = Arc::new(PostgresJournal::new(settings.clone(), Arc::clone(&clock)));
        let queues = Arc::new(PostgresQueueJournal::new(settings, Arc::clone(&clock)));
        let (news, clock): (_, Arc<dyn Clock>) = (journal.news(), clock);
        let chronicle = Arc::new(PostgresChronicle::new(database.clone()));
        let node = Node::start_with(journal, Arc::clone(&clock), Some(chronicle), events).await;
        let site = Site::new(database.clone());
        let paused = site.purchases_paused().await.expect("the site's row");
        node.pause_purchases(paused.map(Into::into));
        let world = PaymentWorld {
            attempts: Arc::new(PostgresAttempts::new(database.clone(), ATTEMPTS_MAX)),
            refunds: Arc::new(PostgresRefunds::new(database.clone())),
            provider,
            seats: Arc::clone(&node) as Arc<_>,
            bells: Arc::clone(node.bells()),
            clock: Arc::clone(&clock),
        };
        let payments = Payments::new(pace, world);
        let secrets = SignedWith::new([NOTICE_SECRET.into()]);
        let notices: Arc<dyn NoticeReader> = Arc::new(SimulatedNotices::new(secrets));
        let inbox = Inbox::new(database.clone());
        let webhooks = Webhooks::new(inbox, vec![(SIMULATED, notices)], Arc::clone(&clock));
        let catalogue = Catalogue::new(database.clone());
        let tokens = token_settings();
        let listings = Arc::new(Listings::load(&catalogue).await.expect("listings"));
        let defaults = Config::load(None, std::iter::empty()).expect("the shipped file");
        let rooms = Rooms::new(queues, Arc::clone(&clock), settings::rooms(&defaults));
        let (seats, money, lists) =
            (Arc::clone(&node), Arc::clone(&payments), Arc::clone(&listings));
        let (members_max, heads) =
            (defaults.waiting_room.members_max, QueueHeads::new(database.clone()));
        let rooms = WaitingRooms::new(rooms, members_max, seats, money, lists, heads);
        let app = App {
            node,
            payments,
            listings,
            rooms: Arc::new(rooms),
            proofs: Arc::new(Proofs::new(Draws::new(database.clone()))),
            challenges: None,
            catalogue,
            orders: Orders::new(database.clone()),
            audit: Audit::new(database.clone()),
            stories: Stories::new(database.clone()),
            site,
            reconciliations: Reconciliations::new(database.clone()),
            trail: Trail::new(database.clone()),
            gates: Tickets::new(database.clone()),
            contacts: None,
            clock,
            live_maps: Arc::default(),
            seat_maps: Arc::new(SeatMaps::default()),
            verifier: Arc::new(TokenVerifier::new(&tokens).expect("keys")),
            tickets: Arc::new(TicketSigner::new(&ticket_key_pem(&[7; 32])).expect("a seed")),
            sinks: Arc::new(Sinks::new(Vec::new(), database)),
            webhooks,
            limits: Arc::new(Limits::default()),
            shedding: None,
            settings: Arc::new(EdgeSettings::default()),
        };
        Self { app, tokens, news }
    }

    /// The same edge, which follows what others change of the catalogue, as a server does.
    pub(crate) fn following(self) -> Self {
        let App { listings, catalogue, clock, .. } = &self.app;
        let follower = Follower::new(Arc::clone(listings), catalogue.clone(), Arc::clone(clock));
        tokio::spawn(follower.keep_following());
        self
    }

    /// An edge with the hall and an event `noche` on sale in it; the event's id.
    pub(crate) async fn open(name: &str) -> (Self, String) {
        let office = Self::empty(name).await;
        let event = office.create_event(&event_form()).await;
        (office, event)
    }

    /// Makes the hall if it is not there, and an event in it.
    pub(crate) async fn create_event(&self, form: &Value) -> String {
        let venue = self.operator(Method::POST, "/admin/venues").json(&venue_form()).send().await;
        let mut form = form.clone();
        form["venue_id"] = match venue.status.as_u16() {
            201 => venue.json()["venue_id"].clone(),
            _ => {
                let events = self.anyone(Method::GET, "/events?limit=1").send().await.ok(200);
                events["items"][0]["venue"]["venue_id"].clone()
            }
        };
        let event = self.operator(Method::POST, "/admin/events").json(&form).send().await;
        event.ok(201)["event_id"].as_str().expect("an id").to_owned()
    }

    /// The same edge, with a bug in it: whatever asks what time it is panics.
    pub(crate) fn with_a_bug(mut self) -> Self {
        self.app.clock = Arc::new(BrokenClock);
        self
    }

    pub(crate) fn front(&self) -> Front {
        front(self.app.clone())
    }

    pub(crate) fn token(&self, subject: &str, scope: &str) -> String {
        let lifetime = Duration::from_secs(3_600);
        let grant = Grant { subject: subject.into(), scope: scope.into(), lifetime, email: None };
        mint(&self.tokens, &grant, self.app.clock.now()).expect("a token")
    }

    /// A call without a token.
    pub(crate) fn anyone(&self, method: Method, path: &str) -> Call {
        Call::new(self.front(), method, path)
    }

    pub(crate) fn buyer(&self, buyer: &str, method: Method, path: &str) -> Call {
        self.anyone(method, path).bearer(&self.token(buyer, ""))
    }

    pub(crate) fn operator(&self, method: Method, path: &str) -> Call {
        self.anyone(method, path).bearer(&self.token("olga", "operator"))
    }

    /// Asks for a hold of these seats.
    pub(crate) fn hold(&self, buyer: &str, key: &str, event: &str, seats: &[&str]) -> Call {
        let body = json!({"event_id": event, "seats": seats});
        self.buyer(buyer, Method::POST, "/holds").key(key).json(&body)
    }

    /// Asks for the order of a hold.
    pub(crate) fn order(&self, buyer: &str, key: &str, hold: &Value) -> Call {
        self.buyer(buyer, Method::POST, "/orders").key(key).json(&json!({"hold_id": hold}))
    }

    /// Asks for a payment of an order.
    pub(crate) fn pay(&self, buyer: &str, key: &str, order: &Value, method: &str) -> Call {
        let order = order.as_str().expect("an id");
        let path = format!("/orders/{order}/payments");
        self.buyer(buyer, Method::POST, &path).key(key).json(&json!({"payment_method": method}))
    }

    /// Reads a thing of the buyer's.
    pub(crate) fn read(&self, buyer: &str, path: &str) -> Call {
        self.buyer(buyer, Method::GET, path)
    }
}

/// Section `A` with seats `A-1-1` to `A-1-4` and `A-2-1` to `A-2-4`, `B` with two, `FLOOR` with ten
/// places.
pub(crate) fn venue_form() -> Value {
    json!({
        "name": "Teatro", "slug": "teatro", "city": "Sevilla", "country": "ES",
        "lat": 37.4, "lon": -5.9, "timezone": "Europe/Madrid",
        "plan": {"format": "rows", "sections": [
            {"section": "A", "kind": "seated", "rows": [
                {"row": "1", "seats": 4, "accessible": [1]}, {"row": "2", "seats": 4}]},
            {"section": "B", "kind": "seated", "rows": [{"row": "1", "seats": 2}]},
            {"section": "FLOOR", "kind": "general", "capacity": 10}]}
    })
}

/// On sale at once: `A` 90.00, `B` 45.00, `FLOOR` free; 5 % and 1.00 on each ticket.
pub(crate) fn event_form() -> Value {
    json!({
        "venue_id": null, "name": "Noche", "slug": "noche", "description": "Una noche.",
        "category": "rock", "artists": ["Ana"], "starts_at": "2099-06-01T19:00:00Z",
        "currency": "EUR",
        "price_tiers": [{"tier": "gold", "amount": 9000}, {"tier": "silver", "amount": 4500},
                        {"tier": "free", "amount": 0}],
        "section_tiers": {"A": "gold", "B": "silver", "FLOOR": "free"},
        "fees": [{"name": "service", "percent": "5.00", "fixed": 100}],
        "sale": {"max_seats_per_buyer": 4}
    })
}
