//! A buyer's line and a key's joins, seen while a section has not decided yet.

use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome, Unanswered};
use taquilla_engine::command::{BestWish, Command, Request, Wish};
use taquilla_engine::event::{Door, Effect, Limits, Snapshot, Terms};
use taquilla_engine::id::{AttemptId, Epoch, HoldId, OrderId, SeatIndex, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::order::Verdict;
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::section::{SectionMessage, Window};
use taquilla_engine::waiting_room::admission::Admission;

use crate::desk::{EVENT, buyer, keyed, place, place_order, terms, terms_of};
use crate::moody::PATIENCE;

/// A door whose sections decide only when they are told to, in the order in which they were asked.
struct SlowSections {
    door: Door<u32>,
    sections: Vec<Window>,
    asked: Vec<(SectionIndex, SectionMessage)>,
    answers: Vec<(u32, Result<Answer, Unanswered>)>,
    /// Batches that wrote something.
    batches: u32,
    callers: u32,
    now: Moment,
}

impl SlowSections {
    fn new() -> Self {
        Self::with(terms(100))
    }

    fn with(terms: Terms) -> Self {
        let snapshot = Snapshot::empty(Epoch(1));
        let (door, sections) = Door::rebuild(terms, Limits::default(), snapshot).unwrap();
        let (asked, answers) = (Vec::new(), Vec::new());
        Self { door, sections, asked, answers, batches: 0, callers: 0, now: Moment(0) }
    }

    fn send(&mut self, command: Command) -> u32 {
        self.callers += 1;
        let request = Request { command, deadline: self.now + PATIENCE };
        self.door.submit(self.now, request, self.callers);
        self.carry_out();
        self.callers
    }

    fn decide_next(&mut self) {
        self.decide_next_heard_at(self.now);
    }

    /// The next section decides now; the door hears it then.
    fn decide_next_heard_at(&mut self, then: Moment) {
        let (section, message) = self.asked.remove(0);
        let (door, now) = (&mut self.door, self.now);
        let window = &mut self.sections[usize::from(section.0)];
        window.handle(message, now, |decided| door.decided(then, decided));
        self.now = then;
        self.carry_out();
    }

    /// The search was turned away with nothing taken, and its key may be used again.
    fn is_given_up(&mut self, caller: u32) {
        assert_eq!(self.answers, [(caller, Err(Unanswered::Overloaded))]);
        assert!(self.asked.is_empty() && self.batches == 0);
        self.send(best("ann", "k"));
        while !self.asked.is_empty() {
            self.decide_next();
        }
        let (_, answer) = self.answers.pop().expect("an answer");
        assert!(matches!(answer.expect("a decision").outcome, Outcome::Hold(_)));
    }

    fn carry_out(&mut self) {
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => self.asked.push((section, message)),
                Effect::Reply(caller, answer) => self.answers.push((caller, answer)),
                Effect::Append(batch) => {
                    self.batches += u32::from(!batch.is_check());
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

/// Two seats near the stage, two behind them.
fn two_sections() -> Terms {
    let section = |n: u16| SectionPlan {
        name: format!("S{n}"),
        kind: SectionKind::Seated { first: SeatIndex(2 * u32::from(n)), seats: 2 },
        tier: 0,
    };
    let seat = |n: u16| SeatPlan {
        label: format!("{n}").into(),
        x: f32::from(n % 2),
        y: 9.0 * f32::from(n / 2),
        section: SectionIndex(n / 2),
        ..SeatPlan::default()
    };
    let tier = Tier { name: "T".into(), price: 100 };
    let sections = vec![section(0), section(1)];
    terms_of(Plan::new(vec![tier], sections, (0..4).map(seat).collect()))
}

/// Two seats somewhere.
fn best(name: &str, key: &str) -> Command {
    let wish =
        BestWish { quantity: 2, section: None, tier: None, adjacent: false, accessible: false };
    let wish = Wish::Best { wish, accept_fewer: false };
    let (buyer, keyed) = (buyer(name), keyed(key, "best"));
    Command::PlaceHold { buyer, keyed, wish, admission: Some(Admission::ALWAYS) }
}

#[test]
fn one_command_of_a_buyer_is_undecided_four_wait_and_the_fifth_is_turned_away() {
    let mut sale = SlowSections::new();
    let callers: Vec<u32> =
        (0..5).map(|n| sale.send(place("ann", &format!("k{n}"), &[n]))).collect();
    assert_eq!(sale.asked.len(), 1, "the others wait behind the first");
    let away = sale.send(place("ann", "k5", &[5]));
    assert_eq!(sale.answers, [(away, Err(Unanswered::LineFull))]);
    let other = sale.send(place("bob", "k", &[6]));
    assert_eq!(sale.asked.len(), 2, "another buyer's does not");
    sale.answers.clear();

    sale.decide_next();
    assert_eq!(sale.answered(), [callers[0]]);
    assert_eq!(sale.asked.len(), 2, "the next of the line is asked behind the other buyer's");
    while !sale.asked.is_empty() {
        sale.decide_next();
    }
    let mut answered = sale.answered();
    answered.sort_unstable();
    assert_eq!(answered, [&callers[..], &[other]].concat());
}

#[test]
fn holds_alive_are_bounded_and_those_that_are_may_be_ordered_all_the_same() {
    let mut sale = SlowSections::new();
    let limits = Limits { open_holds_max: 1, ..Limits::default() };
    (sale.door, sale.sections) =
        Door::rebuild(terms(100), limits, Snapshot::empty(Epoch(1))).expect("an empty event");
    sale.send(place("ann", "k", &[0]));
    sale.decide_next();
    let away = sale.send(place("bob", "k", &[1]));
    assert_eq!(sale.answers.pop(), Some((away, Err(Unanswered::HoldsFull))));
    let again = sale.send(place("ann", "k", &[0]));
    assert_eq!(sale.answers.pop().map(|(caller, _)| caller), Some(again), "a replay takes none");
    let hold = HoldId::derive(EVENT, &buyer("ann"), "k");
    let order = sale.send(place_order("ann", hold));
    sale.carry_out();
    let (caller, answer) = sale.answers.pop().expect("it is ordered");
    assert!(caller == order && answer.is_ok());
    let released = Command::ReleaseHold { buyer: buyer("ann"), hold };
    sale.send(released);
    while !sale.asked.is_empty() {
        sale.decide_next();
    }
    sale.answers.clear();
    sale.send(place("bob", "k", &[1]));
    assert_eq!((sale.answers.len(), sale.asked.len()), (0, 1), "there is room again");
}

#[test]
fn keys_are_bounded_and_those_past_their_time_make_room() {
    let mut sale = SlowSections::new();
    let limits = Limits { keys_max: 2, ..Limits::default() };
    let mut terms = terms(100);
    terms.sale.closes_at = Moment(i64::MAX);
    (sale.door, sale.sections) =
        Door::rebuild(terms, limits, Snapshot::empty(Epoch(1))).expect("an empty event");
    for (name, seat) in [("ann", 0), ("bob", 1)] {
        sale.send(place(name, "k", &[seat]));
        sale.decide_next();
    }
    let away = sale.send(place("cat", "k", &[2]));
    assert_eq!(sale.answers.pop(), Some((away, Err(Unanswered::Overloaded))));

    // A day later both holds have long ended.
    sale.now = Moment(0) + Limits::default().keys_kept + Duration::from_secs(1);
    sale.door.tick(sale.now);
    sale.carry_out();
    while !sale.asked.is_empty() {
        sale.decide_next();
    }
    let taken = sale.send(place("cat", "k", &[2]));
    sale.decide_next();
    let (caller, answer) = sale.answers.pop().expect("an answer");
    assert_eq!(caller, taken);
    assert!(matches!(answer.expect("a decision").outcome, Outcome::Hold(_)));
}

#[test]
fn requests_of_one_key_join_the_first_and_do_not_stand_in_line() {
    let mut sale = SlowSections::new();
    let first = sale.send(place("ann", "k", &[0]));
    let joined: Vec<u32> = (0..10).map(|_| sale.send(place("ann", "k", &[0]))).collect();
    let other = sale.send(place("ann", "k", &[1]));
    assert_eq!(sale.asked.len(), 1);
    assert!(sale.answers.is_empty());
    sale.decide_next();
    assert_eq!(sale.answered(), [&[first], &joined[..], &[other]].concat());
    for (caller, answer) in &sale.answers {
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
    let mut sale = SlowSections::new();
    for _ in 0..=Limits::default().joins_max {
        sale.send(place("ann", "k", &[0]));
    }
    let away = sale.send(place("ann", "k", &[0]));
    assert_eq!(sale.answers, [(away, Err(Unanswered::KeyInUse))]);
    sale.decide_next();
    assert_eq!(sale.answers.len(), Limits::default().joins_max + 2, "the others have the result");
}

#[test]
fn those_who_joined_a_key_that_is_not_used_up_are_decided_anew() {
    let mut sale = SlowSections::new();
    let Command::PlaceHold { buyer, keyed, .. } = place("ann", "k", &[0]) else { unreachable!() };
    let unknown = Command::PlaceHold {
        buyer,
        keyed,
        wish: Wish::Unknown(vec!["Z9".into()]),
        admission: Some(Admission::ALWAYS),
    };
    // The first of the line keeps the key's first request undecided.
    sale.send(place("ann", "other", &[9]));
    sale.send(unknown);
    let joined = sale.send(place("ann", "k", &[0]));
    while !sale.asked.is_empty() {
        sale.decide_next();
    }
    let (_, answer) = sale.answers.iter().find(|(caller, _)| *caller == joined).unwrap();
    assert!(matches!(answer.as_ref().unwrap().outcome, Outcome::Hold(_)), "{answer:?}");
}

#[test]
fn who_waits_in_his_own_line_for_longer_than_his_patience_is_not_decided() {
    let mut sale = SlowSections::new();
    let first = sale.send(place("ann", "k", &[0]));
    let waiting = sale.send(place("ann", "l", &[1]));
    sale.now = sale.now + PATIENCE + Duration::from_micros(1);
    sale.decide_next();
    assert_eq!(
        sale.answers,
        [(first, Err(Unanswered::Overloaded)), (waiting, Err(Unanswered::Overloaded))],
        "one was late at the section, the other in the line"
    );
    assert!(sale.asked.is_empty() && sale.batches == 0, "nothing was decided");
    for (key, seat) in [("k", 0), ("l", 1)] {
        sale.send(place("ann", key, &[seat]));
        sale.decide_next();
        let (_, answer) = sale.answers.pop().expect("an answer");
        assert!(matches!(answer.expect("a decision").outcome, Outcome::Hold(_)));
    }
}

#[test]
fn a_confirmation_is_decided_however_late_it_is() {
    let mut sale = SlowSections::new();
    sale.send(place("ann", "k", &[0]));
    sale.decide_next();
    let hold = HoldId::derive(EVENT, &buyer("ann"), "k");
    sale.send(place_order("ann", hold));
    let attempt = AttemptId::derive(EVENT, &buyer("ann"), "p");
    let confirm = sale.send(Command::ConfirmOrder { order: OrderId::of(hold), attempt });
    sale.now = sale.now + PATIENCE + Duration::from_micros(1);
    sale.decide_next();
    let (caller, answer) = sale.answers.pop().expect("an answer");
    assert_eq!(caller, confirm);
    assert_eq!(answer.expect("a verdict").outcome, Outcome::Verdict(Verdict::Confirmed));
}

#[test]
fn a_search_goes_no_further_than_its_callers_patience_and_takes_nothing() {
    let mut unhurried = SlowSections::with(two_sections());
    unhurried.send(best("ann", "k"));
    let mut steps = 0;
    while unhurried.answers.is_empty() {
        unhurried.decide_next();
        steps += 1;
    }
    assert!(steps > 1, "an offer, and then it is taken");
    for in_time in 0..steps {
        let mut sale = SlowSections::with(two_sections());
        let searching = sale.send(best("ann", "k"));
        for _ in 0..in_time {
            sale.decide_next();
        }
        sale.now = sale.now + PATIENCE + Duration::from_micros(1);
        sale.decide_next();
        sale.is_given_up(searching);
    }
    // A section made its offer in time, and by the time that the door hears it, nobody waits.
    let mut sale = SlowSections::with(two_sections());
    let searching = sale.send(best("ann", "k"));
    let heard_at = sale.now + PATIENCE + Duration::from_micros(1);
    sale.decide_next_heard_at(heard_at);
    sale.is_given_up(searching);
}
