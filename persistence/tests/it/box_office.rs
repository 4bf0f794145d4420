//! A small venue with an event on sale, in a database of its own, and rows as its lane leaves them.

use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{AttemptId, EventId, HoldId, OrderId, RefundId, TicketId};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempt, Attempts, NewAttempt, Opened, Step};
use taquilla_engine::plan::Tier;
use taquilla_engine::pricing::Fee;
use taquilla_engine::sale::Sale;
use taquilla_persistence::attempts::PostgresAttempts;
use taquilla_persistence::catalogue::{
    Artist, Catalogue, NewEvent, NewSeat, NewSection, NewVenue, SectionRoom, Venue,
};
use taquilla_persistence::database::Database;
use taquilla_persistence::operator_action::OperatorAction;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::Client;
use tokio_postgres::types::{FromSql, ToSql};
use uuid::Uuid;

use crate::plain;

/// Section 0, `A`, with seats `A-1-1` to `A-1-8`, and section 1, `FLOOR`, with 10 places.
pub(crate) const SEATS: usize = 8;
/// The tier of section 0; a fee of 1.00 comes on top of each ticket.
pub(crate) const PRICE: i64 = 9_000;

pub(crate) struct BoxOffice {
    pub(crate) settings: DatabaseSettings,
    pub(crate) client: Client,
    pub(crate) database: Database,
    pub(crate) venue: Venue,
    pub(crate) event: EventId,
}

impl BoxOffice {
    pub(crate) async fn open(name: &str) -> BoxOffice {
        let (settings, database) = fresh(name).await;
        let client = plain::client(&settings).await;
        client
            .batch_execute(include_str!("box_office.sql"))
            .await
            .expect("the fixture's functions");
        let catalogue = Catalogue::new(database.clone());
        let venue =
            catalogue.create_venue(&new_venue("hall"), &action()).await.expect("a new venue");
        let event =
            catalogue.create_event(&venue, &new_event("noche"), &action()).await.expect("an event");
        BoxOffice { settings, client, database, venue, event }
    }

    pub(crate) fn attempts(&self) -> PostgresAttempts {
        PostgresAttempts::new(self.database.clone(), 5)
    }

    /// Seats of section 0 or, with none given, two places of section 1.
    pub(crate) async fn hold(&self, buyer: &str, seats: &[i32]) -> HoldId {
        self.hold_for(buyer, seats, PRICE, Duration::from_secs(600)).await
    }

    pub(crate) async fn hold_for(
        &self,
        buyer: &str,
        seats: &[i32],
        price: i64,
        lives: Duration,
    ) -> HoldId {
        let hold = HoldId::derive(self.event.event(), &self::buyer(buyer), &format!("{seats:?}"));
        self.call(
            "SELECT place_hold($1, $2, $3, $4, $5, $6 * interval '1 second')",
            &[&hold.uuid(), &hold.event().0, &buyer, &seats, &price, &lives.as_secs_f64()],
        )
        .await;
        hold
    }

    pub(crate) async fn order(&self, hold: HoldId) -> OrderId {
        let order = OrderId::of(hold);
        self.call("SELECT place_order($1, $2)", &[&order.uuid(), &hold.uuid()]).await;
        order
    }

    /// The hold's row says that it is over since a second, and nobody has ended it.
    pub(crate) async fn let_time_pass(&self, hold: HoldId) {
        self.call(
            "UPDATE holds SET expires_at = clock_timestamp() - interval '1 second' \
              WHERE hold_id = $1",
            &[&hold.uuid()],
        )
        .await;
    }

    pub(crate) async fn release(&self, hold: HoldId) {
        self.call("SELECT end_hold($1, 1::smallint, 2::smallint, '{}')", &[&hold.uuid()]).await;
    }

    pub(crate) async fn expire(&self, hold: HoldId) {
        self.call("SELECT end_hold($1, 2::smallint, 3::smallint, '{}')", &[&hold.uuid()]).await;
    }

    /// Sells a hold of so many seats or places.
    pub(crate) async fn convert(&self, hold: HoldId, quantity: u32) {
        let order = OrderId::of(hold);
        let tickets: Vec<Uuid> =
            (0..quantity).map(|place| TicketId::of(order, place).uuid()).collect();
        self.call("SELECT end_hold($1, 3::smallint, 1::smallint, $2)", &[&hold.uuid(), &tickets])
            .await;
    }

    /// An attempt of this buyer's order whose money is reserved.
    pub(crate) async fn authorize(&self, buyer: &str, order: OrderId, key: &str) -> Attempt {
        let new = self.new_attempt(buyer, order, key);
        let opened = self.attempts().open(&new).await.expect("the store is there");
        assert!(matches!(opened, Opened::Created(_)), "{opened:?}");
        let step = Step::Authorized { reference: format!("ref-{key}"), lapses_at: None };
        self.attempts().step(new.id, &step).await.expect("the store is there")
    }

    /// What the lane says of an authorised attempt: `confirmed` or `void_due`.
    pub(crate) async fn decide(&self, attempt: AttemptId, verdict: &str) {
        self.call("SELECT decide_attempt($1, $2)", &[&attempt.uuid(), &verdict]).await;
    }

