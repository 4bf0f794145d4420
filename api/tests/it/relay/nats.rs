//! The bus: a real nats-server with JetStream.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::stream;
use taquilla_api::relay::{Identity, Message, NatsSink, Repeat, Sink, SinkError};
use taquilla_engine::id::{EventId, EventNumber};
use tokio::time::Instant;

use super::bus::{Bus, STREAM, Taken};
use super::office::{Office, PURCHASE, places};

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

fn message(id: &str, bytes: usize) -> Message {
    let event = EventId::new(EventNumber(1), [7; 11]);
    let body = serde_json::json!({"id": id, "filled": "x".repeat(bytes)});
    Message { id: id.into(), kind: "taquilla.hold.placed.v1", event, body: body.to_string().into() }
}

async fn publish(sink: &NatsSink, messages: &[Message]) -> Result<(), SinkError> {
    sink.publish(messages, Repeat::No, soon()).await
}

#[tokio::test]
async fn a_purchase_is_on_the_bus_in_order_under_subjects_that_begin_with_its_event() {
    let (bus, office) = (Bus::start().await, Office::open("nats_purchase").await);
    let sinks = office.only("nats", Arc::new(NatsSink::new(bus.settings())));
    let _relay = office.relay(&sinks);
    office.buy("ana", "A-1-2").await;
    let taken = bus.consume_of_events(PURCHASE.len()).await;
    let kinds: HashSet<_> =
        taken.iter().map(|it| it.event["type"].as_str().expect("one")).collect();
    assert_eq!(kinds, HashSet::from(PURCHASE));
    assert!(places(taken.iter().map(|it| it.id())).is_sorted(), "{taken:?}");
    assert_eq!(taken[0].subject, format!("taquilla.{}.hold.placed", office.event));
}

#[tokio::test]
async fn what_comes_twice_under_one_name_is_kept_once_and_a_repeated_run_is_kept_again() {
    let bus = Bus::start().await;
    let sink = NatsSink::new(bus.settings());
    let messages: Vec<_> = (0..3).map(|it| message(&format!("e.1.{it}"), 1)).collect();
    publish(&sink, &messages).await.expect("taken");
    publish(&sink, &messages).await.expect("taken");
    assert_eq!(bus.consume().await.len(), 3);
    for _ in 0..2 {
        sink.publish(&messages, Repeat::Run("run"), soon()).await.expect("taken");
    }
    let ids: Vec<_> = bus.consume().await.iter().map(|it| it.id()).collect();
    assert_eq!(ids, ["e.1.0", "e.1.1", "e.1.2", "e.1.0", "e.1.1", "e.1.2"]);
}

#[tokio::test]
async fn a_bus_that_is_killed_time_and_again_amid_sales_has_everything_once_and_in_order() {
    let (mut bus, office) = (Bus::start().await, Office::open("nats_killed").await);
    // Of two processes.
    let relays: Vec<_> = (0..2)
        .map(|_| office.relay(&office.only("nats", Arc::new(NatsSink::new(bus.settings())))))
        .collect();
    let buyers = ["ana", "bob", "eva"].map(|buyer| office.churn(buyer, 40));
    let [ana, bob, eva] = buyers;
    let killing = async {
        for buyer in ["kim-1", "kim-2", "kim-3"] {
            bus.consume_of_events(1).await;
            bus.kill().await;
            office.churn(buyer, 2).await;
            bus.start_again().await;
        }
    };
    tokio::join!(ana, bob, eva, killing);
    let expected = 2 * (3 * 40 + 3 * 2);
    let ids: Vec<String> = bus.consume_of_events(expected).await.iter().map(Taken::id).collect();
    for relay in relays {
        relay.stop().await;
    }
    let names: HashSet<_> = ids.iter().collect();
    // Within its window the stream knows them again, over its own deaths as well.
    assert_eq!((names.len(), ids.len()), (expected, expected), "nothing is lost, nothing twice");
    let places = places(ids.into_iter());
    assert!(places.is_sorted(), "{places:?}");
}

#[tokio::test]
async fn a_bus_that_is_not_there_or_not_ours_takes_nothing_and_says_why() {
    let mut bus = Bus::start().await;
    let context = bus.context().await.expect("it is up");
    let other = stream::Config {
        name: STREAM.into(),
        subjects: vec!["something.else".into()],
        ..stream::Config::default()
    };
    context.create_stream(other).await.expect("a stream");
    let sink = NatsSink::new(bus.settings());
    let messages = [message("e.1.0", 1)];
    let why = |error| taquilla_persistence::in_full(&error).to_string();
    let error = why(publish(&sink, &messages).await.expect_err("not our stream"));
    assert!(error.contains("does not take the subjects taquilla.>"), "{error}");
    context.delete_stream(STREAM).await.expect("deleted");
    publish(&sink, &messages).await.expect("taken: it is made");
    bus.kill().await;
    let error = publish(&sink, &messages).await.expect_err("nobody is there");
    assert!(matches!(error, SinkError::Away(_)), "{error:?}");
    let mut settings = bus.settings();
    settings.identity = Identity::User("taquilla".into(), "wrong".into());
    bus.start_again().await;
    let error = publish(&NatsSink::new(settings), &messages).await.expect_err("not let in");
    assert!(why(error).contains("authorization"), "it says why");
}

#[tokio::test]
async fn a_message_that_no_server_takes_keeps_none_behind_it_waiting() {
    let bus = Bus::start().await;
    let sink = NatsSink::new(bus.settings());
    let messages = [message("e.1.0", 1), message("e.1.1", 2 << 20), message("e.1.2", 1)];
    publish(&sink, &messages).await.expect("those that fit are taken");
    let ids: Vec<_> = bus.consume().await.iter().map(|it| it.id()).collect();
    assert_eq!(ids, ["e.1.0", "e.1.2"]);
}

#[tokio::test]
async fn what_a_full_stream_refuses_stops_what_comes_behind_it() {
    let bus = Bus::start().await;
    let context = bus.context().await.expect("it is up");
    let config = |max_bytes| stream::Config {
        name: STREAM.into(),
        subjects: vec!["taquilla.>".into()],
        discard: stream::DiscardPolicy::New,
        max_bytes,
        max_message_size: 6_000,
        ..stream::Config::default()
    };
    context.create_stream(config(3_000)).await.expect("a stream");
    let sink = NatsSink::new(bus.settings());
    let messages = [message("e.1.0", 1), message("e.1.1", 4_000), message("e.1.2", 1)];
    let error = publish(&sink, &messages).await.expect_err("there is no room");
    assert!(matches!(error, SinkError::Away(_)), "{error:?}");
    context.update_stream(config(-1)).await.expect("room");
    publish(&sink, &messages).await.expect("taken");
    publish(&sink, &[message("e.1.3", 7_000), message("e.1.4", 1)]).await.expect("one is parked");
    let ids: Vec<_> = bus.consume().await.iter().map(|it| it.id()).collect();
    assert_eq!(ids, ["e.1.0", "e.1.1", "e.1.2", "e.1.4"]);
}
