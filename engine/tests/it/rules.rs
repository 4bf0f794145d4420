//! Every rule and every refusal, in order of precedence.

use crate::script::check;

#[test]
fn a_seat_has_one_holder_and_every_taken_seat_is_named() {
    check(
        "section A seats 4
         0s ann place A1 A2          -> hold h1 until 120s total 2000
         1s bob place A2             -> refused seats-unavailable A2
         1s bob place A1 A3 A2       -> refused seats-unavailable A1 A2
         2s bob place A3             -> hold h2 until 122s total 1000",
    );
}

#[test]
fn a_hold_is_over_at_its_instant_whatever_has_been_swept() {
    check(
        "section A seats 2
         sale hold 120s
         0s   ann place A1           -> hold h1 until 120s total 1000
         119s bob place A1           -> refused seats-unavailable A1
         119s ann read h1            -> hold h1 until 120s total 1000
         120s ann read h1            -> hold h1 expired
         120s ann holds              -> holds
         120s bob place A1           -> hold h2 until 240s total 1000
         120s ann order h1           -> refused hold-not-active expired
         120s ann release h1         -> released",
    );
}

#[test]
fn an_authorised_payment_never_beats_an_expired_hold() {
    check(
        "section A seats 2
         sale hold 120s
         0s   ann place A1           -> hold h1 until 120s total 1000
         1s   ann order h1           -> new order of h1 open total 1000
         120s ann confirm h1 late    -> void due
         120s ann confirm h1 late    -> void due
         121s bob place A1           -> hold h2 until 241s total 1000",
    );
}

#[test]
fn a_confirmation_sells_the_seats_once_and_is_keyed_by_its_attempt() {
    check(
        "section A seats 2
         0s ann place A1             -> hold h1 until 120s total 1000
         1s ann order h1             -> new order of h1 open total 1000
         2s ann confirm h1 first     -> confirmed
         3s ann confirm h1 first     -> confirmed
         4s ann confirm h1 second    -> void due
         4s ann confirm h1 second    -> void due
         5s ann read h1              -> hold h1 converted
         5s ann release h1           -> refused hold-not-active converted
         5s ann cancel h1            -> refused order-not-cancellable
         900s bob place A1           -> refused seats-unavailable A1
         900s restart
         901s ann confirm h1 first   -> confirmed
         901s ann confirm h1 second  -> void due",
    );
}

#[test]
fn the_limit_counts_held_and_bought_over_all_sections() {
    check(
        "section A seats 4
         section B seats 4
         section F places 10
         sale hold 100s limit 4
         0s ann place A1 A2          -> hold h1 until 100s total 2000
         0s ann place F 1            -> hold h2 until 100s total 1000
         0s ann place B1 B2          -> refused buyer-limit-exceeded 3 of 4
         0s ann place B1             -> hold h3 until 100s total 1000
         0s ann place F 1            -> refused buyer-limit-exceeded 4 of 4
         0s ann order h1             -> new order of h1 open total 2000
         0s ann confirm h1 pay       -> confirmed
         1s ann release h3           -> released
         1s ann place B2             -> hold h4 until 101s total 1000
         1s ann place B3             -> refused buyer-limit-exceeded 4 of 4
         101s ann place B2 B3        -> hold h5 until 201s total 2000
         101s ann place F 1          -> refused buyer-limit-exceeded 4 of 4
         101s ann place F 9          -> refused buyer-limit-exceeded 4 of 4",
    );
}

#[test]
fn a_general_section_sells_by_count_and_never_more_than_it_has() {
    check(
        "section F places 5 price 300
         sale hold 60s limit 6
         0s  ann place F 3           -> hold h1 until 60s total 900
         1s  bob place F 3           -> refused seats-unavailable F
         1s  bob place F 2           -> hold h2 until 61s total 600
         2s  bob order h2            -> new order of h2 open total 600
         2s  bob confirm h2 pay      -> confirmed
         60s cat place F 3           -> hold h3 until 120s total 900
         60s dan place F 1           -> refused seats-unavailable F
         61s cat release h3          -> released
         61s cat release h3          -> released
         61s dan place F 3           -> hold h4 until 121s total 900",
    );
}

#[test]
fn a_wish_for_more_than_a_number_holds_is_one_above_the_limit() {
    check(
        "section A seats 2
         section F places 5
         section G places 5
         sale hold 60s limit 6
         0s ann place A1 F 4294967295          -> refused buyer-limit-exceeded 0 of 6
         0s ann place F 4294967295 G 4294967295 -> refused buyer-limit-exceeded 0 of 6
         0s ann place F 4294967295 A1 fewer    -> refused buyer-limit-exceeded 0 of 6
         0s ann best 4294967295                -> refused buyer-limit-exceeded 0 of 6
         0s ann place F 2                      -> hold h1 until 60s total 2000
         0s ann give-back h1 F 4294967295      -> refused malformed-request 2 of F",
    );
}

