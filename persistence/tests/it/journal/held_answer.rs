//! One commit's answer is held back by the network, for two seconds: neither the hold leaves nor any
//! answer that saw it. With a journal that says yes before the real append, they do, which shows that
//! this can be seen.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome, Unanswered};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::Command;
use taquilla_engine::event::{Batch, Snapshot};
use taquilla_engine::id::{EventNumber, HoldId};
use taquilla_engine::journal::{AppendError, Journal, TakeFrom, TakeOverError};
use taquilla_engine::later::Later;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::{EventHandle, Node, Settings};
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use tokio::task::JoinSet;

use super::box_office::{BoxOffice, hold_of, terms};
use super::owner::place_seats;
use crate::plain::in_time;

/// How long the answer is held back.
const HELD: Duration = Duration::from_secs(2);
/// Callers wait longer than that, and shorter than the lane.
const PATIENCE: Duration = Duration::from_secs(4);

/// Says yes, and appends afterwards.
struct Hasty<J>(Arc<J>);

impl<J: Journal> Journal for Hasty<J> {
    fn append<'a>(&'a self, batch: &'a Batch) -> Later<'a, Result<(), AppendError>> {
        let (journal, batch) = (Arc::clone(&self.0), batch.clone());
        tokio::spawn(async move { journal.append(&batch).await });
        Box::pin(async { Ok(()) })
    }

    fn take_over<'a>(
        &'a self,
        event: EventNumber,
        from: TakeFrom,
        keys_kept: Duration,
        also: &'a [HoldId],
    ) -> Later<'a, Result<Snapshot, TakeOverError>> {
        self.0.take_over(event, from, keys_kept, also)
    }
}

type Said = (&'static str, Result<Answer, Unanswered>);

fn ask(asked: &mut JoinSet<Said>, event: &EventHandle, what: &'static str, command: Command) {
    let event = event.clone();
    asked.spawn(async move { (what, event.submit(command, PATIENCE).await) });
}

/// What leaves while the answer to the hold's commit is held back, and what leaves afterwards.
async fn leaves(name: &str, hasty: bool) -> (Vec<Said>, Vec<Said>) {
    let office = BoxOffice::open(name).await;
    let port = scratch::shared().await.postgres.port();
    let proxy = Proxy::start(port).await.expect("a proxy");
    let real = Arc::new(office.other_journal(proxy.before(&office.settings)));
    let journal: Arc<dyn Journal> = if hasty { Arc::new(Hasty(real)) } else { real };
    let node = Node::start(journal, office.clock.clone(), Settings::default()).await;
    let event = node.open(terms());
    let warm = event.submit(place_seats("eve", "k", &[9]), PATIENCE).await;
    assert!(warm.is_ok(), "{warm:?}");
    // A writer is connected once its batch is there, which a hasty journal does not wait for.
    let written = async {
        while office.count("SELECT seq FROM event_heads").await == 0 {
            tokio::task::yield_now().await;
        }
    };
    in_time(written).await;

    let mut asked = JoinSet::new();
    proxy.hold_answers();
    ask(&mut asked, &event, "hold", place_seats("ann", "k", &[1]));
    in_time(proxy.until(|traffic| traffic.answers_held > 0)).await;
    let ann = BuyerId::parse("ann").expect("a name");
    ask(&mut asked, &event, "refusal", place_seats("bob", "k", &[1]));
    ask(&mut asked, &event, "replay", place_seats("ann", "k", &[1]));
    let read = Command::ReadHold { buyer: ann.clone(), hold: hold_of("ann", "k") };
    ask(&mut asked, &event, "read", read);
    ask(&mut asked, &event, "list", Command::ReadHolds { buyer: ann });

    let mut early = Vec::new();
    let watch = async {
        while let Some(said) = asked.join_next().await {
            early.push(said.expect("no task panics"));
        }
    };
    let watched = tokio::time::timeout(HELD, watch).await;
    assert!(watched.is_err() || hasty, "everything left");
    proxy.release();
    let mut late = Vec::new();
    while let Some(said) = asked.join_next().await {
        late.push(said.expect("no task panics"));
    }
    (early, late)
}

#[tokio::test]
async fn nothing_that_saw_a_hold_leaves_while_its_commits_answer_is_held_back() {
    let (early, late) = leaves("held_honest", false).await;
    assert_eq!(early, [], "something left before it was known to be durable");
    assert_eq!(late.len(), 5);
    for (what, answer) in late {
        let outcome = answer.expect("everything is decided").outcome;
        let right = match what {
            "refusal" => matches!(outcome, Outcome::Refused(Refusal::SeatsUnavailable { .. })),
            "list" => matches!(&outcome, Outcome::Holds(holds) if holds.len() == 1),
            _ => matches!(outcome, Outcome::Hold(_)),
        };
        assert!(right, "{what}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_journal_that_says_yes_too_early_lets_answers_leave() {
    let (early, _) = leaves("held_hasty", true).await;
    let left: Vec<&str> = early.iter().map(|(what, _)| *what).collect();
    for what in ["hold", "refusal", "replay", "read", "list"] {
        assert!(left.contains(&what), "{what} should have left: {left:?}");
    }
}
