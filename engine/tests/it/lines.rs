//! A buyer's line and a key's joins, seen while a section has not decided yet.

use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome, Unanswered};
use taquilla_engine::command::{Command, Request};
use taquilla_engine::event::{Door, Effect, Limits, Snapshot};
use taquilla_engine::id::Epoch;
use taquilla_engine::moment::Moment;
use taquilla_engine::section::{SectionMessage, Window};

use crate::desk::{place, terms};

/// A door whose section decides only when it is told to.
struct Counter {
    door: Door<u32>,
    section: Window,
    asked: Vec<SectionMessage>,
    answers: Vec<(u32, Result<Answer, Unanswered>)>,
    callers: u32,
    now: Moment,
}

impl Counter {
    fn new() -> Self {
        let snapshot = Snapshot::empty(Epoch(1));
        let (door, mut sections) = Door::rebuild(terms(100), Limits::default(), snapshot).unwrap();
        let section = sections.remove(0);
        Self { door, section, asked: Vec::new(), answers: Vec::new(), callers: 0, now: Moment(0) }
    }

    fn send(&mut self, command: Command) -> u32 {
        self.callers += 1;
        let request = Request { command, deadline: self.now + Duration::from_secs(3) };
        self.door.submit(self.now, request, self.callers);
        self.carry_out();
        self.callers
    }

    fn decide_next(&mut self) {
        let message = self.asked.remove(0);
        let (door, now) = (&mut self.door, self.now);
        self.section.handle(message, |decided| door.decided(now, decided));
        self.carry_out();
    }

    fn carry_out(&mut self) {
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(_, message) => self.asked.push(message),
                Effect::Reply(caller, answer) => self.answers.push((caller, answer)),
                Effect::Append(batch) => {
                    assert!(self.door.committed(batch.now, batch.epoch, batch.sequence));
                }
                Effect::Publish(_) | Effect::OrdersChanged(_) => {}
            }
        }
    }

    fn answered(&self) -> Vec<u32> {
        self.answers.iter().map(|(caller, _)| *caller).collect()
    }
}

#[test]
fn one_command_of_a_buyer_is_undecided_four_wait_and_the_fifth_is_turned_away() {
    let mut counter = Counter::new();
    let callers: Vec<u32> =
        (0..5).map(|n| counter.send(place("ann", &format!("k{n}"), &[n]))).collect();
    assert_eq!(counter.asked.len(), 1, "the others wait behind the first");
    let away = counter.send(place("ann", "k5", &[5]));
    assert_eq!(counter.answers, [(away, Err(Unanswered::Overloaded))]);
    let other = counter.send(place("bob", "k", &[6]));
    assert_eq!(counter.asked.len(), 2, "another buyer's does not");
    counter.answers.clear();

    counter.decide_next();
    assert_eq!(counter.answered(), [callers[0]]);
    assert_eq!(counter.asked.len(), 2, "the next of the line is asked behind the other buyer's");
    while !counter.asked.is_empty() {
        counter.decide_next();
    }
    let mut answered = counter.answered();
    answered.sort_unstable();
    assert_eq!(answered, [&callers[..], &[other]].concat());
}

#[test]
fn keys_are_bounded_and_those_past_their_time_make_room() {
    let mut counter = Counter::new();
    let limits = Limits { keys_max: 2, ..Limits::default() };
    let mut terms = terms(100);
    terms.sale.closes_at = Moment(i64::MAX);
    (counter.door, _) =
        Door::rebuild(terms, limits, Snapshot::empty(Epoch(1))).expect("an empty event");
    for (name, seat) in [("ann", 0), ("bob", 1)] {
        counter.send(place(name, "k", &[seat]));
        counter.decide_next();
    }
    let away = counter.send(place("cat", "k", &[2]));
    assert_eq!(counter.answers.pop(), Some((away, Err(Unanswered::Overloaded))));

    // A day later both holds have long ended.
    counter.now = Moment(0) + Limits::default().keys_kept + Duration::from_secs(1);
    counter.door.tick(counter.now);
    counter.carry_out();
    while !counter.asked.is_empty() {
        counter.decide_next();
    }
    let taken = counter.send(place("cat", "k", &[2]));
    counter.decide_next();
    let (caller, answer) = counter.answers.pop().expect("an answer");
    assert_eq!(caller, taken);
    assert!(matches!(answer.expect("a decision").outcome, Outcome::Hold(_)));
}

#[test]
fn requests_of_one_key_join_the_first_and_do_not_stand_in_line() {
    let mut counter = Counter::new();
    let first = counter.send(place("ann", "k", &[0]));
    let joined: Vec<u32> = (0..10).map(|_| counter.send(place("ann", "k", &[0]))).collect();
    let other = counter.send(place("ann", "k", &[1]));
    assert_eq!(counter.asked.len(), 1);
    assert!(counter.answers.is_empty());
    counter.decide_next();
    assert_eq!(counter.answered(), [&[first], &joined[..], &[other]].concat());
    for (caller, answer) in &counter.answers {
        let Answer { outcome, replayed, .. } = answer.as_ref().unwrap();
        if *caller == other {
            assert_eq!(outcome.code(), "idempotency-key-reused");
        } else {
            assert!(matches!(outcome, Outcome::Hold(_)));
            assert_eq!(*replayed, *caller != first);
        }
    }
}

#[test]
fn one_more_than_may_wait_for_a_key_is_told_that_it_is_in_use() {
    let mut counter = Counter::new();
    for _ in 0..=Limits::default().joins_max {
        counter.send(place("ann", "k", &[0]));
    }
    let away = counter.send(place("ann", "k", &[0]));
    assert_eq!(counter.answers, [(away, Err(Unanswered::KeyInUse))]);
    counter.decide_next();
    assert_eq!(
        counter.answers.len(),
        Limits::default().joins_max + 2,
        "the others have the result"
    );
}

#[test]
fn those_who_joined_a_key_that_is_not_used_up_are_decided_anew() {
    let mut counter = Counter::new();
    let Command::PlaceHold { buyer, keyed, .. } = place("ann", "k", &[0]) else { unreachable!() };
    let unknown = Command::PlaceHold {
        buyer,
        keyed,
        wish: taquilla_engine::command::Wish::Unknown(vec!["Z9".into()]),
        admitted: true,
    };
    // The first of the line keeps the key's first request undecided.
    counter.send(place("ann", "other", &[9]));
    counter.send(unknown);
    let joined = counter.send(place("ann", "k", &[0]));
    while !counter.asked.is_empty() {
        counter.decide_next();
    }
    let (_, answer) = counter.answers.iter().find(|(caller, _)| *caller == joined).unwrap();
    assert!(matches!(answer.as_ref().unwrap().outcome, Outcome::Hold(_)), "{answer:?}");
}
