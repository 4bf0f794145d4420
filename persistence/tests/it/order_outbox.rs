//! What became of an order's money is told once, in order, and whoever reads it passes nothing over.

use std::collections::BTreeMap;
use std::time::Duration;

use taquilla_engine::id::OrderId;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempts, Failure, Refunds, Step};
use taquilla_persistence::mail::OrderMail;
use taquilla_persistence::order_outbox::{OrderNews, OrderOutbox, Told};
use taquilla_persistence::refunds::PostgresRefunds;
use tokio_postgres::Client;

use crate::box_office::BoxOffice;
use crate::plain::{self, in_time};

/// Transactions of others on the server are waited for.
const LOOK: Duration = Duration::from_millis(10);

const TELL: &str = "SELECT tell_of_order($1, 1, 'chargeback', 'by hand', 'booked', 1, 'EUR')";

async fn page(office: &BoxOffice) -> Vec<OrderNews> {
    let outbox = OrderOutbox::new(office.database.clone(), "test");
    in_time(outbox.page(1_000)).await.expect("an answer").1
}

/// Everything, once there is so much.
async fn all(office: &BoxOffice, count: usize) -> Vec<OrderNews> {
    let mut look = tokio::time::interval(LOOK);
    let seen = async {
        loop {
            look.tick().await;
            let page = page(office).await;
            if page.len() >= count {
                return page;
            }
        }
    };
    let page = in_time(seen).await;
    assert_eq!(page.len(), count, "{page:#?}");
    page
}

/// In short, an order's stream.
fn stream(news: &[OrderNews], order: OrderId) -> Vec<(i64, String)> {
    let of_order = news.iter().filter(|news| news.order == order);
    let told = |told: &Told| match told {
        Told::Attempt(_, status) => format!("attempt {}", status.code()),
        Told::Refund(_, status) => format!("refund {status:?}"),
        Told::ChargedBack(_) => "charged back".into(),
        Told::ChargebackReturned(_) => "chargeback returned".into(),
    };
    of_order.map(|it| (it.version, told(&it.told))).collect()
}

async fn tell(client: &Client, order: OrderId) {
    client.execute(TELL, &[&order.uuid()]).await.expect("it is told");
}

#[tokio::test]
async fn each_transition_of_an_orders_money_is_told_once_and_none_of_its_lane() {
    let office = BoxOffice::open("order_outbox_sale").await;
    let order = office.sell("ana", 0).await;
    let refund = office.take_back(order, 1).await;
    let refunds = PostgresRefunds::new(office.database.clone());
    in_time(refunds.settle(refund, 0, office.owed(refund).await)).await.expect("settled");
    in_time(refunds.settle(refund, 0, office.owed(refund).await)).await.expect("settled again");
    let attempt = office.new_attempt("ana", order, "pay-0").id;
    office.attempts().step(attempt, &Step::Captured).await.expect("captured again");
    let money = Money { amount: 1, currency: Currency::parse("EUR").expect("euros") };
    for _ in 0..2 {
        office.attempts().charge_back(attempt, "notice", money).await.expect("booked");
    }
    office.attempts().reinstate(attempt, "won", money).await.expect("booked");
    let told = ["attempt pending", "attempt authorized", "attempt captured", "refund Settled"];
    let told = told.into_iter().chain(["charged back", "chargeback returned"]).map(str::to_owned);
    let expected: Vec<(i64, String)> = (1..).zip(told).collect();
    let news = all(&office, 6).await;
    assert_eq!(stream(&news, order), expected);
    assert!(news[4..].iter().all(|it| it.money == money), "{news:?}");
}

#[tokio::test]
async fn what_is_unclear_or_declined_is_told_and_an_error_that_changes_nothing_is_not() {
    let office = BoxOffice::open("order_outbox_steps").await;
    let hold = office.hold("ana", &[0]).await;
    let order = office.order(hold).await;
    let new = office.new_attempt("ana", order, "k");
    office.attempts().open(&new).await.expect("opened");
    let declined = Step::Declined(Failure::new("card_declined", "no"));
    let erred = |errors| Step::Erred { errors };
    for step in [erred(0), Step::Unclear, erred(1), Step::Unclear, declined] {
        office.attempts().step(new.id, &step).await.expect("a step");
    }
    let told = ["attempt pending", "attempt verifying", "attempt declined"].map(str::to_owned);
    let expected: Vec<(i64, String)> = (1..).zip(told).collect();
    assert_eq!(stream(&all(&office, 3).await, order), expected);
}

