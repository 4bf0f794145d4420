//! No answer leaves before every fact that it could have seen is durable, and a batch writes the net
//! effect of what gathered in it.

use std::time::Duration;

use taquilla_engine::answer::{Outcome, Unanswered};
use taquilla_engine::command::Command;
use taquilla_engine::event::{Door, Limits, Snapshot};
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::{AttemptId, Epoch, HoldId, OrderId, SeatIndex, Sequence};
use taquilla_engine::journal::{AppendError, TakeFrom};
use taquilla_engine::order::Verdict;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::section::SeatState;

use crate::desk::{Desk, EVENT, buyer, place, place_order, terms};

fn hold_of(name: &str, key: &str) -> HoldId {
    HoldId::derive(EVENT, &buyer(name), key)
}

fn release(name: &str, key: &str) -> Command {
    Command::ReleaseHold { buyer: buyer(name), hold: hold_of(name, key) }
}

#[test]
fn a_hold_and_the_refusal_replay_and_read_that_saw_it_wait_for_its_commit() {
    let mut desk = Desk::new(terms(4));
    let hold = desk.send(place("ann", "k", &[0]));
    let refusal = desk.send(place("bob", "k", &[0]));
    let replay = desk.send(place("ann", "k", &[0]));
    let other = desk.send(place("ann", "k", &[1]));
    let read = desk.send(Command::ReadHold { buyer: buyer("ann"), hold: hold_of("ann", "k") });
    let list = desk.send(Command::ReadHolds { buyer: buyer("ann") });
    assert!(desk.answers.is_empty(), "something left before anything was durable");

    assert!(desk.commit());
    let left: Vec<_> = desk.answers.iter().map(|(caller, _)| *caller).collect();
    assert_eq!(left, [hold], "only the hold rode on the first batch");

    assert!(desk.commit());
    let left: Vec<_> = desk.answers.iter().map(|(caller, _)| *caller).collect();
    assert_eq!(left, [hold, refusal, replay, other, read, list]);
    let refused = |refusal| Outcome::Refused(refusal);
    let outcome = |caller| desk.answer_of(caller).unwrap().unwrap().outcome;
    let taken = Refusal::SeatsUnavailable { seats: vec![SeatIndex(0)], sections: vec![] };
    assert_eq!(outcome(refusal), refused(taken));
    assert_eq!(outcome(other), refused(Refusal::KeyReused));
    assert!(desk.answer_of(replay).unwrap().unwrap().replayed);
}

#[test]
fn an_answer_that_saw_nothing_new_still_rides_on_a_check_of_the_head() {
    let mut desk = Desk::new(terms(4));
    desk.ask(place("ann", "k", &[0])).unwrap();
    let sequence = desk.journal.peek(EVENT).sequence;
    let refusal = desk.send(place("bob", "k", &[0]));
    assert!(desk.answer_of(refusal).is_none());
    assert!(desk.sent[0].is_check());
    assert!(desk.commit());
    assert!(desk.answer_of(refusal).is_some());
    assert_eq!(desk.journal.peek(EVENT).sequence, sequence, "a check advances nothing");
}

#[test]
fn a_commit_of_another_epoch_or_sequence_sets_nothing_free() {
    let mut desk = Desk::new(terms(4));
    desk.send(place("ann", "k", &[0]));
    let batch = desk.sent.pop_front().unwrap();
    let (epoch, sequence) = (batch.epoch, batch.sequence);
    assert!(!desk.door.committed(desk.now, Epoch(epoch.0 + 1), sequence));
    assert!(!desk.door.committed(desk.now, epoch, Sequence(sequence.0 + 1)));
    assert!(desk.door.committed(desk.now, epoch, sequence));
    assert!(!desk.door.committed(desk.now, epoch, sequence), "a commit counts once");
}

#[test]
fn a_stale_owner_is_fenced_with_its_answers() {
    let mut old = Desk::new(terms(4));
    old.ask(place("ann", "k", &[0])).unwrap();
    let mut new = Desk::rebuild(terms(4), old.journal.clone(), old.now);
    new.ask(release("ann", "k")).unwrap();
    // The old owner's memory was durable, and is no longer true.
    let refusal = old.send(place("bob", "k", &[0]));
    let batch = old.sent.pop_front().unwrap();
    assert_eq!(old.journal.write(&batch), Err(AppendError::Fenced));
    assert!(old.answer_of(refusal).is_none());
}

