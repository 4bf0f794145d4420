//! Reading on: everything once while nobody dies, in order, each sink by itself.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;
use taquilla_api::background::Background;
use taquilla_api::relay::{MemorySink, Message, NamedSink, start_bell};
use taquilla_persistence::relay::{Begins, Listener, Ringer};

use super::office::{Office, PACING, PURCHASE, cloud_event, eventually, places, told};
use crate::edge::Rows;

fn kinds(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.kind).collect()
}

fn is_in_order(messages: &[Message]) -> bool {
    places(messages.iter().map(|it| it.id.clone())).is_sorted()
}

#[tokio::test]
async fn a_purchase_is_told_in_its_order_with_names_that_people_use() {
    let office = Office::open("relay_purchase").await;
    let sink = Arc::new(MemorySink::default());
    let _relay = office.relay(&office.only("test", sink.clone()));
    let order = office.buy("ana", "A-1-2").await;
    let messages = told(&sink, PURCHASE.len()).await;
    let mut told: Vec<_> = kinds(&messages);
    // In which order one batch tells of its own parts is nobody's affair.
    told[2..].sort_unstable();
    let mut expected = PURCHASE;
    expected[2..].sort_unstable();
    assert_eq!(told, expected);
    assert!(is_in_order(&messages), "{messages:?}");

    let mut placed = cloud_event(&messages[0]);
    let data = placed["data"].take();
    assert_eq!(data["hold_id"], order["hold_id"]);
    assert_eq!(data["buyer"], "ana");
    assert_eq!((&data["seats"], &data["general"]), (&json!(["A-1-2"]), &json!([])));
    assert_eq!(data["total"], json!({"amount": 9550, "currency": "EUR"}));
    let (time, sequence) = (placed["time"].take(), placed["sequence"].take());
    assert_eq!(time, data["created_at"]);
    assert!(sequence.as_str().is_some_and(|it| it.len() == 19), "{sequence}");
    assert_eq!(
        placed,
        json!({
            "specversion": "1.0", "id": messages[0].id, "source": format!("/events/{}", office.event),
            "type": "taquilla.hold.placed.v1", "subject": order["hold_id"], "time": null,
            "datacontenttype": "application/json", "sequence": null, "data": null,
        })
    );
    assert_eq!(messages[0].subject(), format!("taquilla.{}.hold.placed", office.event));
}

#[tokio::test]
async fn what_becomes_of_money_is_told_as_a_stream_an_order() {
    let office = Office::open("relay_money").await;
    let sink = Arc::new(MemorySink::default());
    let _relay = office.relay(&office.only("test", sink.clone()));
    let order = office.buy("ana", "A-1-2").await;
    let id = order["order_id"].as_str().expect("an id");
    let steps = eventually("its money", async || {
        let taken = sink.taken().into_iter().filter(|it| it.id.starts_with(id));
        let taken: Vec<_> = taken.map(|it| cloud_event(&it)).collect();
        (taken.len() == 3).then_some(taken)
    })
    .await;
    let statuses: Vec<_> = steps.iter().map(|it| &it["data"]["status"]).collect();
    assert_eq!(statuses, ["pending", "authorized", "captured"]);
    let sequences: Vec<_> = steps.iter().map(|it| &it["sequence"]).collect();
    assert_eq!(sequences, ["000000000001", "000000000002", "000000000003"]);
    for step in &steps {
        assert_eq!(step["type"], "taquilla.attempt.moved.v1");
        assert_eq!(step["subject"], id);
        assert_eq!(step["source"], format!("/orders/{id}"));
        assert_eq!(step["data"]["amount"], json!({"amount": 9550, "currency": "EUR"}));
    }
}

#[tokio::test]
async fn several_relays_tell_everything_once_and_in_order() {
    let office = Office::open("relay_several").await;
    let sink = Arc::new(MemorySink::default());
    let relays: Vec<Background> =
        (0..4).map(|_| office.relay(&office.only("test", sink.clone()))).collect();
    tokio::join!(office.churn("ana", 25), office.churn("bob", 25), office.churn("eva", 25));
    let messages = told(&sink, 150).await;
    for relay in relays {
        relay.stop().await;
    }
    let names: HashSet<_> = messages.iter().map(|it| it.id.as_str()).collect();
    assert_eq!((messages.len(), names.len()), (150, 150));
    assert!(is_in_order(&messages), "{messages:?}");
}

#[tokio::test]
async fn a_sink_that_is_away_delays_itself_alone_and_catches_up_in_order() {
    let office = Office::open("relay_away").await;
    let (here, away) = (Arc::new(MemorySink::default()), Arc::new(MemorySink::default()));
    away.set_away(true);
    let named = |name: &str, sink: &Arc<MemorySink>| {
        NamedSink::new(name, Begins::WithTheFirst, sink.clone())
    };
    let _relay = office.relay(&office.sinks(vec![named("here", &here), named("away", &away)]));
    office.churn("ana", 20).await;
    let told_here = told(&here, 40).await;
    let behind =
        "SELECT coalesce(max(seq), 0) = 0 FROM outbox_positions WHERE consumer = 'sink:away'";
    assert!(Rows::of(&office.settings).await.one::<bool>(behind).await);
    away.set_away(false);
    let caught_up = told(&away, 40).await;
    assert_eq!(caught_up, told_here);
    assert!(is_in_order(&caught_up), "{caught_up:?}");
}

#[tokio::test]
async fn whoever_dies_between_telling_and_his_place_has_it_told_again_under_the_same_names() {
    let office = Office::open("relay_dies").await;
    office.churn("ana", 3).await;
    let sink = Arc::new(MemorySink::default());
    let relay = office.relay(&office.only("test", sink.clone()));
    let first = told(&sink, 6).await;
    relay.stop().await;
    // As a death before the position would have left it, its lease run out.
    let undone = "UPDATE outbox_positions \
                     SET seq = 0, holder = gen_random_uuid(), lease_until = clock_timestamp()";
    Rows::of(&office.settings).await.change(undone).await;
    let _heir = office.relay(&office.only("test", sink.clone()));
    let all = told(&sink, 12).await;
    assert_eq!(all[6..], first);
}

#[tokio::test]
async fn a_bell_is_heard_and_one_that_is_lost_costs_a_look() {
    let office = Office::open("relay_rung").await;
    let (rung, looked) = (Arc::new(MemorySink::default()), Arc::new(MemorySink::default()));
    // One that hardly ever looks by itself, and one that nobody rings for.
    let hearing = Background::default();
    let listener = Listener::new(office.settings.clone());
    let mut heard = listener.heard();
    let seldom =
        taquilla_api::relay::Pacing { look: std::time::Duration::from_secs(600), ..PACING };
    office.only("rung", rung.clone()).start(&hearing, &listener, seldom);
    let ringer = Ringer::new(office.database.clone(), office.edge.news.clone());
    start_bell(&hearing, ringer, &listener);
    heard.changed().await.expect("it listens");
    let _looking = office.relay(&office.only("looked", looked.clone()));
    for round in 1..=3 {
        office.churn(&format!("ana-{round}"), 1).await;
        told(&rung, 2 * round).await;
        told(&looked, 2 * round).await;
    }
    hearing.stop().await;
}
