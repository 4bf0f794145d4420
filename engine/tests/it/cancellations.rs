//! An event that does not take place: nothing is sold any more, all holds end, and what is given back
//! stays off sale.

use crate::script::check;

#[test]
fn of_a_cancelled_event_nothing_is_sold_any_more_for_ever() {
    check(
        "section A seats 3
         0s ann place A1                -> hold h1 until 120s total 1000
         0s ann order h1                -> new order of h1 open total 1000
         0s bob place A2                -> hold h2 until 120s total 1000
         1s olga sale cancel why flood  -> done, 0 blocked
         1s cat place A3                -> refused sale-not-open cancelled
         1s bob order h2                -> refused sale-not-open cancelled
         1s ann confirm h1 pay          -> void due
         2s olga sale open              -> refused sale-not-open cancelled
         2s olga sale pause             -> refused sale-not-open cancelled
         2s olga sale resume            -> refused sale-not-open cancelled
         2s olga sale close             -> refused sale-not-open cancelled
         2s olga terms limit 3          -> done, 0 blocked
         2s olga sale cancel            -> done, 0 blocked
         2s restart
         9000s cat place A3             -> refused sale-not-open cancelled",
    );
}

#[test]
fn all_holds_end_and_their_orders_are_cancelled() {
    check(
        "section A seats 3
         section F places 3
         0s ann place A1 F 2            -> hold h1 until 120s total 3000
         0s ann order h1                -> new order of h1 open total 3000
         0s bob place A2                -> hold h2 until 120s total 1000
         1s olga sale cancel            -> done, 0 blocked
         1s ann read h1                 -> hold h1 released
         1s ann order h1                -> known order of h1 cancelled total 3000
         1s bob holds                   -> holds
         1s bob release h2              -> released
         1s ann confirm h1 pay          -> void due",
    );
}

#[test]
fn whoever_takes_over_ends_what_still_lives() {
    check(
        "section A seats 3
         0s ann place A1                -> hold h1 until 120s total 1000
         1s olga sale cancel            -> done, 0 blocked
         1s restart
         2s olga tick                   -> swept
         2s ann read h1                 -> hold h1 released",
    );
}

#[test]
fn what_is_given_back_stays_off_sale() {
    check(
        "section A seats 3
         section F places 3
         0s ann place A1 A2 F 2         -> hold h1 until 120s total 4000
         0s ann order h1                -> new order of h1 open total 4000
         0s ann confirm h1 pay          -> confirmed
         0s olga return h1 A1           -> returned A1 of h1, 1000 owed
         1s olga sale cancel            -> done, 0 blocked
         1s olga return h1 for cancellation -> returned A2 F F of h1, 3000 owed
         1s olga return h1 for cancellation -> refused refund-not-possible
         1s olga block A3               -> done, 2 blocked
         1s restart
         1s olga block A1               -> done, 3 blocked
         1s ann confirm h1 pay          -> confirmed",
    );
}
