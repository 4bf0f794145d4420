-- The row-lock way as a transaction of several statements, one to a paragraph. Same tables, same order of
-- locks and same rules as the function in function.sql; `name`s tell them apart.

/* begin */ BEGIN;

-- $1 event, $2 seat keys, $3 buyer, $4 limit. Without locks: overdue holds in the way, and the buyer's own
-- where they alone make him exceed the limit.
/* look */ WITH t AS MATERIALIZED (SELECT clock_timestamp() AS at),
way AS MATERIALIZED (
    SELECT h.hold_id, h.buyer, h.quantity, h.seats, s.state <> 1 OR h.expires_at > t.at AS taken
      FROM t, seats s JOIN holds h ON h.hold_id = s.hold_id
     WHERE s.seat_key = ANY ($2)),
own AS MATERIALIZED (
    SELECT b.seats, b.hold_ids FROM buyers b WHERE b.event_no = $1 AND b.buyer = $3),
over AS (
    SELECT hold_id, buyer, quantity, seats FROM way
     UNION ALL
    SELECT h.hold_id, h.buyer, h.quantity, h.seats
      FROM t, own CROSS JOIN unnest(own.hold_ids) AS had JOIN holds h ON h.hold_id = had
     WHERE own.seats + cardinality($2::bigint[]) > $4::integer AND h.status = 0 AND h.expires_at <= t.at),
once AS MATERIALIZED (SELECT DISTINCT ON (hold_id) * FROM over ORDER BY hold_id)
SELECT t.at, coalesce((SELECT bool_or(taken) FROM way), false), (SELECT seats FROM own),
       coalesce((SELECT array_agg(hold_id ORDER BY hold_id) FROM once), '{}'),
       coalesce((SELECT array_agg(buyer ORDER BY hold_id) FROM once), '{}'),
       coalesce((SELECT array_agg(quantity ORDER BY hold_id) FROM once), '{}'),
       coalesce((SELECT array_agg($1::bigint * 1048576 + seat_index)
                   FROM once, unnest(seats) AS seat_index), '{}')
  FROM t;

-- $1 event, $2 buyer, $3 limit.
/* add_buyer */ INSERT INTO buyers (event_no, buyer, seats, seats_max, hold_ids)
VALUES ($1, $2, 0, $3, '{}') ON CONFLICT DO NOTHING;

-- $1 event, $2 buyers of overdue holds, $3 buyer.
/* lock_buyers */ WITH locked AS (
    SELECT b.buyer, b.seats FROM buyers b
     WHERE b.event_no = $1 AND b.buyer = ANY ($2::text[] || $3::text) ORDER BY b.buyer FOR UPDATE)
SELECT max(seats) FILTER (WHERE buyer = $3) FROM locked;

-- $1 keys of seats of overdue holds, $2 seat keys, $3 overdue holds, $4 the new hold.
/* lock_seats */ WITH locked AS (
    SELECT s.hold_id, s.state FROM seats s
     WHERE s.seat_key = ANY ($1::bigint[] || $2::bigint[]) ORDER BY s.seat_key FOR UPDATE)
SELECT count(*) FILTER (WHERE state <> 0 AND hold_id <> ALL ($3)),
       count(*) FILTER (WHERE hold_id = ANY ($3)),
       (SELECT fingerprint FROM holds WHERE hold_id = $4)
  FROM locked;

-- $1 event, $2 buyer, $3 seat keys, $4 keys of seats of overdue holds, $5 overdue holds, $6 their buyers,
-- $7 their quantities, $8 the new hold, $9 fingerprint, $10 prices, $11 fees, $12 total, $13 at, $14 limit,
-- $15 life in microseconds, $16 seats that the buyer still has.
/* write */ WITH seat AS (
    UPDATE seats s
       SET state = CASE WHEN s.seat_key = ANY ($3::bigint[]) THEN 1 ELSE 0 END,
           hold_id = CASE WHEN s.seat_key = ANY ($3::bigint[]) THEN $8::uuid END
     WHERE s.seat_key = ANY ($4::bigint[] || $3::bigint[])),
ended AS (
    UPDATE holds h SET status = 2, ended_at = $13 WHERE h.hold_id = ANY ($5::uuid[])),
other AS (
    UPDATE buyers b SET seats = b.seats - (SELECT sum(o.quantity)
            FROM unnest($6::text[], $7::integer[]) AS o (buyer, quantity) WHERE o.buyer = b.buyer)
     WHERE b.event_no = $1 AND b.buyer = ANY ($6::text[]) AND b.buyer <> $2),
own AS (
    UPDATE buyers b
       SET seats = $16::integer + cardinality($3::bigint[]), seats_max = $14,
           hold_ids = CASE WHEN $16 = 0 THEN ARRAY[$8::uuid] ELSE b.hold_ids || $8::uuid END
     WHERE b.event_no = $1 AND b.buyer = $2),
placed AS (
    INSERT INTO holds (hold_id, event_no, buyer, fingerprint, seats, quantity,
                       unit_prices, fees, total, status, created_at, expires_at)
    VALUES ($8, $1, $2, $9,
            ARRAY(SELECT (k - $1::bigint * 1048576)::integer FROM unnest($3::bigint[]) k),
            cardinality($3::bigint[]), $10, $11, $12, 0, $13,
            $13::timestamptz + $15::bigint * interval '1 microsecond'))
INSERT INTO outbox (event_no, placed, expired, at) VALUES ($1, $8, $5, $13);

/* commit */ COMMIT;

/* rollback */ ROLLBACK;
