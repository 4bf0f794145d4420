//! Holds over several sections, holds that take fewer, parts that are given back, and seats that the
//! house chooses.

use crate::script::check;

#[test]
fn a_hold_over_several_sections_is_all_or_nothing_and_names_all_that_is_taken() {
    check(
        "section A seats 4
         section F places 3 price 500
         section B seats 4
         sale hold 60s limit 6
         0s ann place B1 A1 F 2 A2   -> hold h1 until 60s total 4000
         0s bob place A1 B2 F 2      -> refused seats-unavailable A1 F
         0s bob place B1 A3 A2       -> refused seats-unavailable B1 A2
         0s bob place A3 B2 F 1      -> hold h2 until 60s total 2500
         1s ann place A4 B4          -> refused buyer-limit-exceeded 5 of 6
         2s ann release h1           -> released
         2s cat place A1 A2 B1 F 2   -> hold h3 until 62s total 4000",
    );
}

#[test]
fn what_one_section_ends_is_over_in_all_of_them() {
    check(
        "section A seats 2
         section B seats 2
         section F places 2
         sale hold 60s limit 4
         0s   ann place A1 B1 F 2    -> hold h1 until 60s total 4000
         60s  bob place A1           -> hold h2 until 120s total 1000
         60s  cat place B1 F 2       -> hold h3 until 120s total 3000
         60s  ann read h1            -> hold h1 expired
         60s  ann place A2 B2        -> hold h4 until 120s total 2000
         61s  restart
         61s  ann holds              -> holds h4
         61s  dan place A1 B1 F 1    -> refused seats-unavailable A1 B1 F",
    );
}

#[test]
fn a_confirmation_sells_all_sections_of_a_hold_or_none() {
    check(
        "section A seats 2
         section B seats 2
         section F places 2
         sale hold 60s limit 4
         0s  ann place A1 B1 F 1     -> hold h1 until 60s total 3000
         0s  ann order h1            -> new order of h1 open total 3000
         59s ann confirm h1 first    -> confirmed
         60s bob place A1 B2         -> refused seats-unavailable A1
         60s bob place B2 F 2        -> refused seats-unavailable F
         60s bob place A2 B2 F 1     -> hold h2 until 120s total 3000
         60s bob order h2            -> new order of h2 open total 3000
         120s bob confirm h2 late    -> void due
         120s cat place A2 B2 F 1    -> hold h3 until 180s total 3000
         121s restart
         121s ann read h1            -> hold h1 converted",
    );
}

#[test]
fn who_accepts_fewer_gets_what_there_is_and_is_told_the_rest() {
    check(
        "section A seats 3
         section B seats 1
         section F places 3 price 500
         sale hold 60s limit 6
         0s ann place A1 B1                -> hold h1 until 60s total 2000
         0s bob place A1 A2 B1 F 2 fewer   -> hold h2 until 60s total 2000 without A1 B1
         0s cat place F 2 A2 fewer         -> hold h3 until 60s total 500 without A2 F 1
         0s dan place A1 F 1 fewer         -> refused seats-unavailable A1 F
         0s dan place A1 A3                -> refused seats-unavailable A1
         0s dan place A1 A3 fewer          -> hold h4 until 60s total 1000 without A1
         1s restart
         1s dan place A1 A3 fewer key line 6 -> refused seats-unavailable A1 A3
         1s cat read h3                    -> hold h3 until 60s total 500 without A2 F 1",
    );
}

#[test]
fn a_part_given_back_is_free_at_once_and_the_rest_costs_less() {
    check(
        "section A seats 4
         section B seats 2
         section F places 4 price 500
         sale hold 60s limit 6
         0s  ann place A1 A2 B1 F 3  -> hold h1 until 60s total 4500
         1s  ann give-back h1 A1     -> hold h1 until 60s total 3500
         1s  bob place A1            -> hold h2 until 61s total 1000
         2s  ann give-back h1 A1     -> refused not-found
         2s  ann give-back h1 F 2    -> hold h1 until 60s total 2500
         2s  bob place F 3           -> hold h3 until 62s total 1500
         3s  ann give-back h1 F 2    -> refused malformed-request 1 of F
         3s  ann give-back h1 F 1    -> hold h1 until 60s total 2000
         3s  ann give-back h1 F 1    -> refused not-found
         4s  restart
         4s  ann read h1             -> hold h1 until 60s total 2000
         4s  bob give-back h1 A2     -> refused not-found
         5s  ann give-back h1 A2     -> hold h1 until 60s total 1000
         6s  ann give-back h1 B1     -> hold h1 released
         6s  ann give-back h1 B1     -> refused hold-not-active released
         6s  ann holds               -> holds
         6s  cat place A2 B1         -> hold h4 until 66s total 2000
         7s  cat order h4            -> new order of h4 open total 2000
         7s  cat give-back h4 A2     -> refused order-not-cancellable
         70s bob give-back h2 A1     -> refused hold-not-active expired",
    );
}

#[test]
fn the_house_chooses_the_nearest_seats_and_takes_what_is_overdue() {
    check(
        "section A seats 5
         section B seats 9
         sale hold 60s limit 6
         0s  ann best 3               -> hold h1 until 60s total 3000 of A1 A2 A3 avoids-single-seats
         0s  bob best 2 in B          -> hold h2 until 60s total 2000 of B4 B5 nearest-together
         0s  cat best 2 tier A        -> hold h3 until 60s total 2000 of A4 A5 nearest-together
         0s  dan best 1 in A          -> refused seats-unavailable A
         60s dan best 1 in A          -> hold h4 until 120s total 1000 of A3 nearest",
    );
}

#[test]
fn a_party_is_split_over_sections_only_where_it_must_and_may_be() {
    check(
        "section A seats 2
         section B seats 2
         sale hold 60s limit 4
         0s ann best 3 adjacent       -> refused seats-unavailable A B
         0s ann best 3                -> hold h1 until 60s total 3000 of A1 A2 B1 split-no-run-free
         0s bob best 2                -> refused seats-unavailable A B
         0s bob best 2 fewer          -> hold h2 until 60s total 1000 of B2 nearest without B 1
         0s cat best 1                -> refused seats-unavailable A B
         1s ann give-back h1 A1       -> hold h1 until 60s total 2000 of A2 B1 split-no-run-free
         1s ann release h1            -> released
         1s cat best 3 adjacent fewer -> hold h3 until 61s total 2000 of A1 A2 nearest-together without A 1",
    );
}

#[test]
fn what_is_left_of_a_hold_is_billed_anew_with_its_fees() {
    check(
        "section A seats 4 price 1999
         section F places 4 price 500
         section Z places 4 price 0
         sale hold 60s limit 6 fee 50000 30
         0s  ann place A1 A2 F 2 Z 1  -> hold h1 until 60s total 5368 fees 370
         1s  ann give-back h1 A1      -> hold h1 until 60s total 3239 fees 240
         1s  olga terms price A 1 F 1 Z 1 -> done, 0 blocked
         2s  ann give-back h1 F 1     -> hold h1 until 60s total 2684 fees 185
         2s  restart
         3s  ann give-back h1 A2      -> hold h1 until 60s total 555 fees 55
         4s  ann give-back h1 F 1     -> hold h1 until 60s total 0 fees 0
         4s  ann order h1             -> new order of h1 confirmed total 0",
    );
}
