//! What operators do to a living sale: every rule, every refusal, and what a new owner knows of it.

use crate::script::check;

#[test]
fn blocked_seats_are_nobodys_until_they_are_free_again() {
    check(
        "section A seats 4
         section B seats 2
         0s olga block A1 B2            -> done, 2 blocked
         0s olga block A1 A2            -> done, 3 blocked
         1s ann place A1 A3             -> refused seats-unavailable A1
         1s ann place B1 B2             -> refused seats-unavailable B2
         2s olga unblock A1 A4          -> done, 2 blocked
         2s restart
         3s ann place A2                -> refused seats-unavailable A2
         3s ann place A1                -> hold h1 until 123s total 1000
         4s olga blocks A3 free A2      -> done, 2 blocked
         4s ann place A2                -> hold h2 until 124s total 1000
         4s ann place B2                -> refused seats-unavailable B2",
    );
}

#[test]
fn a_block_of_what_is_held_or_sold_names_it_all_and_blocks_nothing() {
    check(
        "section A seats 4
         section B seats 2
         0s ann place A1                -> hold h1 until 120s total 1000
         0s ann order h1                -> new order of h1 open total 1000
         0s ann confirm h1 pay          -> confirmed
         1s bob place A3 B1             -> hold h2 until 121s total 2000
         2s olga block A1 A2 A3 B1 B2   -> refused conflicts-with-sales sold 1 held 2 asked 5 A1 A3 B1
         2s cat place A2 B2             -> hold h3 until 122s total 2000
         3s bob release h2              -> released
         3s olga block A3 B1            -> done, 2 blocked",
    );
}

#[test]
fn overdue_holds_are_in_no_operators_way() {
    check(
        "section A seats 2
         section B seats 2
         section F places 4
         sale hold 100s
         0s   ann place A1 B1 F 3       -> hold h1 until 100s total 5000
         99s  olga block A1 B1          -> refused conflicts-with-sales sold 0 held 2 asked 2 A1 B1
         99s  olga capacity F 2         -> refused conflicts-with-sales sold 0 held 3 asked 2, F sold 0 held 3 asked 2
         100s olga block A1 B1          -> done, 2 blocked
         100s ann holds                 -> holds
         101s bob place F 4             -> hold h2 until 201s total 4000
         201s olga capacity F 0         -> done, 2 blocked
         201s bob place F 1             -> refused seats-unavailable F",
    );
}

/// Case 13 of the reported faults.
#[test]
fn a_capacity_below_what_is_sold_and_held_is_refused_with_the_numbers() {
    check(
        "section F places 10
         section G places 10
         0s ann place F 4               -> hold h1 until 120s total 4000
         0s ann order h1                -> new order of h1 open total 4000
         0s ann confirm h1 pay          -> confirmed
         1s bob place F 3 G 1           -> hold h2 until 121s total 4000
         2s olga capacity F 6           -> refused conflicts-with-sales sold 4 held 3 asked 6, F sold 4 held 3 asked 6
         2s olga capacity F 7 G 0       -> refused conflicts-with-sales sold 0 held 1 asked 0, G sold 0 held 1 asked 0
         3s cat place F 3               -> hold h3 until 123s total 3000
         3s cat release h3              -> released
         4s olga capacity F 7 G 1       -> done, 0 blocked
         4s cat place F 1               -> refused seats-unavailable F
         5s restart
         5s cat place G 1               -> refused seats-unavailable G
         6s olga capacity F 20 G 12     -> done, 0 blocked
         6s cat place F 5 G 1           -> hold h4 until 126s total 6000
         6s olga capacity F 12          -> done, 0 blocked
         6s dan place F 1               -> refused seats-unavailable F",
    );
}

#[test]
fn a_seated_section_has_no_capacity_to_set() {
    check(
        "section A seats 2
         0s olga capacity A 1           -> refused malformed-request A is seated",
    );
}

#[test]
fn a_pause_stops_holds_and_orders_and_lets_everything_else_through() {
    check(
        "section A seats 6
         sale hold 100s closes 200s
         0s ann place A1 key k          -> hold h1 until 100s total 1000
         0s ann order h1 key o          -> new order of h1 open total 1000
         0s bob place A2                -> hold h2 until 100s total 1000
         0s bob place A3                -> hold h3 until 100s total 1000
         1s olga sale pause             -> done, 0 blocked
         1s olga sale pause             -> done, 0 blocked
         2s ann place A1 key k          -> again hold h1 until 100s total 1000
         2s ann order h1 key o          -> again new order of h1 open total 1000
         2s ann order h1 key p          -> known order of h1 open total 1000
         2s cat place A4                -> refused sale-not-open paused
         2s bob order h2 key q          -> refused sale-not-open paused
         2s bob release h3              -> released
         2s bob read h2                 -> hold h2 until 100s total 1000
         2s restart
         3s cat place A4                -> refused sale-not-open paused
         3s ann confirm h1 pay          -> confirmed
         4s olga sale resume            -> done, 0 blocked
         4s bob order h2 key q          -> new order of h2 open total 1000
         4s cat place A4                -> hold h4 until 104s total 1000",
    );
}

