use std::time::Duration;

use taquilla_engine::payment::{Attempts, Opened};
use taquilla_persistence::attempts::PostgresAttempts;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::proxy::Proxy;

use crate::box_office::BoxOffice;
use crate::plain::{self, in_time};

const IMPATIENT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_read_that_gets_no_answer_ends_in_time() {
    let (_, database, proxy) = far_office("silent_read").await;
    let catalogue = Catalogue::new(database.within(IMPATIENT));
    proxy.hold_answers();
    let numbers = in_time(catalogue.all_event_numbers()).await;
    assert!(matches!(numbers, Err(DatabaseError::TimedOut(IMPATIENT))), "{numbers:?}");
}

#[tokio::test]
async fn an_open_that_got_no_answer_is_told_by_its_key() {
    let (office, database, proxy) = far_office("silent_open").await;
    let order = office.order(office.hold("ana", &[0]).await).await;
    let new = office.new_attempt("ana", order, "k1");
    proxy.hold_answers();
    let impatient = PostgresAttempts::new(database.within(IMPATIENT), 5);
    in_time(impatient.open(&new)).await.expect_err("nobody knows");
    proxy.release();

    let again = in_time(PostgresAttempts::new(database, 5).open(&new)).await;

    assert!(matches!(again, Ok(Opened::Created(_) | Opened::Replayed(_))), "{again:?}");
    let count = "SELECT count(*) FROM payment_attempts";
    let count = office.client.query_one(count, &[]).await.expect("a count");
    assert_eq!(count.get::<_, i64>(0), 1);
}

/// With one connection through the proxy already made.
async fn far_office(name: &str) -> (BoxOffice, Database, Proxy) {
    let office = BoxOffice::open(name).await;
    let (proxy, settings) = plain::behind_a_proxy(&office.settings).await;
    let database = Database::new(Pool::new(&settings).expect("a good URL"), &settings);
    Catalogue::new(database.clone()).all_event_numbers().await.expect("a read");
    (office, database, proxy)
}