#[test]
fn an_admission_that_is_over_is_good_for_the_order_of_a_hold_that_it_opened() {
    check(
        "section A seats 4
         sale hold 60s limit 4 waiting-room
         10s  ann place A1 admitted-until 10s       -> refused admission-required
         10s  ann place A1 admitted-until 11s       -> hold h1 until 70s total 1000
         20s  ann place A2 admitted-until 11s       -> refused admission-required
         20s  ann order h1 not-admitted             -> refused admission-required
         20s  ann order h1 admitted-until 10s       -> refused admission-required
         20s  ann order h1 admitted-until 11s key k -> new order of h1 open total 1000
         20s  ann place A3 admitted-from 20s        -> hold h2 until 80s total 1000
         30s  ann order h2 admitted-from 32s        -> refused admission-required
         30s  ann order h2 admitted-from 30s key l  -> new order of h2 open total 1000
         30s  ann order h1 not-admitted key k       -> again new order of h1 open total 1000
         30s  bob order h1 not-admitted             -> refused not-found",
    );
}

#[test]
fn refusals_of_a_hold_come_in_order_of_precedence() {
    check(
        "section A seats 4
         section F places 2
         sale hold 60s limit 2 opens 10s closes 100s waiting-room
         0s   ann place A9 not-admitted    -> refused malformed-request A9
         0s   ann place A1 not-admitted    -> refused sale-not-open scheduled
         10s  ann place A1 not-admitted    -> refused admission-required
         10s  ann place A1 A2              -> hold h1 until 70s total 2000
         10s  ann place A1 not-admitted    -> refused admission-required
         10s  ann place A1                 -> refused buyer-limit-exceeded 2 of 2
         10s  bob place A1 A3 A4           -> refused buyer-limit-exceeded 0 of 2
         10s  bob place A1 A3              -> refused seats-unavailable A1
         10s  bob place F 3                -> refused buyer-limit-exceeded 0 of 2
         100s bob place A1 not-admitted    -> refused sale-not-open closed",
    );
}

#[test]
fn a_living_hold_may_be_ordered_paid_and_released_after_the_sale_has_closed() {
    check(
        "section A seats 4
         sale hold 60s closes 10s
         9s  ann place A1            -> hold h1 until 69s total 1000
         9s  bob place A2            -> hold h2 until 69s total 1000
         11s ann order h1            -> new order of h1 open total 1000
         12s ann confirm h1 pay      -> confirmed
         12s bob release h2          -> released",
    );
}

#[test]
fn a_hold_has_one_order_whatever_the_key_and_whatever_became_of_it() {
    check(
        "section A seats 4
         sale hold 60s
         0s  ann place A1            -> hold h1 until 60s total 1000
         1s  ann order h1 key k      -> new order of h1 open total 1000
         2s  ann order h1 key k      -> again new order of h1 open total 1000
         2s  ann order h1 key l      -> known order of h1 open total 1000
         3s  ann release h1          -> released
         4s  ann order h1 key m      -> known order of h1 cancelled total 1000
         4s  ann order h1 key k      -> again new order of h1 cancelled total 1000
         5s  ann place A2            -> hold h2 until 65s total 1000
         5s  ann release h2          -> released
         6s  ann order h2 key n      -> refused hold-not-active released
         7s  ann order h2 key n      -> again refused hold-not-active released
         7s  ann order h1 key n      -> refused idempotency-key-reused
         8s  restart
         9s  ann order h2 key n      -> again refused hold-not-active released
         9s  ann order h1 key n      -> refused idempotency-key-reused
         9s  ann order h1 key k      -> again new order of h1 cancelled total 1000
         9s  ann order h1 key l      -> again known order of h1 cancelled total 1000",
    );
}

#[test]
fn refusals_of_a_part_given_back_come_in_order_of_precedence() {
    check(
        "section A seats 4
         section F places 9
         sale hold 60s limit 9
         0s  ann place A1 A2 F 2         -> hold h1 until 60s total 4000
         0s  ann order h1                -> new order of h1 open total 4000
         0s  ann place A3 F 2            -> hold h2 until 60s total 3000
         0s  bob give-back h1 Z9         -> refused not-found
         1s  ann give-back h1 Z9         -> refused malformed-request Z9
         1s  ann give-back h1 A3         -> refused not-found
         1s  ann give-back h1 A3 F 3     -> refused not-found
         1s  ann give-back h1 F 3        -> refused malformed-request 2 of F
         1s  ann give-back h1 A1         -> refused order-not-cancellable
         2s  ann confirm h1 pay          -> confirmed
         60s ann give-back h1 Z9         -> refused malformed-request Z9
         60s ann give-back h1 A3         -> refused not-found
         60s ann give-back h1 F 3        -> refused malformed-request 2 of F
         60s ann give-back h1 A1         -> refused order-not-cancellable
         60s ann give-back h2 Z9         -> refused malformed-request Z9
         60s ann give-back h2 A1         -> refused not-found
         60s ann give-back h2 F 3        -> refused malformed-request 2 of F
         60s ann give-back h2 A3         -> refused hold-not-active expired",
    );
}