/// Sends the commands while another batch is on its way, so that they gather in one.
fn in_one_batch(desk: &mut Desk, commands: impl IntoIterator<Item = Command>) {
    desk.send(Command::ReadHolds { buyer: buyer("nobody") });
    for command in commands {
        desk.send(command);
    }
    assert!(desk.commit());
    assert_eq!(desk.sent.len(), 1, "everything has gathered in one batch");
}

#[test]
fn hold_and_release_of_a_seat_in_one_batch_leave_it_available() {
    let mut desk = Desk::new(terms(4));
    in_one_batch(&mut desk, [place("ann", "k", &[0, 1]), release("ann", "k")]);
    let batch = &desk.sent[0];
    assert!(batch.seats.is_empty() && batch.buyers.is_empty() && batch.holds_ended.is_empty());
    assert_eq!(batch.holds_placed[&hold_of("ann", "k")].status, HoldStatus::Released);
    assert_eq!(batch.history.len(), 2, "history tells both");
    assert!(desk.commit());
    assert!(desk.journal.peek(EVENT).seats.is_empty());
}

#[test]
fn expire_and_hold_of_a_seat_in_one_batch_write_it_once() {
    let mut desk = Desk::new(terms(4));
    desk.ask(place("ann", "k", &[0, 1])).unwrap();
    desk.now = desk.now + Duration::from_secs(120);
    in_one_batch(&mut desk, [place("bob", "k", &[0])]);
    let change = desk.sent[0].seats[&SeatIndex(0)];
    assert_eq!(change.was, SeatState::Held(hold_of("ann", "k")));
    assert_eq!(change.becomes, SeatState::Held(hold_of("bob", "k")));
    assert_eq!(desk.sent[0].seats[&SeatIndex(1)].becomes, SeatState::Available);
    assert_eq!(desk.sent[0].holds_ended[&hold_of("ann", "k")].0, HoldStatus::Expired);
    assert!(desk.commit());
}

#[test]
fn hold_order_and_confirmation_in_one_batch_sell_the_seat() {
    let mut desk = Desk::new(terms(4));
    let (hold, attempt) = (hold_of("ann", "k"), AttemptId::derive(EVENT, &buyer("ann"), "pay"));
    let order = place_order("ann", hold);
    let confirm = Command::ConfirmOrder { order: OrderId::of(hold), attempt };
    in_one_batch(&mut desk, [place("ann", "k", &[0]), order, confirm]);
    let batch = &desk.sent[0];
    assert_eq!(batch.seats[&SeatIndex(0)].was, SeatState::Available);
    assert_eq!(batch.seats[&SeatIndex(0)].becomes, SeatState::Sold(hold));
    assert_eq!(batch.holds_placed[&hold].status, HoldStatus::Converted);
    assert_eq!(batch.attempts[&attempt], Verdict::Confirmed);
    assert_eq!(batch.tickets.len(), 1);
    assert!(desk.commit());
    assert_eq!(desk.journal.tickets(EVENT).len(), 1);
}

#[test]
fn a_buyers_overdue_holds_end_in_the_batch_that_builds_on_their_end() {
    let mut desk = Desk::new(terms(20));
    desk.ask(place("ann", "k", &[0, 1, 2, 3, 4, 5])).unwrap();
    desk.now = desk.now + Duration::from_secs(120);
    in_one_batch(&mut desk, [place("ann", "l", &[10, 11, 12, 13, 14, 15])]);
    let batch = &desk.sent[0];
    assert!(batch.buyers.is_empty(), "six before, six after");
    assert_eq!(batch.holds_ended[&hold_of("ann", "k")].0, HoldStatus::Expired);
    assert!(desk.commit());
    assert_eq!(desk.journal.peek(EVENT).buyers, [(buyer("ann"), 6)]);
}

