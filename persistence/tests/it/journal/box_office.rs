//! One event for sale in a fresh database, and its journal.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::clock::Clock;
use taquilla_engine::event::{Batch, Fact, Limits, Snapshot, Terms};
use taquilla_engine::hold::{Claim, Hold, HoldStatus};
use taquilla_engine::id::{EventNumber, HoldId, PlanId, SeatIndex, SectionIndex};
use taquilla_engine::journal::{AppendError, Journal, TakeFrom};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::pricing::{Fee, Quote};
use taquilla_engine::sale::Sale;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::journal::PostgresJournal;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::Client;

use crate::plain;

pub(crate) const EVENT: EventNumber = EventNumber(1);
/// Three sections of ten seats: paid, paid, free of charge.
pub(crate) const FREE: SectionIndex = SectionIndex(2);
/// Eight places.
pub(crate) const FLOOR: SectionIndex = SectionIndex(3);
pub(crate) const SEATS: u32 = 30;
pub(crate) const BUYER_SEATS_MAX: u32 = 6;
pub(crate) const HOLD_TTL: Duration = Duration::from_secs(60);
pub(crate) const KEYS_KEPT: Duration = Duration::from_secs(24 * 3600);

const ROWS: &str = "
    INSERT INTO venues (venue_id, slug, name, city, country, lat, lon, timezone)
    VALUES (gen_random_uuid(), 'v', 'V', 'Sevilla', 'ES', 0, 0, 'Europe/Madrid');
    INSERT INTO seating_plans
    SELECT '00000000-0000-0000-0000-000000000000', venue_id, 'main', 1, 38 FROM venues;
    INSERT INTO events (event_id, venue_id, plan_id, slug, name, description, category, conditions, starts_at,
        currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, waiting_room,
        verifying_extension_seconds)
    SELECT gen_random_uuid(), venue_id, plan_id, 'e', 'E', '', 'rock', '', '2100-01-01', 'EUR',
        '2000-01-01', '2100-01-01', 60, 6, false, 0 FROM seating_plans;
    INSERT INTO plan_sections
    SELECT plan_id, s.* FROM seating_plans, (VALUES (0, 'A', 0, 10, 0, 10),
        (1, 'B', 0, 10, 10, 10), (2, 'FREE', 0, 10, 20, 10), (3, 'FLOOR', 1, 8, NULL, NULL))
        AS s (no, name, kind, capacity, first, seats);
    INSERT INTO plan_seats (plan_id, seat_index, section_no, label, row_label, seat_label, x, y)
    SELECT plan_id, i, i / 10, 'S-' || i, '1', i::text, 0, 0
      FROM seating_plans, generate_series(0, 29) i;
    INSERT INTO event_heads (event_no) VALUES (1);
    INSERT INTO seats (seat_key) SELECT 1048576 + i FROM generate_series(0, 29) i;
    INSERT INTO general_areas (event_no, section_no, capacity) VALUES (1, 3, 8);";

const TABLES: [&str; 11] = [
    "event_heads",
    "seats",
    "general_areas",
    "buyers",
    "holds",
    "orders",
    "payment_attempts",
    "tickets",
    "refunds",
    "receipts",
    "outbox",
];

pub(crate) struct BoxOffice {
    pub(crate) settings: DatabaseSettings,
    pub(crate) journal: PostgresJournal,
    pub(crate) clock: Arc<DatabaseClock>,
    /// Past our own code.
    pub(crate) client: Client,
}

impl BoxOffice {
    pub(crate) async fn open(name: &str) -> BoxOffice {
        let cluster = scratch::shared().await;
        let settings = cluster.migrated_database(name).await.expect("a database");
        Self::over(settings).await
    }

