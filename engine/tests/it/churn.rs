//! Holding and dropping again and again earns shorter holds, then a pause.

use crate::script::check;

#[test]
fn whoever_drops_too_many_holds_gets_shorter_ones_and_then_none_for_a_while() {
    check(
        "section A seats 4 price 1000
         sale hold 240s limit 4
         churn free 1 max 3 decay 100s
           0s ann place A1      -> hold h1 until 240s total 1000
           0s ann release h1    -> released
           0s ann place A1      -> hold h2 until 240s total 1000
           0s ann release h2    -> released
           0s ann release h2    -> released
           0s ann place A1      -> hold h3 until 120s total 1000
           0s ann give-back h3 A1 -> hold h3 released
           0s ann place A1      -> hold h4 until 60s total 1000
           0s ann release h4    -> released
           1s ann place A1 key k -> refused too-many-requests for 99s
           1s bob place A1      -> hold h5 until 241s total 1000
         100s ann place A2 key k -> hold h6 until 160s total 1000
         300s ann place A3 A4   -> hold h7 until 420s total 2000",
    );
}

#[test]
fn a_hold_that_runs_out_counts_whoever_ends_it() {
    check(
        "section A seats 4 price 1000
         section B seats 2 price 1000
         sale hold 100s limit 2
         churn free 0 max 1 decay 1000s
           0s ann place A1 B1   -> hold h1 until 100s total 2000
           0s bob place A2      -> hold h2 until 100s total 1000
           0s cat place A3      -> hold h3 until 100s total 1000
         100s ann place A4      -> hold h4 until 160s total 1000
         100s dan place A2      -> hold h5 until 200s total 1000
         100s bob place A3      -> hold h6 until 160s total 1000
         101s eva tick          -> swept
         101s cat place A1      -> hold h7 until 161s total 1000
         161s eva tick          -> swept
         161s cat place A1      -> refused too-many-requests for 939s",
    );
}

#[test]
fn what_is_bought_or_given_back_in_part_does_not_count() {
    check(
        "section A seats 4 price 1000
         section F places 4 price 0
         sale hold 100s limit 8
         churn free 0 max 1 decay 1000s
           0s ann place A1 A2   -> hold h1 until 100s total 2000
           0s ann give-back h1 A2 -> hold h1 until 100s total 1000
           0s ann order h1      -> new order of h1 open total 1000
           0s ann confirm h1 p  -> confirmed
           0s ann place F 1     -> hold h2 until 100s total 0
           0s ann order h2      -> new order of h2 confirmed total 0
           0s ann place A2      -> hold h3 until 100s total 1000
           0s ann order h3      -> new order of h3 open total 1000
           0s ann cancel h3     -> released
           0s ann place A2      -> hold h4 until 60s total 1000",
    );
}

#[test]
fn it_is_said_after_who_may_not_shop_at_all_and_before_what_cannot_be_had() {
    check(
        "section A seats 4 price 1000
         sale hold 100s limit 2 closes 500s
         churn free 0 max 0 decay 1000s
           0s ann place A1 key k -> hold h1 until 100s total 1000
           0s ann release h1    -> released
           1s ann place A1 key k -> again hold h1 released
           1s ann place A1 A2 A3 -> refused too-many-requests for 999s
         500s ann place A1      -> refused sale-not-open closed",
    );
}

#[test]
fn a_new_owner_counts_anew() {
    check(
        "section A seats 4 price 1000
         sale hold 100s limit 2
         churn free 0 max 0 decay 1000s
           0s ann place A1      -> hold h1 until 100s total 1000
           0s ann release h1    -> released
           1s ann place A1      -> refused too-many-requests for 999s
           2s restart
           2s ann place A1      -> hold h2 until 102s total 1000",
    );
}
