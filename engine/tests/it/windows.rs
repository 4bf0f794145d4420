//! What a section keeps apart while a command over several sections is not settled.

use taquilla_engine::hold::Portion;
use taquilla_engine::id::{HoldId, SeatIndex, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::plan::{Plan, SeatPlan, Seats, SectionKind, SectionPlan, Tier};
use taquilla_engine::seating::ChoiceWish;
use taquilla_engine::section::{
    Denial, ErrandId, Section, SectionAction, SectionCommand, SectionMessage, Settlement, Window,
};

use crate::desk::{EVENT, buyer};

/// A window whose decisions are noted as `errand yes`, `errand no` or `errand late`.
struct Counter {
    window: Window,
    now: Moment,
    said: Vec<String>,
}

impl Counter {
    /// Four seats in a row, or four places.
    fn new(seated: bool) -> Self {
        let kind = match seated {
            true => SectionKind::Seated { first: SeatIndex(0), seats: 4 },
            false => SectionKind::General { capacity: 4 },
        };
        let seat = |n: u8| SeatPlan {
            label: format!("A{n}").into(),
            x: f32::from(n),
            ..SeatPlan::default()
        };
        let seats = if seated { (0..4).map(seat).collect() } else { Seats::default() };
        let section = SectionPlan { name: "A".into(), kind, tier: 0 };
        let plan = Plan::new(vec![Tier { name: "T".into(), price: 1 }], vec![section], seats);
        let window = Window::new(Section::new(&plan, SectionIndex(0)));
        Self { window, now: Moment(0), said: Vec::new() }
    }

    fn tell(&mut self, message: SectionMessage) {
        let said = &mut self.said;
        self.window.handle(message, self.now, |decided| {
            let word = match decided.decision.outcome {
                Ok(()) => "yes",
                Err(Denial::Refused(_)) => "no",
                Err(Denial::TooLate) => "late",
            };
            said.push(format!("{} {word}", decided.errand.0));
        });
    }

    fn ask(&mut self, errand: u64, at: i64, settlement: Settlement, action: SectionAction) {
        self.ask_by(errand, at, None, settlement, action);
    }

    fn ask_by(
        &mut self,
        errand: u64,
        at: i64,
        deadline: Option<i64>,
        settlement: Settlement,
        action: SectionAction,
    ) {
        let (errand, now, deadline) = (ErrandId(errand), Moment(at), deadline.map(Moment));
        let command = SectionCommand { errand, now, deadline, action, settlement };
        self.now = self.now.max(now);
        self.tell(SectionMessage::Decide(command));
    }

    fn settle(&mut self, errand: u64, granted: bool) {
        self.tell(SectionMessage::Settle { errand: ErrandId(errand), granted });
    }

    fn said(&mut self) -> String {
        std::mem::take(&mut self.said).join(", ")
    }
}

fn hold(name: &str) -> HoldId {
    HoldId::derive(EVENT, &buyer("ann"), name)
}

fn place(name: &str, portion: Portion) -> SectionAction {
    let expires_at = Moment(100);
    SectionAction::Place { hold: hold(name), portion, accept_fewer: false, expires_at }
}

fn seats(indexes: &[u32]) -> Portion {
    Portion::Seats(indexes.iter().copied().map(SeatIndex).collect())
}

#[test]
fn nobody_is_refused_because_of_a_prepared_seat_that_is_then_given_up() {
    let mut counter = Counter::new(true);
    counter.ask(1, 0, Settlement::Prepared, place("a", seats(&[0, 1])));
    counter.ask(2, 0, Settlement::Final, place("b", seats(&[3])));
    assert_eq!(counter.said(), "1 yes, 2 yes", "what touches nothing prepared goes on");
    counter.ask(3, 0, Settlement::Final, place("c", seats(&[1, 2])));
    assert_eq!((counter.said().as_str(), counter.window.waiting()), ("", 1));
    counter.settle(1, false);
    assert_eq!(counter.said(), "3 yes");
}

#[test]
fn who_waited_for_a_prepared_seat_is_refused_once_it_is_taken() {
    let mut counter = Counter::new(true);
    counter.ask(1, 0, Settlement::Prepared, place("a", seats(&[0])));
    counter.ask(2, 0, Settlement::Final, place("b", seats(&[0])));
    counter.settle(1, true);
    assert_eq!(counter.said(), "1 yes, 2 no");
}

#[test]
fn commands_are_decided_in_the_order_of_the_door_even_those_that_need_not_wait() {
    let mut counter = Counter::new(true);
    counter.ask(1, 0, Settlement::Prepared, place("a", seats(&[0])));
    counter.ask(2, 0, Settlement::Prepared, place("b", seats(&[0, 1])));
    // It would overtake: then 2 waited for 3 here, and 3 perhaps for 2 in another section.
    counter.ask(3, 0, Settlement::Prepared, place("c", seats(&[1])));
    assert_eq!(counter.said(), "1 yes");
    counter.settle(1, false);
    assert_eq!(counter.said(), "2 yes");
    counter.settle(2, false);
    assert_eq!(counter.said(), "3 yes");
    assert_eq!(counter.window.waiting(), 0);
}

#[test]
fn a_prepared_release_or_sale_keeps_its_seats_and_its_hold_apart() {
    for (end, then) in
        [(SectionAction::Release(hold("a")), "3 yes"), (SectionAction::Convert(hold("a")), "3 no")]
    {
        let mut counter = Counter::new(true);
        counter.ask(1, 0, Settlement::Final, place("a", seats(&[0, 1])));
        counter.ask(2, 99, Settlement::Prepared, end);
        assert_eq!(counter.said(), "1 yes, 2 yes");
        // By now the hold is over by the clock; what was prepared before counts.
        counter.ask(3, 100, Settlement::Final, place("b", seats(&[1])));
        counter.ask(4, 100, Settlement::Final, SectionAction::Expire(hold("a")));
        assert_eq!(counter.said(), "");
        counter.settle(2, true);
        assert_eq!(counter.said(), format!("{then}, 4 yes"));
    }
}

#[test]
fn places_are_refused_only_if_there_are_too_few_however_it_is_settled() {
    let mut counter = Counter::new(false);
    counter.ask(1, 0, Settlement::Prepared, place("a", Portion::Places(2)));
    counter.ask(2, 0, Settlement::Final, place("b", Portion::Places(2)));
    assert_eq!(counter.said(), "1 yes, 2 yes", "two are left in any case");
    counter.ask(3, 0, Settlement::Final, place("c", Portion::Places(3)));
    assert_eq!(counter.said(), "3 no", "three are not there in any case");
    counter.ask(4, 0, Settlement::Final, place("d", Portion::Places(1)));
    assert_eq!(counter.said(), "", "one is there if the first is given up");
    counter.settle(1, false);
    assert_eq!(counter.said(), "4 yes");
}

#[test]
fn an_overdue_hold_that_is_being_sold_makes_no_room_for_others() {
    let mut counter = Counter::new(false);
    counter.ask(1, 0, Settlement::Final, place("a", Portion::Places(4)));
    counter.ask(2, 99, Settlement::Prepared, SectionAction::Convert(hold("a")));
    counter.ask(3, 100, Settlement::Final, place("b", Portion::Places(1)));
    assert_eq!(counter.said(), "1 yes, 2 yes");
    counter.settle(2, true);
    assert_eq!(counter.said(), "3 no");
}

#[test]
fn the_house_neither_chooses_a_prepared_seat_nor_refuses_because_of_it() {
    let choose = |name: &str, quantity| SectionAction::Choose {
        hold: hold(name),
        wish: ChoiceWish { quantity, tier: None, adjacent: true, accessible: false },
        accept_fewer: false,
        expires_at: Moment(100),
    };
    let mut counter = Counter::new(true);
    counter.ask(1, 0, Settlement::Prepared, place("a", seats(&[1])));
    counter.ask(2, 0, Settlement::Final, choose("b", 2));
    assert_eq!(counter.said(), "1 yes, 2 yes");
    counter.ask(3, 0, Settlement::Final, choose("c", 2));
    assert_eq!(counter.said(), "");
    counter.settle(1, false);
    assert_eq!(counter.said(), "3 yes");
}

#[test]
fn who_waited_at_a_window_for_longer_than_his_caller_is_told_so_and_takes_nothing() {
    let mut counter = Counter::new(true);
    counter.ask(1, 0, Settlement::Prepared, place("a", seats(&[0])));
    counter.ask_by(2, 0, Some(9), Settlement::Final, place("b", seats(&[0, 1])));
    counter.ask_by(3, 0, Some(10), Settlement::Final, place("c", seats(&[2])));
    counter.ask(4, 0, Settlement::Final, place("d", seats(&[1])));
    counter.now = Moment(10);
    counter.settle(1, false);
    assert_eq!(counter.said(), "1 yes, 2 late, 3 yes, 4 yes");
    counter.ask_by(5, 0, Some(9), Settlement::Final, place("e", seats(&[3])));
    assert_eq!(counter.said(), "5 late", "nor is he who comes late");
    counter.ask(6, 0, Settlement::Final, place("f", seats(&[3])));
    assert_eq!(counter.said(), "6 yes");
}
