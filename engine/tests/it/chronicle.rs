//! What is refused is written down once a second; what cannot be is counted, and nobody waits.

pub(crate) mod counters;

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome};
use taquilla_engine::chronicle::memory::MemoryChronicle;
use taquilla_engine::chronicle::{Chronicle, ChronicleUnavailable, Refused};
use taquilla_engine::clock::ManualClock;
use taquilla_engine::command::{Command, Wish};
use taquilla_engine::id::{EventNumber, HoldId, OrderId, SeatIndex};
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::{EventHandle, Node, Settings};
use taquilla_engine::waiting_room::admission::Admission;

use self::counters::Counters;
use crate::desk::{EVENT, buyer, keyed, place, terms};
use crate::moody::PATIENCE;

const A_SECOND: Duration = Duration::from_millis(1_001);

async fn stage(chronicle: Arc<dyn Chronicle>) -> (Arc<Node>, EventHandle) {
    let clock = Arc::new(ManualClock::new(Moment(0)));
    let journal = Arc::new(MemoryJournal::default());
    let node = Node::start_with(journal, clock, Some(chronicle), Settings::default()).await;
    let event = node.open(terms(100));
    (node, event)
}

async fn ask(event: &EventHandle, command: Command) -> Answer {
    event.submit(command, PATIENCE).await.unwrap()
}

async fn refused(event: &EventHandle, command: Command) {
    let answer = ask(event, command).await;
    assert!(matches!(answer.outcome, Outcome::Refused(_)), "{answer:?}");
}

fn told(refused: &Refused) -> (&'static str, &'static str) {
    (refused.request.command.code(), refused.refusal.code())
}