    /// In a database that has the schema and nothing else.
    pub(crate) async fn over(settings: DatabaseSettings) -> BoxOffice {
        let client = plain::client(&settings).await;
        client.batch_execute(ROWS).await.expect("one event");
        let pool = Pool::new(&settings).expect("a pool");
        let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("a near database"));
        let journal = PostgresJournal::new(settings.clone(), Arc::clone(&clock));
        BoxOffice { settings, journal, clock, client }
    }

    /// Another process' journal on the same rows.
    pub(crate) fn other_journal(&self, settings: DatabaseSettings) -> PostgresJournal {
        PostgresJournal::new(settings, Arc::clone(&self.clock))
    }

    pub(crate) async fn take_over(&self) -> Snapshot {
        self.journal
            .take_over(EVENT, TakeFrom::Anyone, KEYS_KEPT, &[])
            .await
            .expect("the event exists")
    }

    /// A batch of these facts, as the owner that took the event over would send it next.
    pub(crate) fn batch(&self, owner: &Snapshot, facts: Vec<Fact>) -> Batch {
        let now = self.clock.now();
        let mut batch = Batch::new(EVENT, owner.epoch, owner.sequence, now);
        facts.into_iter().for_each(|fact| batch.add(fact));
        batch
    }

    pub(crate) async fn append(&self, batch: &Batch) -> Result<(), AppendError> {
        plain::in_time(self.journal.append(batch)).await
    }

    /// Every row that a batch may touch, as text.
    pub(crate) async fn rows(&self) -> String {
        let mut rows = String::new();
        for table in TABLES {
            let all = format!("SELECT t::text FROM {table} t ORDER BY 1");
            for row in self.client.query(&all, &[]).await.expect("a table") {
                rows += &format!("{table}{}\n", row.get::<_, &str>(0));
            }
        }
        rows
    }

    pub(crate) async fn count(&self, sql: &str) -> i64 {
        self.client.query_one(sql, &[]).await.expect("a count").get(0)
    }

    /// The money workflow's part: an attempt of this order that is authorised.
    pub(crate) async fn authorize(&self, attempt: uuid::Uuid, order: uuid::Uuid) {
        let sql = "INSERT INTO payment_attempts (attempt_id, order_id, event_no, buyer, fingerprint, \
                method, provider, amount, currency, status, reference, reserved, reserved_in) \
            SELECT $1, order_id, event_no, buyer, sha256('x'), 'm', 'sim', total, 'EUR', 'authorized', \
                'r', total, 'EUR' FROM orders WHERE order_id = $2";
        let made = self.client.execute(sql, &[&attempt, &order]).await.expect("an open order");
        assert_eq!(made, 1);
        self.book(attempt, "authorised").await;
    }

    /// Books what moved, by this rule.
    pub(crate) async fn book(&self, attempt: uuid::Uuid, rule: &str) {
        let sql = "INSERT INTO ledger (attempt_id, order_id, event_no, kind, account, amount, currency) \
            SELECT attempt_id, order_id, event_no, kind, account, reserved * of_whole, reserved_in \
              FROM payment_attempts JOIN ledger_rules ON rule = $2 \
             WHERE attempt_id = $1 AND of_whole <> 0";
        self.client.execute(sql, &[&attempt, &rule]).await.expect("an attempt with money");
    }
}

pub(crate) fn limits() -> Limits {
    Limits { keys_kept: KEYS_KEPT, ..Limits::default() }
}

pub(crate) fn terms() -> Terms {
    let seated = |name: &str, first, tier| SectionPlan {
        name: name.into(),
        kind: SectionKind::Seated { first: SeatIndex(first), seats: 10 },
        tier,
    };
    let floor = SectionKind::General { capacity: 8 };
    let sections = vec![
        seated("A", 0, 0),
        seated("B", 10, 0),
        seated("FREE", 20, 1),
        SectionPlan { name: "FLOOR".into(), kind: floor, tier: 0 },
    ];
    let tiers = [("paid", 1_000), ("free", 0)];
    let tiers = tiers.map(|(name, price)| Tier { name: name.into(), price });
    let seat = |index: u32| SeatPlan {
        label: format!("S-{index}").into(),
        section: SectionIndex(u16::try_from(index / 10).expect("three sections")),
        tier: u16::from(index >= 20),
        ..SeatPlan::default()
    };
    Terms {
        event: EVENT,
        plan_id: PlanId::default(),
        plan: Arc::new(Plan::new(tiers.into(), sections, (0..SEATS).map(seat).collect())),
        currency: Currency::parse("EUR").expect("a currency"),
        fees: vec![Fee { name: "service".into(), percent: 50_000, fixed: 100 }].into(),
        sale: Sale {
            opens_at: Moment(0),
            closes_at: Moment(i64::MAX),
            hold_ttl: HOLD_TTL,
            buyer_seats_max: BUYER_SEATS_MAX,
            waiting_room: false,
            paused: false,
            verifying_extension: Duration::ZERO,
            cancelled: false,
        },
    }
}

pub(crate) fn seats(indexes: &[u32]) -> Vec<SeatIndex> {
    indexes.iter().copied().map(SeatIndex).collect()
}

pub(crate) fn hold_of(buyer: &str, key: &str) -> HoldId {
    HoldId::derive(EVENT, &super::owner::buyer(buyer), key)
}

/// A hold of two seats, which a batch may place whether or not any section would.
pub(crate) fn a_hold(who: &str, key: &str) -> Hold {
    Hold {
        id: hold_of(who, key),
        buyer: super::owner::buyer(who),
        fingerprint: [7; 32],
        claim: Claim::of_seats(seats(&[5, 6])),
        unit_prices: vec![1_000, 1_000],
        quote: Quote { fees: vec![300], total: 2_300 },
        status: HoldStatus::Active,
        created_at: Moment(0),
        expires_at: Moment(1),
        extended: false,
        order: None,
        remarks: None,
    }
}
