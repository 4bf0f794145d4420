//! History once more, to one sink.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use taquilla_api::relay::{MemorySink, Message, NamedSink, Replay, ReplayError, Replayed};
use taquilla_engine::id::{EventId, EventNumber, Sequence};
use taquilla_persistence::relay::Begins;
use uuid::Uuid;

use super::office::{Office, told};

fn event(office: &Office) -> EventId {
    EventId::parse(Uuid::parse_str(&office.event).expect("a UUID")).expect("an event")
}

async fn replay(
    office: &Office,
    sink: &Arc<MemorySink>,
    event: EventId,
    from: i64,
) -> Result<(Replayed, Vec<Message>), ReplayError> {
    let named = NamedSink::new("test", Begins::WithTheFirst, sink.clone());
    let seen = Mutex::new(Vec::new());
    let replay = Replay::new(&named, office.database.clone()).within(Duration::from_millis(200));
    let before = sink.taken().len();
    let done = replay.run(event, Sequence(from), &|done| seen.lock().push(done)).await?;
    assert_eq!(seen.lock().last(), Some(&done), "progress is told");
    Ok((done, sink.taken().split_off(before)))
}

#[tokio::test]
async fn history_is_told_once_more_from_a_batch_on_under_the_same_names_and_moves_nothing() {
    let office = Office::open("replay").await;
    office.churn("ana", 3).await;
    let sink = Arc::new(MemorySink::default());
    let relay = office.relay(&office.only("test", sink.clone()));
    let all = told(&sink, 6).await;
    let (done, again) = replay(&office, &sink, event(&office), 1).await.expect("told");
    assert_eq!((done.from, done.to, done.messages), (Sequence(1), Sequence(6), 6));
    assert_eq!(again, all);
    let (done, again) = replay(&office, &sink, event(&office), 4).await.expect("told");
    assert_eq!((done.messages, again.as_slice()), (3, &all[3..]));
    office.churn("eva", 1).await;
    told(&sink, 6 + 6 + 3 + 2).await;
    relay.stop().await;
    assert_eq!(sink.taken().len(), 17, "what was told is not told again by the way");
}

#[tokio::test]
async fn what_cannot_be_told_is_said_with_where_to_go_on() {
    let office = Office::open("replay_errors").await;
    office.churn("ana", 1).await;
    let sink = Arc::new(MemorySink::default());
    let nowhere = EventId::new(EventNumber(99), [7; 11]);
    let error = replay(&office, &sink, nowhere, 1).await.expect_err("nowhere");
    assert!(matches!(error, ReplayError::NoSuchEvent), "{error:?}");
    let error = replay(&office, &sink, event(&office), 3).await.expect_err("beyond the last");
    assert_eq!(error.to_string(), "batch 3 is not there: this event's history is batches 1 to 2");
    sink.set_away(true);
    let error = replay(&office, &sink, event(&office), 2).await.expect_err("away");
    assert!(matches!(error, ReplayError::Away { next: 2, .. }), "{error:?}");
}
