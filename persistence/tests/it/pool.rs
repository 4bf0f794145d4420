use std::ops::Deref;
use std::time::Duration;

use taquilla_persistence::pool::{Pool, PoolError};
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch::{self, ScratchCluster};
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::Client;

use crate::plain::in_time;

async fn backend(client: impl Deref<Target = Client>) -> Result<i32, tokio_postgres::Error> {
    client.query_one("/* backend */ SELECT pg_backend_pid()", &[]).await?.try_get(0)
}

#[tokio::test]
async fn the_pool_recovers_after_a_restart_of_the_server() {
    let mut cluster = ScratchCluster::start(&[]).await.expect("a cluster");
    let settings = cluster.database("restarted").await.expect("a database");
    let pool = Pool::new(&settings).expect("a good URL");
    pool.read(backend).await.expect("a read");
    let used = pool.connection().await.expect("a connection");

    cluster.postgres.stop().await.expect("stopped");
    in_time(pool.read(backend)).await.expect_err("nobody listens");
    backend(&*used).await.expect_err("the server went away");
    drop(used);

    cluster.postgres.restart().await.expect("started again");
    pool.read(backend).await.expect("none of the old connections is lent");
}

#[tokio::test]
async fn a_failure_that_condemns_one_connection_closes_the_idle_ones_too() {
    let cluster = scratch::shared().await;
    let settings = cluster.database("condemned").await.expect("a database");
    let pool = Pool::new(&settings).expect("a good URL");
    let (one, two) = (pool.connection().await, pool.connection().await);
    let idle = [
        backend(&*one.expect("a connection")).await.expect("a read"),
        backend(&*two.expect("a connection")).await.expect("a read"),
    ];
    pool.read(|client| async move {
        client.batch_execute("BEGIN READ ONLY; CREATE TABLE never (x int)").await
    })
    .await
    .expect_err("as on a standby");
    let next = pool.read(backend).await.expect("a read");
    assert!(!idle.contains(&next), "{next} is one of {idle:?}");
}

#[tokio::test]
async fn a_transaction_that_a_borrower_left_open_is_gone_for_the_next() {
    let settings = scratch::shared().await.database("left_open").await.expect("a database");
    let pool = Pool::new(&DatabaseSettings { pool_max: 1, ..settings }).expect("a good URL");
    let careless = pool.connection().await.expect("a connection");
    let first = backend(&*careless).await.expect("a read");
    careless.batch_execute("BEGIN; CREATE TABLE never (x int)").await.expect("left open");
    drop(careless);

    let next = pool.connection().await.expect("a connection");
    assert_eq!(backend(&*next).await.expect("a read"), first, "the same, and clean");
    next.batch_execute("SELECT FROM never").await.expect_err("rolled back");
}

#[tokio::test]
async fn a_connection_whose_reader_left_is_not_lent_again() {
    let cluster = scratch::shared().await;
    let settings = cluster.database("reader_left").await.expect("a database");
    let pool = Pool::new(&DatabaseSettings { pool_max: 1, ..settings }).expect("a good URL");
    let first = pool.read(backend).await.expect("a read");
    let slow = pool.read(|client| async move { client.batch_execute("SELECT pg_sleep(60)").await });
    tokio::time::timeout(Duration::from_millis(50), slow).await.expect_err("a minute's sleep");
    assert_ne!(pool.read(backend).await.expect("a read"), first);
}

#[tokio::test]
async fn a_broken_network_is_an_error_and_its_return_is_noticed() {
    let cluster = scratch::shared().await;
    let settings = cluster.database("broken").await.expect("a database");
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let pool = Pool::new(&proxy.before(&settings)).expect("a good URL");
    pool.read(backend).await.expect("a read");

    proxy.refuse_connections(true);
    proxy.cut();
    in_time(proxy.until(|traffic| traffic.connections == 0)).await;
    in_time(pool.read(backend)).await.expect_err("nothing gets through");

    proxy.refuse_connections(false);
    pool.read(backend).await.expect("a new connection");
}

#[tokio::test]
async fn who_waits_too_long_while_others_are_answered_is_told_that_all_are_busy() {
    let settings = scratch::shared().await.database("busy").await.expect("a database");
    let pool = Pool::new(&DatabaseSettings { pool_max: 1, ..settings }).expect("a good URL");
    pool.read(backend).await.expect("a read");
    let sleep = async |seconds: &str| {
        let sleep = format!("SELECT pg_sleep({seconds})");
        pool.read(|client| async move { client.batch_execute(&sleep).await }).await
    };
    let last = tokio::select! {
        biased;
        (first, _) = async { tokio::join!(sleep("0.1"), sleep("60")) } => panic!("{first:?}"),
        last = in_time(pool.connection()) => last.expect_err("two were there before"),
    };
    assert!(matches!(last, PoolError::Busy), "{last:?}");
}

#[tokio::test]
async fn every_wait_for_a_connection_is_bounded() {
    let cluster = scratch::shared().await;
    let settings = DatabaseSettings {
        pool_max: 1,
        pool_wait_timeout: Duration::from_millis(50),
        ..cluster.database("bounded").await.expect("a database")
    };
    let pool = Pool::new(&settings).expect("a good URL");
    let _lent = pool.connection().await.expect("a connection");
    let busy = in_time(pool.connection()).await.expect_err("the only one is lent");
    assert!(matches!(busy, PoolError::TimedOut), "{busy:?}");

    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    proxy.hold_answers();
    let impatient =
        DatabaseSettings { connect_timeout: Duration::from_millis(50), ..proxy.before(&settings) };
    let pool = Pool::new(&impatient).expect("a good URL");
    let silent = in_time(pool.connection()).await.expect_err("no answer");
    assert!(matches!(silent, PoolError::TimedOut), "{silent:?}");
}
