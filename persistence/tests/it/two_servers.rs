//! A primary and its synchronous standby, both real: what the standby does not have is not sold.

use secrecy::ExposeSecret;
use taquilla_engine::journal::{AppendError, Journal, TakeFrom, TakeOverError};
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::Client;

use crate::journal::box_office::{BoxOffice, EVENT, KEYS_KEPT};
use crate::journal::owner::{Owner, place_seats};
use crate::plain::{self, STUCK, in_time};

const IN_STEP: &str = "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')";
const CANCEL: &str =
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
const HOLDS: &str = "SELECT count(*) FROM holds";

async fn pair(name: &str) -> (ScratchCluster, ScratchCluster, BoxOffice, Client) {
    let mut primary = ScratchCluster::start(&[]).await.expect("a primary");
    let settings = primary.migrated_database(name).await.expect("a database");
    let standby = in_time(primary.standby("mirror")).await.expect("a standby");
    // The primary may be on another port since.
    let settings =
        DatabaseSettings { url: primary.postgres.url(&database_of(&settings)), ..settings };
    let observer = plain::client(&settings).await;
    for sql in [
        "ALTER SYSTEM SET synchronous_standby_names = 'mirror'",
        "SELECT pg_reload_conf()",
        "SET synchronous_commit = local",
    ] {
        observer.batch_execute(sql).await.expect("a superuser");
    }
    plain::until(&observer, IN_STEP).await;
    let office = BoxOffice::over(settings).await;
    (primary, standby, office, observer)
}

async fn count(client: &Client) -> i64 {
    client.query_one(HOLDS, &[]).await.expect("a count").get(0)
}

#[tokio::test]
async fn a_cancelled_wait_for_the_standby_is_no_sale_and_the_standby_proves_it() {
    let (mut primary, mut standby, office, observer) = pair("two_servers").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[1]));
    owner.commit(&office).await;

    standby.postgres.kill().await.expect("killed");
    owner.ask(place_seats("bob", "k", &[2]));
    let batch = owner.gather(&office).expect("a batch");
    let cancelled = async {
        plain::until(&observer, STUCK).await;
        observer.batch_execute(CANCEL).await.expect("a superuser");
    };
    let (said, ()) =
        in_time(async { tokio::join!(office.journal.append(&batch), cancelled) }).await;
    assert!(
        matches!(said, Err(AppendError::Unknown(_))),
        "the server said yes, with a warning: {said:?}"
    );
    // It is on this disk. The warning leaves the server before the row can be seen.
    plain::until(&observer, "SELECT count(*) = 2 FROM holds").await;

    // The primary is lost, and the standby takes its place.
    primary.postgres.kill().await.expect("killed");
    standby.postgres.restart().await.expect("started again");
    let promoted = plain::client(&standby.settings(&database_of(&office.settings))).await;
    promoted.batch_execute("SELECT pg_promote()").await.expect("promoted");
    plain::until(&promoted, "SELECT NOT pg_is_in_recovery()").await;
    assert_eq!(count(&promoted).await, 1, "only what was acknowledged was sold");
}

#[tokio::test]
async fn nobody_takes_an_event_over_that_the_standby_has_not_heard_of() {
    let (_primary, mut standby, office, observer) = pair("unheard_takeover").await;
    standby.postgres.kill().await.expect("killed");
    let taken = in_time(office.journal.take_over(EVENT, TakeFrom::Anyone, KEYS_KEPT, &[])).await;
    assert!(matches!(taken, Err(TakeOverError::Unavailable(_))), "{taken:?}");
    drop(observer);
}

fn database_of(settings: &DatabaseSettings) -> String {
    let database = settings.url.expose_secret().rsplit('/').next();
    database.expect("a URL with a database").to_owned()
}
