//! For each invariant the rows that break it, with the constraint dropped that would not let them.

/// The invariant's name, and how `busy_office` comes to break it. Seat 0 is sold to ana, 1 and 2
/// are held by bob, 3 by cleo, whose order is open; 4 was dora's, who cancelled, 5 emil's, whose
/// hold expired; fay holds and gus bought two places; 4 was then sold to kim, 5 to max, who gave it back.
pub(crate) const VIOLATIONS: &[(&str, &str)] = &[
    ("seats_are_those_of_the_plan", "DELETE FROM seats WHERE seat_key % 1048576 = 7"),
    (
        "seats_are_those_of_the_plan",
        "INSERT INTO seats (seat_key) SELECT max(seat_key) + 1 FROM seats",
    ),
    ("dropped_seats_are_blocked", "UPDATE plan_seats SET dropped = true WHERE seat_index = 7"),
    (
        "free_seats_have_no_hold",
        "ALTER TABLE seats DROP CONSTRAINT seats_state_agrees_with_owner; \
         UPDATE seats SET hold_id = (SELECT hold_id FROM holds LIMIT 1) WHERE state = 0",
    ),
    (
        "held_seats_are_listed_by_an_active_hold",
        "UPDATE seats SET state = 1, hold_id = gen_random_uuid() WHERE seat_key % 1048576 = 7",
    ),
    (
        "held_seats_are_listed_by_an_active_hold",
        "UPDATE seats SET state = 1, hold_id = (SELECT hold_id FROM holds WHERE buyer = 'bob') \
          WHERE seat_key % 1048576 = 7",
    ),
    (
        "held_seats_are_listed_by_an_active_hold",
        "ALTER TABLE seats DROP CONSTRAINT seats_state_agrees_with_owner; \
         UPDATE seats SET state = 1 WHERE seat_key % 1048576 = 7",
    ),
    (
        "sold_seats_are_listed_by_a_converted_hold",
        "UPDATE seats SET state = 2 WHERE seat_key % 1048576 = 1",
    ),
    (
        "active_holds_have_their_seats",
        "UPDATE seats SET state = 0, hold_id = NULL WHERE seat_key % 1048576 = 1",
    ),
    (
        "active_holds_have_their_seats",
        "UPDATE seats SET hold_id = (SELECT hold_id FROM holds WHERE buyer = 'cleo') \
          WHERE seat_key % 1048576 = 1",
    ),
    (
        "converted_holds_have_their_seats",
        "UPDATE seats SET state = 0, hold_id = NULL WHERE seat_key % 1048576 = 0",
    ),
    ("general_areas_are_those_of_the_plan", "UPDATE general_areas SET section_no = section_no + 1"),
    ("general_areas_are_those_of_the_plan", "DELETE FROM general_areas"),
    (
        "general_areas_are_within_capacity",
        "ALTER TABLE general_areas DROP CONSTRAINT general_areas_within_capacity; \
         UPDATE general_areas SET sold = 9",
    ),
    ("general_areas_count_their_holds", "UPDATE general_areas SET held = held + 1"),
    ("general_areas_count_their_holds", "UPDATE general_areas SET sold = sold - 1"),
    (
        "buyers_are_within_their_limit",
        "ALTER TABLE buyers DROP CONSTRAINT buyers_within_limit; \
         UPDATE buyers SET seats = 7 WHERE buyer = 'bob'",
    ),
    ("buyers_count_their_holds", "UPDATE buyers SET seats = 1 WHERE buyer = 'bob'"),
    ("buyers_count_their_holds", "DELETE FROM buyers WHERE buyer = 'bob'"),
    ("buyers_count_their_holds", "UPDATE buyers SET seats = 1 WHERE buyer = 'dora'"),
    ("holds_cost_their_prices_and_fees", "UPDATE holds SET total = total + 1"),
    ("holds_cost_their_prices_and_fees", "UPDATE holds SET fees = fees || 5::bigint"),
    (
        "holds_list_what_they_count",
        "ALTER TABLE holds DROP CONSTRAINT holds_seats_agree_with_quantity; \
         UPDATE holds SET seats = '{1}' WHERE buyer = 'bob'",
    ),
    (
        "holds_list_what_they_count",
        "ALTER TABLE holds DROP CONSTRAINT holds_prices_agree_with_quantity; \
         UPDATE holds SET unit_prices = '{1}' WHERE buyer = 'bob'",
    ),
    ("holds_list_what_they_count", "UPDATE holds SET seats = '{1, 1}' WHERE buyer = 'bob'"),
    (
        "holds_have_at_most_one_order",
        "ALTER TABLE orders DROP CONSTRAINT orders_one_a_hold; \
         INSERT INTO orders SELECT gen_random_uuid(), hold_id, event_no, buyer, status, total, \
                created_at, ended_at FROM orders WHERE buyer = 'cleo'",
    ),
    ("orders_are_for_their_hold", "UPDATE orders SET total = total + 1 WHERE buyer = 'cleo'"),
    ("orders_are_for_their_hold", "UPDATE orders SET buyer = 'bob' WHERE buyer = 'cleo'"),
    ("orders_are_for_their_hold", "DELETE FROM holds WHERE buyer = 'cleo'"),
    ("open_orders_have_an_active_hold", "UPDATE holds SET status = 2 WHERE buyer = 'cleo'"),
    ("confirmed_orders_have_a_converted_hold", "UPDATE holds SET status = 0 WHERE buyer = 'ana'"),
    ("cancelled_orders_have_a_released_hold", "UPDATE holds SET status = 0 WHERE buyer = 'dora'"),
    ("expired_orders_have_an_expired_hold", "UPDATE holds SET status = 1 WHERE buyer = 'emil'"),
    ("converted_holds_have_a_confirmed_order", "UPDATE holds SET status = 3 WHERE buyer = 'bob'"),
    (
        "confirmed_orders_are_paid_once",
        "UPDATE payment_attempts SET status = 'voided' WHERE buyer = 'ana'",
    ),
    (
        "confirmed_orders_are_paid_once",
        "DROP INDEX payment_attempts_one_sale_an_order; \
         INSERT INTO payment_attempts (attempt_id, order_id, event_no, buyer, fingerprint, method, \
                provider, amount, currency, status, reference, created_at, resolved_at) \
         SELECT gen_random_uuid(), order_id, event_no, buyer, fingerprint, method, provider, amount, \
                currency, status, reference, created_at, resolved_at \
           FROM payment_attempts WHERE buyer = 'ana'",
    ),
    (
        "paying_attempts_have_a_confirmed_order",
        "UPDATE payment_attempts SET status = 'captured', resolved_at = now() WHERE buyer = 'emil'",
    ),
    (
        "attempts_are_for_their_order",
        "UPDATE payment_attempts SET amount = amount - 1 WHERE buyer = 'ana'",
    ),
    (
        "attempts_are_for_their_order",
        "UPDATE payment_attempts SET currency = 'USD' WHERE buyer = 'ana'",
    ),
    (
        "orders_have_at_most_one_open_attempt",
        "DROP INDEX payment_attempts_one_open_an_order; \
         UPDATE payment_attempts SET status = 'verifying', resolved_at = NULL \
          WHERE buyer = 'cleo'",
    ),
    (
        "attempts_with_money_have_a_reference",
        "ALTER TABLE payment_attempts DROP CONSTRAINT payment_attempts_money_has_reference; \
         UPDATE payment_attempts SET reference = NULL WHERE buyer = 'ana'",
    ),
    (
        "attempts_are_resolved_when_final",
        "UPDATE payment_attempts SET resolved_at = NULL WHERE buyer = 'ana'",
    ),
    (
        "attempts_are_resolved_when_final",
        "UPDATE payment_attempts SET resolved_at = now() WHERE status = 'pending'",
    ),
    (
        "bookings_sum_to_zero",
        "ALTER TABLE ledger DISABLE TRIGGER ledger_is_append_only; \
         UPDATE ledger SET amount = amount + 1 WHERE account = 'sales'",
    ),
    (
        "attempts_are_booked_as_they_stand",
        "UPDATE payment_attempts SET status = 'voided' WHERE buyer = 'ana'",
    ),
    (
        "attempts_are_booked_as_they_stand",
        "UPDATE payment_attempts SET reserved = reserved - 1 WHERE buyer = 'ana'",
    ),
    (
        "attempts_are_booked_as_they_stand",
        "INSERT INTO ledger (attempt_id, order_id, event_no, kind, account, amount, currency) \
         SELECT attempt_id, order_id, event_no, 'refund', account, posted, currency \
           FROM payment_attempts, (VALUES ('provider', -1), ('owed', 1)) AS p (account, posted) \
          WHERE buyer = 'emil'",
    ),
    (
        "refunds_are_booked_when_settled",
        "UPDATE refunds SET status = 'settled', resolved_at = now() WHERE status = 'due'",
    ),
    (
        // One that came back is booked so, and was paid anew.
        "refunds_are_booked_when_settled",
        "UPDATE refunds SET status = 'due', resolved_at = NULL \
          WHERE order_id = (SELECT order_id FROM orders WHERE buyer = 'max')",
    ),
    (
        "refunds_take_back_sales_and_fees_in_proportion",
        "ALTER TABLE ledger DISABLE TRIGGER ledger_is_append_only; \
         UPDATE ledger SET amount = amount + CASE account WHEN 'fees' THEN 1 ELSE -1 END \
          WHERE kind = 'fee' AND name <> ''",
    ),
    (
        "captures_belong_to_a_confirmed_order_whose_tickets_sum_to_them",
        "DELETE FROM tickets WHERE seat_key IS NOT NULL",
    ),
    (
        "captures_belong_to_a_confirmed_order_whose_tickets_sum_to_them",
        "UPDATE orders SET status = 2 WHERE buyer = 'ana'",
    ),
    (
        "reserved_money_has_not_lapsed",
        "UPDATE payment_attempts SET status = 'confirmed', resolved_at = NULL, \
                lapses_at = now() - interval '1 hour' WHERE buyer = 'ana'",
    ),
    (
        "sold_seats_have_one_ticket_of_their_order",
        "UPDATE tickets SET status = 1 WHERE seat_key IS NOT NULL",
    ),
    (
        "sold_seats_have_one_ticket_of_their_order",
        "UPDATE tickets SET order_id = (SELECT order_id FROM orders WHERE buyer = 'gus') \
          WHERE seat_key IS NOT NULL",
    ),
    (
        "sold_seats_have_one_ticket_of_their_order",
        "DROP INDEX tickets_one_valid_a_seat; \
         INSERT INTO tickets SELECT gen_random_uuid(), order_id, event_no, section_no, seat_key, \
                status, issued_at FROM tickets WHERE seat_key IS NOT NULL",
    ),
    (
        "tickets_in_force_are_for_sold_seats",
        "UPDATE tickets SET seat_key = seat_key + 7 WHERE seat_key IS NOT NULL",
    ),
    (
        "tickets_in_force_are_of_confirmed_orders",
        "UPDATE tickets SET order_id = (SELECT order_id FROM orders WHERE buyer = 'cleo') \
          WHERE seat_key IS NULL",
    ),
    (
        "tickets_in_force_are_of_confirmed_orders",
        "UPDATE orders SET status = 0 WHERE buyer = 'gus'",
    ),
    (
        "confirmed_orders_have_all_their_tickets",
        "DELETE FROM tickets WHERE ctid IN (SELECT ctid FROM tickets WHERE seat_key IS NULL LIMIT 1)",
    ),
    ("used_tickets_were_accepted_once", "UPDATE tickets SET status = 2 WHERE seat_key IS NOT NULL"),
    (
        "accepted_scans_used_their_ticket",
        "INSERT INTO ticket_scans \
         SELECT 's', decode(repeat('00', 32), 'hex'), now(), 'gate', 0, ticket_id, event_no \
           FROM tickets WHERE seat_key IS NOT NULL AND status = 0 LIMIT 1",
    ),
    ("events_have_one_head", "DELETE FROM event_heads"),
    ("outbox_reaches_from_the_first_batch_to_the_head", "DELETE FROM outbox WHERE seq = 3"),
    ("outbox_reaches_from_the_first_batch_to_the_head", "UPDATE event_heads SET seq = seq - 1"),
    (
        "outbox_reaches_from_the_first_batch_to_the_head",
        "UPDATE outbox SET seq = seq + 1 WHERE seq = (SELECT max(seq) FROM outbox)",
    ),
    (
        "void_tickets_came_back_once",
        "UPDATE tickets SET status = 1 FROM orders o \
          WHERE o.order_id = tickets.order_id AND o.buyer = 'ana'",
    ),
    (
        "void_tickets_came_back_once",
        "INSERT INTO refunds SELECT gen_random_uuid(), order_id, event_no, fingerprint, cause, reason, \
                who, amount, currency, tickets, status, 0, created_at, resolved_at FROM refunds",
    ),
    ("refunds_are_of_void_tickets", "UPDATE tickets SET status = 2 WHERE status = 1"),
    (
        "refunds_are_of_void_tickets",
        "UPDATE refunds r SET order_id = o.order_id FROM orders o WHERE o.buyer = 'ana'",
    ),
    ("refunds_are_within_their_orders_total", "UPDATE refunds SET amount = 90000"),
    ("order_streams_have_no_gap", "DELETE FROM order_outbox WHERE version = 2"),
    ("order_streams_have_no_gap", "UPDATE order_streams SET version = version + 1"),
    (
        "what_was_told_last_of_money_is_so",
        "UPDATE order_outbox SET status = 'pending' WHERE status = 'captured'",
    ),
    (
        "what_was_told_last_of_money_is_so",
        "UPDATE refunds SET status = 'settled', resolved_at = clock_timestamp() WHERE status = 'due'; \
         UPDATE order_outbox SET status = 'none' WHERE of = 'refund'",
    ),
    (
        "what_was_told_last_of_money_is_so",
        "UPDATE order_outbox SET amount = amount + 1 WHERE of = 'refund'",
    ),
    ("queue_places_are_numbered_without_a_gap", "DELETE FROM queue_tickets WHERE number = 3"),
    (
        "queue_places_are_numbered_without_a_gap",
        "UPDATE queue_tickets SET number = 4 WHERE number = 3",
    ),
    ("queue_places_are_numbered_without_a_gap", "DELETE FROM queue_heads"),
    ("nobody_has_two_places_in_a_draw", "UPDATE queue_tickets SET buyer = 'cleo' WHERE number = 0"),
    (
        "nobody_has_two_places_in_a_draw",
        "UPDATE queue_heads SET present = NULL, value = NULL, opened_at = NULL, served = 0",
    ),
    (
        "draws_are_of_those_present",
        "UPDATE queue_tickets SET ticket_id = gen_random_uuid() WHERE number = 2",
    ),
    ("draws_are_of_those_present", "UPDATE queue_heads SET present = 2"),
    ("the_last_call_is_the_heads", "DELETE FROM queue_calls WHERE served = 2"),
    ("the_last_call_is_the_heads", "UPDATE queue_heads SET served = 1"),
    (
        "no_more_have_come_than_were_called",
        "UPDATE queue_tickets SET turn = 0, turned_at = now() WHERE number > 0",
    ),
];