#[test]
fn refusals_of_an_order_come_in_order_of_precedence() {
    check(
        "section A seats 4
         sale hold 60s
         0s  ann place A1                -> hold h1 until 60s total 1000
         0s  ann place A2                -> hold h2 until 60s total 1000
         0s  ann order h2                -> new order of h2 open total 1000
         0s  olga sale pause             -> done, 0 blocked
         0s  olga site pause stage fire  -> pause
         60s bob order h1                -> refused not-found
         60s ann order h1                -> refused purchases-paused stage fire
         60s olga site resume            -> resume
         61s ann order h1                -> refused sale-not-open paused
         61s ann order h2 key k          -> known order of h2 open total 1000
         61s olga sale resume            -> done, 0 blocked
         62s ann order h1                -> refused hold-not-active expired
         62s ann order h1 key k          -> refused idempotency-key-reused
         62s ann cancel h2               -> released
         62s bob cancel h2               -> refused not-found
         62s ann cancel h1               -> refused not-found",
    );
}

#[test]
fn anothers_things_are_not_found() {
    check(
        "section A seats 4
         0s ann place A1             -> hold h1 until 120s total 1000
         0s ann order h1             -> new order of h1 open total 1000
         1s bob read h1              -> refused not-found
         1s bob order h1             -> refused not-found
         1s bob cancel h1            -> refused not-found
         1s bob release h1           -> refused not-found
         1s bob read h9              -> refused not-found
         1s bob holds                -> holds
         1s ann holds                -> holds h1",
    );
}

#[test]
fn a_key_stands_for_its_first_result() {
    check(
        "section A seats 4
         sale hold 60s limit 2
         0s  ann place A1 key k      -> hold h1 until 60s total 1000
         5s  ann place A1 key k      -> again hold h1 until 60s total 1000
         5s  ann place A2 key k      -> refused idempotency-key-reused
         5s  bob place A1 key k      -> refused seats-unavailable A1
         6s  ann release h1          -> released
         7s  ann place A1 key k      -> again hold h1 released
         7s  bob place A1 key k      -> again refused seats-unavailable A1
         8s  restart
         9s  ann place A1 key k      -> again hold h1 released
         9s  ann place A2 key k      -> refused idempotency-key-reused
         9s  bob place A1 key k      -> hold h2 until 69s total 1000",
    );
}

#[test]
fn a_refused_hold_is_repeated_for_a_minute_and_then_decided_anew() {
    check(
        "section A seats 4
         sale hold 30s
         0s  ann place A1            -> hold h1 until 30s total 1000
         1s  bob place A1 key k      -> refused seats-unavailable A1
         60s bob place A1 key k      -> again refused seats-unavailable A1
         60s bob place A2 key k      -> refused idempotency-key-reused
         61s bob place A1 key k      -> hold h2 until 91s total 1000
         62s bob place A1 key k      -> again hold h2 until 91s total 1000",
    );
}

#[test]
fn what_is_no_result_does_not_use_the_key_up() {
    check(
        "section A seats 4
         sale hold 30s opens 10s waiting-room
         0s  ann place A9 key k                -> refused malformed-request A9
         0s  ann place A1 key k                -> refused sale-not-open scheduled
         10s ann place A2 not-admitted key k   -> refused admission-required
         10s ann place A1 key k                -> hold h1 until 40s total 1000
         11s ann order h9 key o                -> refused not-found
         11s ann order h1 key o                -> new order of h1 open total 1000",
    );
}

#[test]
fn an_order_of_nothing_to_pay_is_confirmed_at_once() {
    check(
        "section A seats 4 price 0
         sale hold 30s
         0s  ann place A1            -> hold h1 until 30s total 0
         1s  ann order h1 key k      -> new order of h1 confirmed total 0
         2s  ann order h1 key k      -> again new order of h1 confirmed total 0
         2s  ann read h1             -> hold h1 converted
         2s  ann place A2            -> hold h2 until 32s total 0
         32s ann order h2 key l      -> refused hold-not-active expired
         40s bob place A1            -> refused seats-unavailable A1
         40s bob place A2            -> hold h3 until 70s total 0",
    );
}

#[test]
fn cancelling_an_order_gives_its_seats_back_at_once() {
    check(
        "section A seats 4
         0s ann place A1             -> hold h1 until 120s total 1000
         0s ann order h1             -> new order of h1 open total 1000
         1s ann cancel h1            -> released
         1s ann cancel h1            -> released
         1s bob place A1             -> hold h2 until 121s total 1000
         2s ann confirm h1 pay       -> void due
         2s ann read h1              -> hold h1 released",
    );
}
