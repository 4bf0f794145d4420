//! Too much at once: what is turned away first, what never is, and that nothing was done for it.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use futures_util::poll;
use serde_json::json;
use taquilla_api::shedding::{Place, Priority, Shedding, SheddingSettings};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::box_office::BoxOffice;
use super::client::Answer;
use super::conformity::openapi;

/// An edge at which so many requests may be at work, whatever it measures.
fn with_limit(mut office: BoxOffice, limit: usize) -> (BoxOffice, Arc<Shedding>) {
    let settings = SheddingSettings {
        target: Duration::from_millis(500),
        concurrency_min: limit,
        concurrency_max: limit,
    };
    let shedding = Arc::new(Shedding::new(&settings));
    office.app.shedding = Some(Arc::clone(&shedding));
    (office, shedding)
}

/// So many others are at work while these places are there.
fn at_work(shedding: &Arc<Shedding>, how_many: usize) -> Vec<Place> {
    (0..how_many).map(|_| shedding.take(Priority::Vital).expect("it is never shed")).collect()
}

impl Answer {
    fn shed(&self) {
        self.problem(503, "overloaded");
        let wait: u64 = self.header("retry-after").expect("when").parse().expect("seconds");
        assert!((1..=3).contains(&wait), "{wait}");
    }
}

#[tokio::test]
async fn what_matters_finds_room_when_what_matters_less_has_none() {
    let (office, event) = BoxOffice::open("shedding_order").await;
    let (office, shedding) = with_limit(office, 10);
    let first = office.hold("ana", "k1", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ana", "o1", &first["hold_id"]).send().await.ok(201);
    let second = office.hold("eva", "k1", &event, &["A-1-2"]).send().await.ok(201);
    let polls = [format!("/events/{event}/queue/now-serving"), "/nowhere".into()];
    let maps = [format!("/events/{event}/availability"), "/events".into()];

    let work = at_work(&shedding, 5);
    for path in &polls {
        office.anyone(Method::GET, path).send().await.shed();
    }
    office.anyone(Method::PUT, "/holds").send().await.shed();
    for path in &maps {
        office.anyone(Method::GET, path).send().await.ok(200);
    }
    drop(work);

    let work = at_work(&shedding, 6);
    for path in &maps {
        office.anyone(Method::GET, path).send().await.shed();
    }
    office.hold("iris", "k1", &event, &["A-1-3"]).send().await.ok(201);
    drop(work);

    let work = at_work(&shedding, 8);
    office.hold("olga", "k1", &event, &["A-1-4"]).send().await.shed();
    office.read("ana", "/orders").send().await.shed();
    let hold = format!("/holds/{}", second["hold_id"].as_str().expect("an id"));
    office.buyer("eva", Method::DELETE, &hold).send().await.ok(204);
    drop(work);

    let work = at_work(&shedding, 9);
    office.buyer("eva", Method::DELETE, &hold).send().await.shed();
    office.operator(Method::GET, "/admin/orders").send().await.ok(200);
    office.pay("ana", "p1", &order["order_id"], "ok").send().await.ok(202);
    drop(work);

    let work = at_work(&shedding, 10);
    office.pay("ana", "p1", &order["order_id"], "ok").send().await.shed();
    office.operator(Method::GET, "/admin/orders").send().await.shed();
    office.anyone(Method::GET, "/healthz").send().await.ok(200);
    let notice = office.anyone(Method::POST, "/payments/webhooks/simulated").json(&json!({}));
    notice.send().await.problem(401, "unauthenticated");
    drop(work);

    // What was shed took nothing, and its key stands for nothing.
    let again = office.hold("olga", "k1", &event, &["A-1-4"]).send().await;
    again.ok(201);
    assert!(!again.is_replay());
}

#[tokio::test]
async fn every_operation_is_shed_but_for_what_is_never_and_before_it_is_looked_at() {
    let office = BoxOffice::empty("shedding_document").await;
    let (office, shedding) = with_limit(office, 4);
    let _work = at_work(&shedding, 4);
    let mut never = Vec::new();
    for (path, item) in openapi()["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("operations").keys() {
            let method: Method = method.to_uppercase().parse().expect("a method");
            // Neither a token nor a key nor a body.
            let answer = office.anyone(method, &path.replace(['{', '}'], "")).send().await;
            match answer.status.as_u16() {
                503 => answer.shed(),
                _ => never.push(path.as_str()),
            }
        }
    }
    never.sort_unstable();
    assert_eq!(never, ["/healthz", "/payments/webhooks/{provider}", "/readyz"]);
}

#[tokio::test]
async fn a_long_poll_has_no_place_while_it_waits() {
    let (office, event) = BoxOffice::open("shedding_long_poll").await;
    let (office, _) = with_limit(office, 1);
    let hold = office.hold("ana", "k1", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ana", "o1", &hold["hold_id"]).send().await.ok(201);
    let path = format!("/orders/{}", order["order_id"].as_str().expect("an id"));
    let waits = office.read("ana", &format!("{path}?wait_seconds=30")).send();
    let mut waits = std::pin::pin!(waits);
    assert!(poll!(waits.as_mut()).is_pending());
    office.anyone(Method::GET, "/events").send().await.shed();
    let finds_room = async {
        while office.anyone(Method::GET, "/events").send().await.status != 200 {
            yield_now().await;
        }
    };
    tokio::select! {
        answer = &mut waits => panic!("nothing has changed, and yet {answer:?}"),
        found = timeout(Duration::from_secs(20), finds_room) => found.expect("it waits aside"),
    }
    office.buyer("ana", Method::DELETE, &path).send().await.ok(204);
    assert_eq!(waits.await.ok(200)["status"], "cancelled");
}
