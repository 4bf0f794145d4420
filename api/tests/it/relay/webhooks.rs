//! Endpoints that section events are posted to, signed, with retries and a log.

use std::sync::Arc;
use std::time::Duration;

use taquilla_api::relay::{
    KINDS, NamedSink, Refusals, Replay, ReplayError, SigningSecrets, Sinks, WebhookSettings,
    WebhookSink,
};
use taquilla_engine::id::{EventId, Sequence};
use taquilla_persistence::deliveries::{Deliveries, Delivery, DeliveryOutcome};
use taquilla_persistence::relay::Begins;
use uuid::Uuid;

use super::endpoint::{Endpoint, Posted};
use super::office::{Office, PURCHASE, eventually, places};
use crate::edge::Rows;

const PLACED: &str = "taquilla.hold.placed.v1";
const ENDED: &str = "taquilla.hold.ended.v1";

fn sink(office: &Office, endpoint: &Endpoint, types: &[&str]) -> WebhookSink {
    let settings = WebhookSettings {
        name: "crm".into(),
        url: endpoint.url().parse().expect("a URL"),
        secrets: SigningSecrets::parse(&Endpoint::secret().into()).expect("a secret"),
        types: types.iter().map(|&kind| kind.to_owned()).collect(),
        refusals: Refusals {
            first_pause: Duration::from_millis(10),
            longest_pause: Duration::from_millis(20),
            max: 4,
        },
    };
    let deliveries = Deliveries::new(office.database.clone());
    WebhookSink::new(settings, deliveries, Arc::clone(&office.edge.app.clock))
}

fn sinks(office: &Office, endpoint: &Endpoint, types: &[&str]) -> Sinks {
    office.only("crm", Arc::new(sink(office, endpoint, types)))
}

/// What it said yes to, of events, once there is so much.
async fn taken(endpoint: &Endpoint, at_least: usize) -> Vec<Posted> {
    eventually("deliveries", async || {
        let taken = endpoint.taken();
        (taken.len() >= at_least).then_some(taken)
    })
    .await
}

async fn log(office: &Office, outcome: DeliveryOutcome) -> Vec<Delivery> {
    let deliveries = Deliveries::new(office.database.clone());
    deliveries.list("crm", Some(outcome), None, 100).await.expect("an answer").items
}

#[tokio::test]
async fn an_endpoint_has_what_it_asked_for_in_order_signed_and_noted() {
    let (office, endpoint) = (Office::open("webhook_order").await, Endpoint::start().await);
    let _relay = office.relay(&sinks(&office, &endpoint, &[PLACED, ENDED]));
    office.buy("ana", "A-1-2").await;
    office.churn("bob", 2).await;
    let taken = taken(&endpoint, 6).await;
    let kinds: Vec<_> = taken.iter().map(|it| it.event["type"].as_str().expect("one")).collect();
    assert_eq!(kinds, [PLACED, ENDED, PLACED, ENDED, PLACED, ENDED]);
    assert!(places(taken.iter().map(|it| it.id.clone())).is_sorted(), "{taken:?}");
    let noted = eventually("the log", async || {
        let noted = log(&office, DeliveryOutcome::Delivered).await;
        (noted.len() == 6).then_some(noted)
    })
    .await;
    assert!(noted.iter().all(|it| (it.tries, it.status) == (1, Some(204))), "{noted:?}");
}

#[tokio::test]
async fn what_is_not_taken_is_tried_again_and_those_behind_it_wait() {
    let (office, endpoint) = (Office::open("webhook_away").await, Endpoint::start().await);
    endpoint.answer([503, 404, 302, 401, 500, 429]);
    let _relay = office.relay(&sinks(&office, &endpoint, &[PLACED, ENDED]));
    office.churn("bob", 3).await;
    let taken = taken(&endpoint, 6).await;
    assert!(places(taken.iter().map(|it| it.id.clone())).is_sorted(), "{taken:?}");
    let first = &endpoint.posted()[0].id;
    let tries = endpoint.posted().iter().filter(|it| it.id == *first).count();
    assert_eq!(tries, 7, "none of these answers is the message's fault");
    assert_eq!(log(&office, DeliveryOutcome::Parked).await, []);
}

