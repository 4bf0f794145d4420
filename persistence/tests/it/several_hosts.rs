//! A URL of several hosts, of which the first lets everybody in and never says a word.

use std::time::{Duration, Instant};

use secrecy::ExposeSecret;
use taquilla_persistence::ConnectError;
use taquilla_persistence::migrations::{MigrationError, schema_is_current};
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use taquilla_persistence::writer::BorrowError;

use crate::plain::{self, in_time};
use crate::writers;

/// Half of it is enough for a host that answers, on a busy machine.
const CONNECT_MAX: Duration = Duration::from_secs(4);

/// The database, by the hosts of these settings, one after the other.
fn one_after_the_other(all: &[&DatabaseSettings]) -> DatabaseSettings {
    let parts = all.iter().map(|settings| {
        let url = settings.url.expose_secret();
        let (user, rest) = url.split_once('@').expect("a user");
        let (host, database) = rest.split_once('/').expect("a database");
        (user, host, database)
    });
    let (users, hosts, databases): (Vec<_>, Vec<_>, Vec<_>) = parts.collect();
    let url = format!("{}@{}/{}", users[0], hosts.join(","), databases[0]);
    DatabaseSettings { url: url.into(), connect_timeout: CONNECT_MAX, ..all[0].clone() }
}

async fn silent(settings: &DatabaseSettings) -> (Proxy, DatabaseSettings) {
    let (proxy, through) = plain::behind_a_proxy(settings).await;
    proxy.hold_answers();
    (proxy, through)
}

#[tokio::test]
async fn a_silent_first_host_does_not_hide_the_second() {
    let settings = scratch::shared().await.database("second_host").await.expect("a database");
    plain::with_notes(&settings).await;
    let (proxy, through) = silent(&settings).await;
    let both = one_after_the_other(&[&through, &settings]);

    let writers = writers::pool(&both);
    let pool = Pool::new(&both).expect("a good URL");
    let (writer, connection, schema) = in_time(async {
        tokio::join!(writers.borrow(plain::soon()), pool.connection(), schema_is_current(&both))
    })
    .await;

    writer.expect("a writer");
    connection.expect("a connection");
    assert!(matches!(schema, Err(MigrationError::NotCurrent { .. })), "{schema:?}");
    assert_eq!(proxy.traffic().forwarded, 0, "nobody was let in by the first");
}

#[tokio::test]
async fn hosts_that_are_all_silent_share_the_time_of_one() {
    let settings = scratch::shared().await.database("silent_hosts").await.expect("a database");
    let ((_first, first), (_second, second)) = (silent(&settings).await, silent(&settings).await);
    let both = one_after_the_other(&[&first, &second]);
    let both = DatabaseSettings { connect_timeout: Duration::from_millis(200), ..both };
    let started = Instant::now();
    let nobody = in_time(writers::pool(&both).borrow(plain::soon())).await;
    let timed_out = matches!(nobody, Err(BorrowError::Connect(ConnectError::TimedOut(_))));
    assert!(timed_out, "{nobody:?}");
    assert!(started.elapsed() >= Duration::from_millis(200), "each had its part");
}
