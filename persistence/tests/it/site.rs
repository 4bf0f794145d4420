//! What an operator's stop of all purchases comes to when nobody knows whether it was written.

use std::cell::Cell;
use std::time::Duration;

use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::pool::Pool;
use taquilla_persistence::site::Site;

use crate::box_office::{action, fresh};
use crate::plain::{self, in_time};

const IMPATIENT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_stop_of_unknown_outcome_stops_and_a_resumption_of_unknown_outcome_does_not_resume() {
    let (settings, near) = fresh("site").await;
    let (proxy, through) = plain::behind_a_proxy(&settings).await;
    let database = Database::new(Pool::new(&through).expect("a good URL"), &through);
    let site = Site::new(database.clone());
    let impatient = Site::new(database.within(IMPATIENT));
    let in_memory = Cell::new(false);
    assert_eq!(in_time(site.purchases_paused()).await.expect("a read"), None);

    proxy.hold_answers();
    let stop = || in_memory.set(true);
    let stopped = in_time(impatient.pause_purchases(Some("fire"), &action(), stop)).await;
    assert!(matches!(stopped, Err(DatabaseError::TimedOut(IMPATIENT))), "{stopped:?}");
    assert!(in_memory.get(), "nothing is sold that the row may forbid");

    // Told again, it is written too.
    proxy.release();
    in_time(site.pause_purchases(Some("fire"), &action(), stop)).await.expect("an answer");
    let near = Site::new(near);
    assert_eq!(in_time(near.purchases_paused()).await.expect("a read").as_deref(), Some("fire"));

    proxy.hold_answers();
    let resume = || in_memory.set(false);
    in_time(impatient.pause_purchases(None, &action(), resume)).await.expect_err("no answer");
    assert!(in_memory.get(), "nothing is sold that the row may forbid");

    proxy.release();
    in_time(site.pause_purchases(None, &action(), resume)).await.expect("an answer");
    assert!(!in_memory.get());
    assert_eq!(in_time(near.purchases_paused()).await.expect("a read"), None);
}