#[test]
fn a_pause_moves_no_end_of_a_hold_and_outlives_the_closing() {
    check(
        "section A seats 2
         sale hold 100s closes 50s
         0s   ann place A1              -> hold h1 until 100s total 1000
         1s   olga sale pause           -> done, 0 blocked
         60s  ann order h1              -> refused sale-not-open paused
         60s  bob place A2              -> refused sale-not-open closed
         61s  olga sale resume          -> done, 0 blocked
         61s  ann order h1              -> new order of h1 open total 1000
         100s ann read h1               -> hold h1 expired",
    );
}

#[test]
fn a_sale_opens_and_closes_at_an_operators_word_and_nonsense_is_refused() {
    check(
        "section A seats 4
         sale opens 100s closes 300s
         0s   ann place A1              -> refused sale-not-open scheduled
         1s   olga sale close           -> refused sale-not-open scheduled
         1s   olga sale resume          -> refused malformed-request sale is scheduled
         2s   olga sale pause           -> done, 0 blocked
         2s   olga sale open            -> refused sale-not-open paused
         2s   olga sale close           -> refused sale-not-open paused
         3s   olga sale resume          -> done, 0 blocked
         4s   olga sale open            -> done, 0 blocked
         4s   olga sale open            -> done, 0 blocked
         4s   ann place A1              -> hold h1 until 124s total 1000
         5s   olga sale close           -> done, 0 blocked
         5s   olga sale close           -> done, 0 blocked
         5s   ann place A2              -> refused sale-not-open closed
         5s   ann order h1              -> new order of h1 open total 1000
         6s   olga sale open            -> refused sale-not-open closed
         6s   restart
         6s   bob place A2              -> refused sale-not-open closed
         6s   olga terms closes 250s    -> done, 0 blocked
         6s   bob place A2              -> hold h2 until 126s total 1000",
    );
}

#[test]
fn new_terms_are_for_holds_from_now_on() {
    check(
        "section A seats 6 price 1000
         section F places 9 price 500
         sale hold 100s limit 6
         0s  ann place A1 A2 F 2           -> hold h1 until 100s total 3000
         1s  olga terms limit 2 hold 10s price F 700 A 2000 -> done, 0 blocked
         1s  ann read h1                   -> hold h1 until 100s total 3000
         2s  ann place A3                  -> refused buyer-limit-exceeded 4 of 2
         2s  ann give-back h1 A1 F 1       -> hold h1 until 100s total 1500
         2s  bob place A3 F 1              -> hold h2 until 12s total 2700
         3s  restart
         3s  cat place A4 A5 A6            -> refused buyer-limit-exceeded 0 of 2
         3s  cat place A4                  -> hold h3 until 13s total 2000
         4s  ann order h1                  -> new order of h1 open total 1500
         4s  olga terms room on            -> done, 0 blocked
         4s  dan place A5 not-admitted     -> refused admission-required",
    );
}

#[test]
fn terms_that_make_no_sense_are_refused_by_name_and_number() {
    check(
        "section A seats 2 price 1000
         section B seats 2 price 1000
         sale hold 100s closes 300s
         0s olga terms closes 0s                -> refused malformed-request opens 0 closes 0
         0s olga terms opens 400s               -> refused malformed-request opens 400 closes 300
         0s olga terms price A 1                -> refused malformed-request B missing for B
         0s olga terms price A 1 B 2 C 3        -> refused malformed-request no tier C
         0s olga terms price A 1 B 1000000000000000 -> refused malformed-request B too dear
         1s olga terms opens 200s               -> done, 0 blocked
         1s olga sale open                      -> done, 0 blocked
         2s ann place A1                        -> hold h1 until 102s total 1000
         3s olga terms opens 200s               -> refused conflicts-with-sales sold 0 held 1 asked 0
         3s olga terms opens 2s                 -> done, 0 blocked",
    );
}

#[test]
fn a_paused_site_sells_nothing_and_keeps_everybodys_own() {
    check(
        "section A seats 4
         0s ann place A1 key k          -> hold h1 until 120s total 1000
         0s ann order h1 key o          -> new order of h1 open total 1000
         0s bob place A2                -> hold h2 until 120s total 1000
         1s olga site pause stage fire  -> pause
         1s cat place Z9                -> refused malformed-request Z9
         1s cat place A3 key c          -> refused purchases-paused stage fire
         1s bob order h2 key q          -> refused purchases-paused stage fire
         1s ann place A1 key k          -> again hold h1 until 120s total 1000
         1s ann order h1 key o          -> again new order of h1 open total 1000
         1s bob release h2              -> released
         1s ann confirm h1 pay          -> confirmed
         1s olga block A4               -> done, 1 blocked
         2s olga site resume            -> resume
         2s cat place A3 key c          -> hold h3 until 122s total 1000",
    );
}
