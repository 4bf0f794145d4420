//! Holds that live longer while their payment is being verified.

use taquilla_engine::answer::Outcome;
use taquilla_engine::command::Command;
use taquilla_engine::hold::{Extension, HoldStatus};
use taquilla_engine::id::{AttemptId, HoldId, OrderId};
use taquilla_engine::moment::Moment;
use taquilla_engine::refusal::Refusal;

use crate::desk::{Desk, EVENT, buyer, place, place_order, terms};
use crate::script::check;

#[test]
fn a_hold_lives_longer_once_and_only_in_its_last_minute() {
    check(
        "section A seats 3
         section B seats 3
         section F places 2
         0s   olga terms extension 30s   -> done, 0 blocked
         0s   ann place A1 B1 F 2        -> hold h1 until 120s total 4000
         0s   ann extend h1              -> refused not-found
         0s   ann order h1               -> new order of h1 open total 4000
         59s  ann extend h1              -> not given
         60s  ann extend h1              -> until 150s
         61s  ann extend h1              -> until 150s
         125s bob place A1               -> refused seats-unavailable A1
         125s bob place F 1              -> refused seats-unavailable F
         125s ann holds                  -> holds h1
         125s restart
         126s ann extend h1              -> until 150s
         126s bob place B1               -> refused seats-unavailable B1
         149s ann read h1                -> hold h1 until 150s total 4000
         150s ann extend h1              -> refused hold-not-active expired
         150s bob place A1 B1 F 2        -> hold h2 until 270s total 4000",
    );
}

#[test]
fn what_is_over_or_sold_or_gets_nothing_by_the_terms_is_not_extended() {
    check(
        "section A seats 3
         0s   ann place A1               -> hold h1 until 120s total 1000
         0s   ann order h1               -> new order of h1 open total 1000
         70s  ann extend h1              -> not given
         71s  olga terms extension 30s   -> done, 0 blocked
         72s  ann confirm h1 pay         -> confirmed
         72s  ann extend h1              -> refused hold-not-active converted
         80s  bob place A2               -> hold h2 until 200s total 1000
         80s  bob order h2               -> new order of h2 open total 1000
         80s  bob cancel h2              -> released
         141s bob extend h2              -> refused hold-not-active released
         150s cat place A3               -> hold h3 until 270s total 1000
         150s cat order h3               -> new order of h3 open total 1000
         270s cat extend h3              -> refused hold-not-active expired",
    );
}

#[test]
fn an_extended_hold_is_sold_in_its_extension() {
    check(
        "section A seats 3
         0s   olga terms extension 30s   -> done, 0 blocked
         0s   ann place A1               -> hold h1 until 120s total 1000
         0s   ann order h1               -> new order of h1 open total 1000
         119s ann extend h1              -> until 150s
         130s ann order h1               -> known order of h1 open total 1000
         140s ann confirm h1 pay         -> confirmed",
    );
}

#[test]
fn two_extensions_at_once_are_one() {
    let mut by = terms(2);
    by.sale.verifying_extension = std::time::Duration::from_secs(30);
    let mut desk = Desk::new(by);
    let hold = HoldId::derive(EVENT, &buyer("ann"), "k");
    let (order, attempt) = (OrderId::of(hold), AttemptId::derive(EVENT, &buyer("ann"), "pay"));
    desk.ask(place("ann", "k", &[0])).unwrap();
    desk.ask(place_order("ann", hold)).unwrap();
    desk.now = Moment(100_000_000);
    let extend = || Command::ExtendHold { order, attempt };
    let (second, third) = desk.send_undelivered(extend(), [extend(), extend()]);
    while desk.commit() {}
    for caller in [second, third] {
        let outcome = desk.answer_of(caller).unwrap().unwrap().outcome;
        assert_eq!(outcome, Outcome::Extension(Extension::Until(Moment(150_000_000))));
    }
    desk.now = Moment(150_000_000);
    let over = desk.ask(extend()).unwrap().outcome;
    assert_eq!(over, Outcome::Refused(Refusal::HoldNotActive(HoldStatus::Expired)));
}
