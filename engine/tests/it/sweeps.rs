//! Overdue holds end without anybody asking, however many there are.

use std::collections::VecDeque;
use std::time::Duration;

use taquilla_engine::event::{Door, Effect, Limits, Snapshot};
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::Epoch;
use taquilla_engine::moment::Moment;

use crate::desk::{Desk, EVENT, place, terms};

const HOLDS: u32 = 5_000;

#[test]
fn many_overdue_holds_are_all_ended_by_one_tick_and_what_it_sets_off() {
    let mut desk = Desk::new(terms(HOLDS));
    for seat in 0..HOLDS {
        desk.send(place(&format!("buyer {seat}"), "k", &[seat]));
    }
    while desk.commit() {}
    desk.tick(Duration::from_secs(120));
    while desk.commit() {}
    let rows = desk.journal.peek(EVENT);
    assert!(rows.seats.is_empty(), "{} seats are still held", rows.seats.len());
    assert!(rows.holds.iter().all(|hold| hold.status == HoldStatus::Expired));
}

#[test]
fn a_sweep_keeps_its_bound_and_never_runs_far_ahead_of_the_journal() {
    let limits = Limits { sweep_max: 10, batch_max: 20, ..Limits::default() };
    let (mut door, mut sections) =
        Door::<u32>::rebuild(terms(200), limits, Snapshot::empty(Epoch(1))).unwrap();
    let mut now = Moment(0);
    let (mut asked, mut batch) = (VecDeque::new(), None);
    // Takes a decision of the section whenever there is one to take, and commits when told to.
    let mut settle = |door: &mut Door<u32>, now: Moment, commits: bool| {
        let mut under_way = 0;
        loop {
            while let Some(effect) = door.poll() {
                match effect {
                    Effect::Tell(_, message) => asked.push_back(message),
                    Effect::Append(sent) => batch = Some(sent),
                    Effect::Reply(..) | Effect::Publish(_) | Effect::OrdersChanged(_) => {}
                }
            }
            under_way = under_way.max(asked.len());
            if let Some(message) = asked.pop_front() {
                sections[0].handle(message, now, |decided| door.decided(now, decided));
            } else if let Some(sent) = batch.take_if(|_| commits) {
                assert!(door.committed(now, sent.epoch, sent.sequence));
            } else {
                return under_way;
            }
        }
    };
    for seat in 0..100 {
        let command = place(&format!("buyer {seat}"), "k", &[seat]);
        let deadline = now + Duration::from_secs(3);
        door.submit(now, taquilla_engine::command::Request { command, deadline }, seat);
        settle(&mut door, now, true);
    }
    now = now + Duration::from_secs(120);
    door.tick(now);
    let under_way = settle(&mut door, now, false);
    assert!(under_way <= 10, "{under_way} at once");
    let unfinished = door.give_up();
    // One on its way, a batch's worth behind it, and what was under way when that was full.
    assert!((20..=31).contains(&unfinished.parts), "{} parts", unfinished.parts);
}