fn hold(name: &str, key: &str) -> HoldId {
    HoldId::derive(EVENT, &buyer(name), key)
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_is_written_down_within_a_second() {
    let chronicle = Arc::new(MemoryChronicle::default());
    let (_node, event) = stage(chronicle.clone()).await;
    ask(&event, place("ann", "k", &[0, 1])).await;
    refused(&event, place("bob", "k", &[1, 2])).await;
    assert_eq!(chronicle.of(EVENT).len(), 0, "nobody waits for it");
    tokio::time::advance(A_SECOND).await;
    tokio::task::yield_now().await;
    let written = chronicle.of(EVENT);
    assert_eq!(written.iter().map(told).collect::<Vec<_>>(), [("place_hold", "seats-unavailable")]);
    let unavailable = Refusal::SeatsUnavailable { seats: vec![SeatIndex(1)], sections: vec![] };
    assert_eq!(written[0].refusal, unavailable);
    assert_eq!(chronicle.of(EventNumber(8)).len(), 0, "of another event");
}

#[tokio::test(start_paused = true)]
async fn the_noes_that_are_told_are_decisions_about_the_sale() {
    let chronicle = Arc::new(MemoryChronicle::default());
    let (node, event) = stage(chronicle.clone()).await;
    let anns = hold("ann", "k");
    let (ann, bob) = (buyer("ann"), buyer("bob"));
    ask(&event, place("ann", "k", &[0])).await;
    let all_told = [
        (place("bob", "k", &[0]), "seats-unavailable"),
        (place("bob", "l", &[1, 2, 3, 4, 5, 6, 7]), "buyer-limit-exceeded"),
        (Command::ReleaseHold { buyer: bob.clone(), hold: anns }, "not-found"),
        (Command::CancelOrder { buyer: ann.clone(), order: OrderId::of(anns) }, "not-found"),
        (
            Command::PlaceOrder {
                buyer: bob.clone(),
                keyed: keyed("o", ""),
                hold: anns,
                admission: Some(Admission::ALWAYS),
            },
            "not-found",
        ),
    ];
    for (command, _) in all_told.clone() {
        refused(&event, command).await;
    }
    ask(&event, Command::ReleaseHold { buyer: ann.clone(), hold: anns }).await;
    let late = Command::PlaceOrder {
        buyer: ann,
        keyed: keyed("o", ""),
        hold: anns,
        admission: Some(Admission::ALWAYS),
    };
    refused(&event, late.clone()).await;
    let untold = [
        Command::ReadHold { buyer: bob.clone(), hold: anns },
        late,
        place("bob", "k", &[9]),
        Command::PlaceHold {
            buyer: bob,
            keyed: keyed("u", ""),
            wish: Wish::Unknown(vec!["/seats/0".into()]),
            admission: Some(Admission::ALWAYS),
        },
    ];
    for command in untold {
        refused(&event, command).await;
    }
    node.write_refusals().await;
    let written = chronicle.of(EVENT);
    let codes: Vec<_> = written.iter().map(|refused| refused.refusal.code()).collect();
    let expected = all_told.iter().map(|(_, code)| *code).chain(["hold-not-active"]);
    assert_eq!(codes, expected.collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_stop_writes_down_what_was_refused_last() {
    let chronicle = Arc::new(MemoryChronicle::default());
    let (node, event) = stage(chronicle.clone()).await;
    ask(&event, place("ann", "k", &[0])).await;
    refused(&event, place("bob", "k", &[0])).await;
    node.stop().await;
    assert_eq!(chronicle.of(EVENT).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn beyond_ten_thousand_a_second_refusals_are_dropped_and_counted() {
    let counters = Counters::default();
    let _installed = metrics::set_default_local_recorder(&counters);
    let chronicle = Arc::new(MemoryChronicle::default());
    let (node, event) = stage(chronicle.clone()).await;
    node.write_refusals().await;
    // What is not found is not remembered by key, so each is a decision of its own.
    let stranger = Command::ReleaseHold { buyer: buyer("bob"), hold: hold("ann", "k") };
    let asked = (0..10_003).map(|_| event.submit(stranger.clone(), PATIENCE));
    let mut asked: Vec<_> = asked.map(Box::pin).collect();
    for answer in &mut asked {
        let answer = answer.await.unwrap();
        assert_eq!(answer.outcome, Outcome::Refused(Refusal::NotFound));
    }
    node.write_refusals().await;
    assert_eq!(chronicle.of(EVENT).len(), 10_000);
    assert_eq!(counters.of("taquilla_refusals_dropped_total", "buffer-full"), 3);
    refused(&event, stranger).await;
    node.write_refusals().await;
    assert_eq!(chronicle.of(EVENT).len(), 10_001, "an empty buffer takes again");
}

#[tokio::test(start_paused = true)]
async fn beyond_a_hundred_thousand_seats_a_second_refusals_are_dropped_and_counted() {
    let counters = Counters::default();
    let _installed = metrics::set_default_local_recorder(&counters);
    let chronicle = Arc::new(MemoryChronicle::default());
    let (node, event) = stage(chronicle.clone()).await;
    node.write_refusals().await;
    let long: Vec<u32> = (0..99).collect();
    for n in 0..1_020 {
        refused(&event, place(&format!("buyer {n}"), "k", &long)).await;
    }
    // There is room for a short one yet.
    refused(&event, place("bob", "k", &[0, 1, 2, 3, 4, 5, 6])).await;
    node.write_refusals().await;
    assert_eq!(chronicle.of(EVENT).len(), 1_011);
    assert_eq!(counters.of("taquilla_refusals_dropped_total", "buffer-full"), 10);
}

/// Fails at once, or never answers.
struct Away {
    silent: bool,
}

impl Chronicle for Away {
    fn write<'a>(
        &'a self,
        _event: EventNumber,
        _refused: &'a [Refused],
    ) -> Later<'a, Result<(), ChronicleUnavailable>> {
        Box::pin(async move {
            match self.silent {
                true => std::future::pending().await,
                false => Err(ChronicleUnavailable("gone".into())),
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_chronicle_does_not_take_is_counted_and_buyers_notice_nothing() {
    for silent in [false, true] {
        let counters = Counters::default();
        let _installed = metrics::set_default_local_recorder(&counters);
        let (node, event) = stage(Arc::new(Away { silent })).await;
        ask(&event, place("ann", "k", &[0])).await;
        refused(&event, place("bob", "k", &[0])).await;
        refused(&event, place("cat", "k", &[0])).await;
        let round = node.write_refusals();
        let sold = async { refused(&event, place("dan", "k", &[0])).await };
        tokio::join!(round, sold);
        let dropped = counters.of("taquilla_refusals_dropped_total", "not-written");
        assert_eq!(dropped, 2, "silent: {silent}");
        node.stop().await;
        assert_eq!(counters.of("taquilla_refusals_dropped_total", "not-written"), 3);
    }
}
