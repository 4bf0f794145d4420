use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;

use crate::plain::{self, in_time};

#[tokio::test]
async fn the_proxy_counts_the_statements_that_are_underway() {
    let cluster = scratch::shared().await;
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let client = plain::client(&proxy.before(&cluster.settings("postgres"))).await;
    client.batch_execute("SELECT 1").await.expect("an answer");
    let one_by_one = proxy.traffic();
    assert_eq!((one_by_one.forwarded, one_by_one.unanswered_peak), (1, 1));

    proxy.hold_answers();
    let look = async {
        let held = proxy.until(|traffic| traffic.answers_held == 2).await;
        assert_eq!((held.unanswered, held.requests_held, held.connections), (2, 0, 1));
        proxy.release();
    };
    let (first, second, ()) = in_time(async {
        tokio::join!(client.batch_execute("SELECT 1"), client.query("SELECT 2", &[]), look)
    })
    .await;
    first.expect("an answer");
    second.expect("an answer");
    let after = proxy.traffic();
    assert_eq!((after.unanswered, after.answers_held, after.unanswered_peak), (0, 0, 2));
    assert_eq!(after.forwarded, 4, "an unprepared query is two");
}