#[tokio::test]
async fn what_is_refused_time_and_again_is_parked_and_those_behind_it_go_on() {
    let (office, endpoint) = (Office::open("webhook_parked").await, Endpoint::start().await);
    endpoint.answer([204, 422, 503, 400, 413, 422]);
    let _relay = office.relay(&sinks(&office, &endpoint, &[PLACED, ENDED]));
    office.churn("bob", 2).await;
    let taken = taken(&endpoint, 3).await;
    let parked = log(&office, DeliveryOutcome::Parked).await;
    let [parked] = parked.as_slice() else { panic!("{parked:?}") };
    assert_eq!((parked.tries, parked.status), (5, Some(422)), "503 did not count against it");
    assert_eq!(places([parked.message_id.clone()].into_iter())[0].0, 2);
    assert!(taken.iter().all(|it| it.id != parked.message_id), "{taken:?}");
}

#[tokio::test]
async fn whoever_dies_amid_a_batch_posts_what_was_delivered_of_it_no_second_time() {
    let (office, endpoint) = (Office::open("webhook_dies").await, Endpoint::start().await);
    office.buy("ana", "A-1-2").await;
    // The third message of the sale's batch is not taken by a process that dies then.
    endpoint.answer([204, 204, 204, 204, 503]);
    let of_event = KINDS.iter().copied().filter(|kind| !kind.contains(".moved."));
    let of_event: Vec<_> = of_event.collect();
    let first = office.relay(&sinks(&office, &endpoint, &of_event));
    eventually("the refusal", async || (endpoint.posted().len() >= 5).then_some(())).await;
    first.stop().await;
    let free = "UPDATE outbox_positions SET lease_until = clock_timestamp() \
                 WHERE lease_until IS NOT NULL";
    Rows::of(&office.settings).await.change(free).await;
    let _heir = office.relay(&sinks(&office, &endpoint, &of_event));
    let taken = taken(&endpoint, PURCHASE.len()).await;
    let mut ids: Vec<_> = taken.iter().map(|it| &it.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), taken.len(), "{taken:?}");
}

#[tokio::test]
async fn an_endpoint_begins_with_what_comes_and_one_that_is_away_keeps_no_other_sink_waiting() {
    let (office, endpoint) = (Office::open("webhook_begins").await, Endpoint::start().await);
    office.churn("old", 2).await;
    let nobody = Endpoint::start().await;
    let gone = Arc::new(sink(&office, &nobody, &[PLACED]));
    drop(nobody);
    let here = Arc::new(sink(&office, &endpoint, &[PLACED]));
    let named =
        vec![NamedSink::new("gone", Begins::Now, gone), NamedSink::new("crm", Begins::Now, here)];
    let _relay = office.relay(&office.sinks(named));
    let enrolled = "SELECT count(DISTINCT consumer) = 2 FROM outbox_positions";
    Rows::of(&office.settings).await.until(enrolled).await;
    office.churn("new", 2).await;
    let taken = taken(&endpoint, 2).await;
    let buyers: Vec<_> = taken.iter().map(|it| &it.event["data"]["buyer"]).collect();
    assert_eq!(buyers, ["new-0", "new-1"]);
}

#[tokio::test]
async fn who_refuses_a_replay_is_not_said_to_have_taken_it_and_what_was_parked_stays_so() {
    let (office, endpoint) = (Office::open("webhook_replay").await, Endpoint::start().await);
    endpoint.answer([422, 422, 422, 422]);
    let relay = office.relay(&sinks(&office, &endpoint, &[PLACED]));
    office.churn("bob", 2).await;
    taken(&endpoint, 1).await;
    relay.stop().await;
    let named = NamedSink::new("crm", Begins::Now, Arc::new(sink(&office, &endpoint, &[PLACED])));
    let replay = Replay::new(&named, office.database.clone()).within(Duration::from_millis(100));
    let event = EventId::parse(Uuid::parse_str(&office.event).expect("a UUID")).expect("an event");
    endpoint.answer([422; 50]);
    let error = replay.run(event, Sequence(1), &|_| {}).await.expect_err("it is refused");
    assert!(matches!(error, ReplayError::Away { next: 1, .. }), "{error:?}");
    assert_eq!(log(&office, DeliveryOutcome::Parked).await.len(), 1);
    assert_eq!(log(&office, DeliveryOutcome::Pending).await, []);
}
