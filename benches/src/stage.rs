//! Where both ways play: one private Postgres that syncs its commits, one database, one event.

use taquilla_engine::event::Terms;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::database::Database;
use taquilla_persistence::operator_action::OperatorAction;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use crate::hall::{self, HOLD_TTL};
use crate::scale::Scale;

/// Safe storage, all of the data in memory, and no checkpoint but our own (see [`Stage::checkpoint`]),
/// so that no slice pays for the other way's full-page images.
const SERVER: &[(&str, &str)] = &[
    ("fsync", "on"),
    ("full_page_writes", "on"),
    ("synchronous_commit", "on"),
    ("shared_buffers", "1GB"),
    ("checkpoint_timeout", "1d"),
    ("max_wal_size", "32GB"),
    ("min_wal_size", "2GB"),
];

/// Segments of the log are made of those that a checkpoint has set free, as on any server that has run
/// for a while. A new server makes each anew, 16 MB of zeros in the middle of somebody's commit.
const USE_LOG: &str = "/* use_log */ SELECT count(pg_logical_emit_message(false, 'bench', \
    repeat(' ', 1048576))) FROM generate_series(1, $1)";

/// Each hold is counted three times, and each seat of an active hold is its own: whoever wrote them
/// kept the rules.
const BOOKS: &str = "/* books */ \
    SELECT (SELECT count(*) FROM seats WHERE state = 1), \
           (SELECT sum(quantity)::bigint FROM holds WHERE status = 0), \
           (SELECT sum(seats)::bigint FROM buyers), \
           (SELECT count(*) FROM holds h CROSS JOIN unnest(h.seats) AS seat_index \
              JOIN seats s ON s.seat_key = h.event_no::bigint * 1048576 + seat_index \
             WHERE h.status = 0 AND s.hold_id = h.hold_id)";

/// A database with the reference event in it.
#[derive(Debug)]
pub struct Stage {
    cluster: ScratchCluster,
    /// How the database is reached.
    pub settings: DatabaseSettings,
    /// Of the event, with holds that live [`HOLD_TTL`].
    pub terms: Terms,
}

impl Stage {
    /// Starts the server and makes the event. The server ends with the value.
    pub async fn set(scale: &Scale) -> Self {
        let cluster = ScratchCluster::start(SERVER).await.expect("a private Postgres");
        let migrated = cluster.migrated_database("bench").await.expect("a database");
        let settings = DatabaseSettings { crash_safe_storage_required: true, ..migrated };
        let terms = make_event(&settings, scale).await;
        let stage = Self { cluster, settings, terms };
        let client = stage.connect("").await;
        client.execute(USE_LOG, &[&scale.log_megabytes]).await.expect("a superuser may");
        stage
    }

    /// The server's process.
    #[must_use]
    pub fn server_pid(&self) -> u32 {
        self.cluster.postgres.pid()
    }

    /// A connection of one's own, with server options such as `-c jit=off`.
    pub async fn connect(&self, options: &str) -> Client {
        let mut config = self.settings.config().expect("a URL of our own");
        config.options(options).application_name("taquilla bench");
        let (client, connection) = config.connect(NoTls).await.expect("a connection");
        tokio::spawn(async move { connection.await.expect("the server stays") });
        client
    }

    /// Writes everything down. Full-page images follow: let the warm-up have them.
    pub async fn checkpoint(&self) {
        let client = self.connect("").await;
        client.batch_execute("VACUUM ANALYZE").await.expect("a superuser may");
        client.batch_execute("CHECKPOINT").await.expect("a superuser may");
    }

    /// Fails unless the rows in this schema agree with each other.
    pub async fn check_books(&self, schema: &str) {
        let client = self.connect(&format!("-c search_path={schema}")).await;
        let row = client.query_one(BOOKS, &[]).await.expect("the rows can be counted");
        let counted: Vec<Option<i64>> = (0..row.len()).map(|column| row.get(column)).collect();
        assert!(counted.iter().all(|count| *count == counted[0]), "{schema}: {counted:?}");
    }
}

async fn make_event(settings: &DatabaseSettings, scale: &Scale) -> Terms {
    let pool = Pool::new(settings).expect("a URL of our own");
    let catalogue = Catalogue::new(Database::new(pool, settings));
    let action =
        |id| OperatorAction { id: Uuid::from_u128(id), who: "bench".into(), why: String::new() };
    let venue = catalogue.create_venue(&hall::venue(scale), &action(1)).await.expect("a venue");
    let event = catalogue.create_event(&venue, &hall::event(scale), &action(2)).await;
    let event = event.expect("an event").event();
    let terms = catalogue.event_terms(event).await.expect("readable terms");
    let mut terms = terms.expect("the event was just made");
    terms.sale.hold_ttl = HOLD_TTL;
    terms
}