#[test]
fn a_batch_carries_a_time_that_no_decision_in_it_is_later_than() {
    let mut desk = Desk::new(terms(4));
    desk.send(place("ann", "k", &[0]));
    desk.now = desk.now + Duration::from_secs(5);
    desk.send(place("bob", "k", &[1]));
    // The clock steps back; the door's does not.
    desk.now = desk.now - Duration::from_secs(4);
    assert!(desk.commit());
    let placed = &desk.sent[0].holds_placed[&hold_of("bob", "k")];
    assert!(desk.sent[0].now >= placed.created_at);
}

#[test]
fn a_command_past_its_deadline_is_not_decided() {
    let mut desk = Desk::new(terms(4));
    let late = desk.now - Duration::from_micros(1);
    let caller = desk.send_with_deadline(place("ann", "k", &[0]), late);
    assert_eq!(desk.answer_of(caller), Some(Err(Unanswered::Overloaded)));
    assert!(desk.sent.is_empty(), "nothing was decided");
    let answer = desk.ask(place("ann", "k", &[0])).unwrap();
    assert!(matches!(answer.outcome, Outcome::Hold(_)), "and the key is not used up");
}

#[test]
fn overdue_holds_are_swept_without_anybody_asking() {
    let mut desk = Desk::new(terms(4));
    desk.ask(place("ann", "k", &[0])).unwrap();
    desk.tick(Duration::from_secs(119));
    assert!(desk.sent.is_empty());
    desk.tick(Duration::from_secs(1));
    assert!(desk.commit());
    let rows = desk.journal.peek(EVENT);
    assert!(rows.seats.is_empty());
    assert_eq!(rows.holds[0].status, HoldStatus::Expired);
    assert_eq!(rows.buyers, [(buyer("ann"), 0)]);
}

#[test]
fn an_attempt_of_a_forgotten_order_is_decided_once_however_often_it_is_asked_about() {
    let mut desk = Desk::new(terms(4));
    let (order, attempt) =
        (OrderId::of(hold_of("ann", "never")), AttemptId::derive(EVENT, &buyer("ann"), "p"));
    let confirm = || Command::ConfirmOrder { order, attempt };
    let asked = [desk.send(confirm()), desk.send(confirm())];
    let batch = &desk.sent[0];
    assert_eq!(batch.attempts.len(), 1);
    desk.door.committed(desk.now, batch.epoch, batch.sequence).then_some(()).unwrap();
    desk.sent.clear();
    desk.carry_out();
    let later = desk.send(confirm());
    while let Some(batch) = desk.sent.pop_front() {
        assert!(batch.is_check(), "nothing is decided twice: {batch:?}");
        assert!(desk.door.committed(desk.now, batch.epoch, batch.sequence));
        desk.carry_out();
    }
    for caller in [asked[0], asked[1], later] {
        let outcome = desk.answer_of(caller).unwrap().unwrap().outcome;
        assert_eq!(outcome, Outcome::Verdict(Verdict::VoidDue));
    }
}

#[test]
fn a_buyer_who_holds_what_no_row_counts_keeps_the_event_from_being_sold() {
    let mut desk = Desk::new(terms(4));
    desk.ask(place("ann", "k", &[0])).unwrap();
    desk.ask(place("bob", "k", &[1])).unwrap();
    let spoilt = |spoil: fn(&mut Snapshot)| {
        let mut snapshot = desk.journal.claim(EVENT, TakeFrom::Anyone).unwrap();
        spoil(&mut snapshot);
        Door::<u32>::rebuild(terms(4), Limits::default(), snapshot).map(drop)
    };
    assert_eq!(spoilt(|_| {}), Ok(()));
    let lost = spoilt(|snapshot| snapshot.buyers.retain(|(name, _)| *name != buyer("bob")));
    assert!(lost.unwrap_err().what.contains("bob"));
    let less = spoilt(|snapshot| snapshot.buyers.iter_mut().for_each(|(_, seats)| *seats = 0));
    assert!(less.unwrap_err().what.contains("counts 0"));
    let more = spoilt(|snapshot| snapshot.buyers.push((buyer("cat"), 2)));
    assert_eq!(more, Ok(()), "who has bought may have forgotten holds");
}