#[tokio::test]
async fn a_transaction_that_commits_late_is_not_passed_over() {
    let office = BoxOffice::open("order_outbox_horizon").await;
    let (late, early) = (office.sell("ana", 0).await, office.sell("bob", 1).await);
    all(&office, 6).await;
    let other = plain::client(&office.settings).await;
    other.batch_execute("BEGIN").await.expect("begun");
    tell(&other, late).await;
    tell(&office.client, early).await;
    // The later one has committed, and can be seen; who reads by the highest would pass the other over.
    let seen: i64 = office.one("SELECT count(*) FROM order_outbox").await;
    assert_eq!((seen, page(&office).await.len()), (7, 6));
    other.batch_execute("COMMIT").await.expect("committed");
    let news = all(&office, 8).await;
    assert_eq!([news[6].order, news[7].order], [late, early]);
}

#[tokio::test]
async fn an_orders_stream_keeps_its_order_whichever_transaction_began_first() {
    let office = BoxOffice::open("order_outbox_order").await;
    let order = office.sell("ana", 0).await;
    let other = plain::client(&office.settings).await;
    other.batch_execute("BEGIN; SELECT pg_current_xact_id()").await.expect("it has a number");
    tell(&office.client, order).await;
    tell(&other, order).await;
    other.batch_execute("COMMIT").await.expect("committed");
    tell(&office.client, order).await;
    let news = all(&office, 6).await;
    let versions: Vec<i64> = news.iter().map(|news| news.version).collect();
    assert_eq!(versions, [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn tellers_at_once_leave_no_gap_in_any_stream_and_what_is_undone_leaves_none() {
    let office = BoxOffice::open("order_outbox_race").await;
    let orders = [office.sell("ana", 0).await, office.sell("bob", 1).await];
    let mut tellers = tokio::task::JoinSet::new();
    for nth in 0..4 {
        let client = plain::client(&office.settings).await;
        tellers.spawn(async move {
            for round in 0..25 {
                let end = if (nth + round) % 3 == 0 { "ROLLBACK" } else { "COMMIT" };
                client.batch_execute("BEGIN").await.expect("begun");
                tell(&client, orders[(nth + round) % 2]).await;
                client.batch_execute(end).await.expect("ended");
            }
        });
    }
    tellers.join_all().await;
    let committed: usize = (0..4)
        .flat_map(|nth| (0..25).map(move |round| nth + round))
        .filter(|sum| sum % 3 != 0)
        .count();
    let news = all(&office, 6 + committed).await;
    let mut last = BTreeMap::new();
    for it in news {
        let before = last.insert(it.order.uuid(), it.version).unwrap_or(0);
        assert_eq!(it.version, before + 1, "{it:?}");
    }
}

#[tokio::test]
async fn a_settled_refund_is_written_about_once_whoever_reads_at_once() {
    let office = BoxOffice::open("order_outbox_mail").await;
    let order = office.sell("ana", 0).await;
    let refund = office.take_back(order, 1).await;
    let refunds = PostgresRefunds::new(office.database.clone());
    in_time(refunds.settle(refund, 0, office.owed(refund).await)).await.expect("settled");
    all(&office, 4).await;
    let mail = OrderMail::new(office.database.clone());
    let mut readers = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let mail = mail.clone();
        readers.spawn(async move { in_time(mail.read_on()).await.expect("an answer") });
    }
    readers.join_all().await;
    let noted = "SELECT count(*) FROM order_mails WHERE about = 1 AND version = 4";
    assert_eq!(office.one::<i64>(noted).await, 1);
    // As docs/payments.md says for a database that was restored into another server.
    let anew = "UPDATE order_outbox SET xact = 0; UPDATE order_streams SET xact = 0; \
                DELETE FROM order_outbox_positions";
    office.client.batch_execute(anew).await.expect("it counts anew");
    assert_eq!(page(&office).await.len(), 4, "all is read once more");
    in_time(mail.read_on()).await.expect("an answer");
    assert_eq!(office.one::<i64>(noted).await, 1);
    office.call("DELETE FROM order_mails", &[]).await;
    in_time(mail.read_on()).await.expect("an answer");
    assert_eq!(office.one::<i64>("SELECT count(*) FROM order_mails").await, 0);
}
