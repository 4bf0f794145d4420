use std::sync::Arc;

use taquilla_engine::id::OrderId;
use taquilla_engine::payment::{Attempts, NewAttempt, Opened, Step};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::box_office::BoxOffice;
use crate::plain::{self, in_time};

/// Requests side by side in each round; more than that wait for the pool.
const AT_ONCE: usize = 8;
const ROUNDS: i32 = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_one_keys_requests_at_once_one_opens_and_the_others_repeat_it() {
    let office = BoxOffice::open("attempt_one_key").await;
    for round in 0..ROUNDS {
        let order = order(&office, round).await;
        let new = office.new_attempt("ana", order, &format!("k{round}"));
        let opened = all_at_once(&office, vec![new; AT_ONCE]).await;
        let created = opened.iter().filter(|it| matches!(it, Opened::Created(_))).count();
        let replayed = opened.iter().filter(|it| matches!(it, Opened::Replayed(_))).count();
        assert_eq!((created, replayed), (1, AT_ONCE - 1), "{opened:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_one_orders_attempts_at_once_one_is_opened() {
    let office = BoxOffice::open("attempt_one_order").await;
    for round in 0..ROUNDS {
        let order = order(&office, round).await;
        let keys = (0..AT_ONCE).map(|n| office.new_attempt("ana", order, &format!("{round}-{n}")));
        let opened = all_at_once(&office, keys.collect()).await;
        let created = opened.iter().filter(|it| matches!(it, Opened::Created(_))).count();
        let refused = Opened::OrderNotPayable { status: "authorizing".into(), replayed: false };
        let refused = opened.iter().filter(|it| **it == refused).count();
        assert_eq!((created, refused), (1, AT_ONCE - 1), "{opened:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_for_two_orders_at_once_opens_one_and_is_reused_for_the_other() {
    let office = BoxOffice::open("attempt_two_orders").await;
    for round in 0..ROUNDS / 2 {
        let orders = [order(&office, 2 * round).await, order(&office, 2 * round + 1).await];
        let requests = [(orders[0], [1; 32]), (orders[1], [2; 32])].map(|(order, fingerprint)| {
            let new = office.new_attempt("ana", order, &format!("k{round}"));
            NewAttempt { fingerprint, ..new }
        });
        let opened = all_at_once(&office, requests.to_vec()).await;
        assert!(opened.iter().any(|it| matches!(it, Opened::Created(_))), "{opened:?}");
        assert!(opened.contains(&Opened::KeyReused), "{opened:?}");
    }
}

#[tokio::test]
async fn a_step_that_waited_is_judged_by_what_the_other_left() {
    let office = BoxOffice::open("step_waits").await;
    let order = order(&office, 0).await;
    let (attempts, new) = (office.attempts(), office.new_attempt("ana", order, "k1"));
    attempts.open(&new).await.expect("the store is there");
    let other = plain::client(&office.settings).await;
    other
        .batch_execute("BEGIN; UPDATE payment_attempts SET status = 'verifying'")
        .await
        .expect("an update that holds its row");
    let waiting = "SELECT EXISTS (SELECT FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock')";

    let authorized = Step::Authorized { reference: "ref".into(), lapses_at: None };
    let stepping = attempts.step(new.id, &authorized);
    let letting_go = async {
        plain::until(&office.client, waiting).await;
        other.batch_execute("COMMIT").await
    };
    let (stepped, let_go) = in_time(async { tokio::join!(stepping, letting_go) }).await;

    let_go.expect("a commit");
    assert_eq!(stepped.expect("the store is there").status.code(), "authorized");
}

#[tokio::test]
async fn opening_waits_for_no_row_of_the_lane() {
    let office = BoxOffice::open("open_locks_nothing").await;
    let order = order(&office, 0).await;
    let lane = plain::client(&office.settings).await;
    lane.batch_execute(
        "BEGIN; UPDATE orders SET status = 2; UPDATE holds SET status = 1; \
         UPDATE seats SET state = 0, hold_id = NULL",
    )
    .await
    .expect("a batch under way");

    let opened = in_time(office.attempts().open(&office.new_attempt("ana", order, "k1"))).await;

    assert!(matches!(opened, Ok(Opened::Created(_))), "{opened:?}");
    lane.batch_execute("COMMIT").await.expect("the lane was not disturbed");
}

async fn order(office: &BoxOffice, seat: i32) -> OrderId {
    office.order(office.hold("ana", &[seat]).await).await
}

async fn all_at_once(office: &BoxOffice, requests: Vec<NewAttempt>) -> Vec<Opened> {
    let barrier = Arc::new(Barrier::new(requests.len()));
    let mut opening = JoinSet::new();
    for new in requests {
        let (attempts, barrier) = (office.attempts(), Arc::clone(&barrier));
        opening.spawn(async move {
            barrier.wait().await;
            attempts.open(&new).await.expect("the store is there")
        });
    }
    opening.join_all().await
}
