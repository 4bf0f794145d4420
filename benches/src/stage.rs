//! Where all ways play: one private Postgres that syncs its commits, one database, one hall.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taquilla_engine::event::Terms;
use taquilla_engine::id::EventId;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::database::Database;
use taquilla_persistence::operator_action::OperatorAction;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::{AsyncMessage, Client, NoTls};
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
    ("max_connections", "300"),
];

/// Segments of the log are made of those that a checkpoint has set free, as on any server that has run
/// for a while. A new server makes each anew, 16 MB of zeros in the middle of somebody's commit.
const USE_LOG: &str = "/* use_log */ SELECT count(pg_logical_emit_message(false, 'bench', \
    repeat(' ', 1048576))) FROM generate_series(1, $1)";

/// Tells what of the log is images of whole pages.
const WALINSPECT: &str = "CREATE EXTENSION pg_walinspect";

const HOLD_TTL_OF_ALL: &str = "/* hold_ttl_of_all */ UPDATE events SET hold_ttl_seconds = $1";

/// Each hold is counted three times, and each seat of an active hold is its own: whoever wrote them
/// kept the rules.
const BOOKS: &str = "/* books */ \
    SELECT (SELECT count(*) FROM seats WHERE state = 1), \
           (SELECT sum(quantity)::bigint FROM holds WHERE status = 0), \
           (SELECT sum(seats)::bigint FROM buyers), \
           (SELECT count(*) FROM holds h CROSS JOIN unnest(h.seats) AS seat_index \
              JOIN seats s ON s.seat_key = h.event_no::bigint * 1048576 + seat_index \
             WHERE h.status = 0 AND s.hold_id = h.hold_id)";

/// A database with the reference events in it.
#[derive(Debug)]
pub struct Stage {
    cluster: ScratchCluster,
    /// How the database is reached.
    pub settings: DatabaseSettings,
    /// Of each event, with holds that live [`HOLD_TTL`].
    pub events: Vec<Terms>,
    /// Their ids, as requests name them.
    pub ids: Vec<EventId>,
}

impl Stage {
    /// Starts the server and makes the events. The server ends with the value.
    pub async fn set(scale: &Scale) -> Self {
        Self::set_with(scale, &[]).await
    }

    /// The same with more settings of the server.
    pub async fn set_with(scale: &Scale, also: &[(&str, &str)]) -> Self {
        let server = [SERVER, also].concat();
        let cluster = ScratchCluster::start(&server).await.expect("a private Postgres");
        let migrated = cluster.migrated_database("bench").await.expect("a database");
        let settings = DatabaseSettings { crash_safe_storage_required: true, ..migrated };
        let (events, ids) = make_events(&settings, scale).await;
        let stage = Self { cluster, settings, events, ids };
        let client = stage.connect("").await;
        client.execute(USE_LOG, &[&scale.log_megabytes]).await.expect("a superuser may");
        client.batch_execute(WALINSPECT).await.expect("the server comes with its extensions");
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
        // Whoever uses a connection that has ended learns it by himself.
        tokio::spawn(async move { drop(connection.await) });
        client
    }

    /// A connection as [`Stage::connect`], and what the server says on it beside its answers.
    pub async fn connect_told(&self, options: &str) -> (Client, Arc<Mutex<Vec<String>>>) {
        let mut config = self.settings.config().expect("a URL of our own");
        config.options(options).application_name("taquilla bench");
        let (client, mut connection) = config.connect(NoTls).await.expect("a connection");
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                if let AsyncMessage::Notice(notice) = message {
                    heard.lock().expect("never poisoned").push(notice.message().to_owned());
                }
            }
        });
        (client, told)
    }

    /// Lets holds live so long, in the rows, which is where a whole server takes it from.
    pub async fn let_holds_live(&self, ttl: Duration) {
        let seconds = i32::try_from(ttl.as_secs()).expect("an hour at most");
        let client = self.connect("").await;
        client.execute(HOLD_TTL_OF_ALL, &[&seconds]).await.expect("the events are there");
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

async fn make_events(settings: &DatabaseSettings, scale: &Scale) -> (Vec<Terms>, Vec<EventId>) {
    let pool = Pool::new(settings).expect("a URL of our own");
    let catalogue = Catalogue::new(Database::new(pool, settings));
    let action =
        |id| OperatorAction { id: Uuid::from_u128(id), who: "bench".into(), why: String::new() };
    let venue = catalogue.create_venue(&hall::venue(scale), &action(0)).await.expect("a venue");
    let (mut events, mut ids) = (Vec::new(), Vec::new());
    for number in 1..=scale.events {
        let made = catalogue
            .create_event(&venue, &hall::event(scale, number), &action(number.into()))
            .await
            .expect("an event");
        let terms = catalogue.event_terms(made.event()).await.expect("readable terms");
        let mut terms = terms.expect("the event was just made");
        terms.sale.hold_ttl = HOLD_TTL;
        events.push(terms);
        ids.push(made);
    }
    (events, ids)
}