    /// A hold of one seat, sold: its order, its captured attempt, its ticket.
    pub(crate) async fn sell(&self, buyer: &str, seat: i32) -> OrderId {
        let hold = self.hold(buyer, &[seat]).await;
        let order = self.order(hold).await;
        let attempt = self.authorize(buyer, order, &format!("pay-{seat}")).await;
        self.convert(hold, 1).await;
        self.decide(attempt.id, "confirmed").await;
        self.attempts().step(attempt.id, &Step::Captured).await.expect("the store is there");
        order
    }

    /// The one value that a query of the rows gives.
    pub(crate) async fn one<T: for<'a> FromSql<'a>>(&self, sql: &str) -> T {
        self.client.query_one(sql, &[]).await.expect(sql).get(0)
    }

    /// The order's first tickets come back, so many of them, because of an operator.
    pub(crate) async fn take_back(&self, order: OrderId, quantity: u32) -> RefundId {
        self.take_back_for(order, quantity, "refund").await
    }

    /// How much its row says that a refund is of.
    pub(crate) async fn owed(&self, refund: RefundId) -> Money {
        let amount = format!("SELECT amount FROM refunds WHERE refund_id = '{}'", refund.uuid());
        Money { amount: self.one(&amount).await, currency: Currency::parse("EUR").expect("euro") }
    }

    /// Likewise, for another cause.
    pub(crate) async fn take_back_for(
        &self,
        order: OrderId,
        quantity: u32,
        cause: &str,
    ) -> RefundId {
        let refund = RefundId::of(order, "back");
        let tickets: Vec<Uuid> =
            (0..quantity).map(|place| TicketId::of(order, place).uuid()).collect();
        self.call(
            "SELECT take_tickets_back($1, $2, $3, $4)",
            &[&refund.uuid(), &order.uuid(), &tickets, &cause],
        )
        .await;
        refund
    }

    pub(crate) fn new_attempt(&self, buyer: &str, order: OrderId, key: &str) -> NewAttempt {
        let buyer = self::buyer(buyer);
        NewAttempt {
            id: AttemptId::derive(order.event(), &buyer, key),
            order,
            buyer,
            fingerprint: [7; 32],
            method: "sim_ok".into(),
            provider: "simulated".into(),
        }
    }

    /// Whatever SQL a test needs, on a connection past our own code.
    pub(crate) async fn call(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) {
        self.client.execute(sql, params).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }
}

pub(crate) async fn fresh(name: &str) -> (DatabaseSettings, Database) {
    let settings = scratch::shared().await.migrated_database(name).await.expect("a database");
    let database = reach(&settings);
    (settings, database)
}

pub(crate) fn reach(settings: &DatabaseSettings) -> Database {
    Database::new(Pool::new(settings).expect("a good URL"), settings)
}

pub(crate) fn buyer(name: &str) -> BuyerId {
    BuyerId::parse(name).expect("a good name")
}

pub(crate) fn action() -> OperatorAction {
    OperatorAction { id: Uuid::new_v4(), who: "olga".into(), why: "a new season".into() }
}

pub(crate) fn new_venue(slug: &str) -> NewVenue {
    let seat = |number: usize| NewSeat {
        label: format!("A-1-{number}"),
        row: "1".into(),
        seat: number.to_string(),
        x: 0.5 * f32::from(u8::try_from(number).expect("few seats")),
        y: 2.0,
        accessible: number == 1,
        category: None,
        dropped: false,
    };
    NewVenue {
        id: Uuid::new_v4(),
        slug: slug.into(),
        name: "The Hall".into(),
        city: "Sevilla".into(),
        country: "ES".into(),
        lat: 37.4,
        lon: -5.9,
        timezone: "Europe/Madrid".into(),
        hall: "main".into(),
        categories: Vec::new(),
        sections: vec![
            NewSection {
                name: "A".into(),
                room: SectionRoom::Seated((1..=SEATS).map(seat).collect()),
            },
            NewSection { name: "FLOOR".into(), room: SectionRoom::General { capacity: 10 } },
        ],
    }
}

/// 2027-06-01T19:00:00Z
pub(crate) const STARTS_AT: Moment = Moment(1_811_876_400_000_000);

pub(crate) fn new_event(slug: &str) -> NewEvent {
    NewEvent {
        random: [5; 11],
        slug: slug.into(),
        name: "Noche".into(),
        description: "A night".into(),
        category: "rock".into(),
        conditions: "No umbrellas".into(),
        artists: vec![artist("ana"), artist("bo")],
        starts_at: STARTS_AT,
        currency: Currency::parse("EUR").expect("three letters"),
        tiers: vec![tier("Standing", 4_500), tier("Seated", PRICE)],
        section_tiers: vec![vec![1], vec![0]],
        fees: vec![Fee { name: "service".into(), percent: 50_000, fixed: 100 }],
        sale: Sale {
            opens_at: Moment(0),
            closes_at: STARTS_AT,
            hold_ttl: Duration::from_secs(480),
            buyer_seats_max: 6,
            waiting_room: false,
            paused: false,
            verifying_extension: Duration::from_secs(60),
            cancelled: false,
        },
    }
}

pub(crate) fn artist(slug: &str) -> Artist {
    Artist { id: Uuid::new_v4(), slug: slug.into(), name: slug.to_uppercase() }
}

fn tier(name: &str, price: i64) -> Tier {
    Tier { name: name.into(), price }
}
