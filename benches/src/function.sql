-- The way that the engine was chosen over, in its best form: rows are locked, one function call a hold.
--
-- Same rows and same rules as the product's tables, in a schema of its own. Locks are taken in one
-- order, buyers by name and then seats by key, so nothing deadlocks: what is found without a lock is
-- locked and looked at again. Prices and fees come with the call, as the engine has them in memory.

CREATE SCHEMA row_lock;
SET search_path = row_lock, public;

CREATE TABLE row_lock.seats (LIKE public.seats INCLUDING ALL)
    WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.5);

-- hold_ids: the buyer's active holds, some perhaps ended since; no index is needed to find them.
CREATE TABLE row_lock.buyers (LIKE public.buyers INCLUDING ALL, hold_ids uuid[] NOT NULL)
    WITH (fillfactor = 25);

CREATE TABLE row_lock.holds (LIKE public.holds INCLUDING ALL)
    WITH (fillfactor = 50);

-- Without an index: the last page of one by number was what all connections waited for.
CREATE TABLE row_lock.outbox (
    event_no integer NOT NULL,
    placed   uuid NOT NULL,
    expired  uuid[] NOT NULL,
    at       timestamptz NOT NULL
);

INSERT INTO row_lock.seats SELECT * FROM public.seats ORDER BY seat_key;

-- 'granted', 'replayed', 'key-reused', 'seats-unavailable' or 'buyer-limit-exceeded'; 'again' if a seat
-- changed hands between the look and the lock. `seat_keys` ascend.
CREATE FUNCTION row_lock.place_hold(
    of_event integer, new_hold uuid, new_buyer text, new_fingerprint bytea,
    seat_keys bigint[], new_prices bigint[], new_fees bigint[], new_total bigint,
    ttl_micros bigint, limit_seats integer
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    at timestamptz := clock_timestamp();
    wanted integer := cardinality(seat_keys);
    taken boolean;
    seats_had integer;
    holds_had uuid[];
    known bytea;
    over uuid[];
    over_buyers text[] := '{}';
    over_quantities integer[] := '{}';
    over_seat_keys bigint[] := '{}';
    not_ours bigint;
    still_over bigint;
BEGIN
    -- A look without locks: overdue holds in the way, or seats that cannot be had.
    SELECT coalesce(bool_or(s.state <> 1 OR h.expires_at > at), false),
           coalesce(array_agg(DISTINCT h.hold_id), '{}')
      INTO taken, over
      FROM seats s JOIN holds h ON h.hold_id = s.hold_id
     WHERE s.seat_key = ANY (seat_keys);

    SELECT b.seats, b.hold_ids INTO seats_had, holds_had
      FROM buyers b WHERE b.event_no = of_event AND b.buyer = new_buyer;
    IF NOT FOUND THEN
        INSERT INTO buyers (event_no, buyer, seats, seats_max, hold_ids)
        VALUES (of_event, new_buyer, 0, limit_seats, '{}') ON CONFLICT DO NOTHING;
    ELSIF NOT taken AND seats_had + wanted > limit_seats THEN
        SELECT over || coalesce(array_agg(h.hold_id), '{}') INTO over
          FROM holds h
         WHERE h.hold_id = ANY (holds_had) AND h.hold_id <> ALL (over)
           AND h.status = 0 AND h.expires_at <= at;
    END IF;

    IF NOT taken AND cardinality(over) > 0 THEN
        SELECT array_agg(h.buyer ORDER BY h.hold_id), array_agg(h.quantity ORDER BY h.hold_id),
               array_agg(h.hold_id ORDER BY h.hold_id)
          INTO over_buyers, over_quantities, over
          FROM holds h WHERE h.hold_id = ANY (over);
        SELECT array_agg(of_event::bigint * 1048576 + seat_index) INTO over_seat_keys
          FROM holds h, unnest(h.seats) AS seat_index WHERE h.hold_id = ANY (over);
    END IF;

    -- Buyers, by name. One's own row also keeps two requests of one key apart.
    WITH locked AS (
        SELECT b.buyer, b.seats, b.hold_ids FROM buyers b
         WHERE b.event_no = of_event AND b.buyer = ANY (over_buyers || new_buyer)
         ORDER BY b.buyer FOR UPDATE)
    SELECT max(l.seats) FILTER (WHERE l.buyer = new_buyer) INTO seats_had FROM locked l;

    SELECT h.fingerprint INTO known FROM holds h WHERE h.hold_id = new_hold;
    IF FOUND THEN
        RETURN CASE WHEN known = new_fingerprint THEN 'replayed' ELSE 'key-reused' END;
    END IF;
    IF taken THEN
        RETURN 'seats-unavailable';
    END IF;

    -- Seats, by key.
    WITH locked AS (
        SELECT s.seat_key, s.hold_id, s.state FROM seats s
         WHERE s.seat_key = ANY (over_seat_keys || seat_keys)
         ORDER BY s.seat_key FOR UPDATE)
    SELECT count(*) FILTER (WHERE l.state <> 0 AND l.hold_id <> ALL (over)),
           count(*) FILTER (WHERE l.hold_id = ANY (over))
      INTO not_ours, still_over FROM locked l;
    IF not_ours > 0 OR still_over <> cardinality(over_seat_keys) THEN
        RETURN 'again';
    END IF;

    seats_had := seats_had - (SELECT coalesce(sum(o.quantity), 0)
        FROM unnest(over_buyers, over_quantities) AS o (buyer, quantity) WHERE o.buyer = new_buyer);
    IF seats_had + wanted > limit_seats THEN
        RETURN 'buyer-limit-exceeded';
    END IF;

    IF cardinality(over) > 0 THEN
        UPDATE seats s
           SET state = CASE WHEN s.seat_key = ANY (seat_keys) THEN 1 ELSE 0 END,
               hold_id = CASE WHEN s.seat_key = ANY (seat_keys) THEN new_hold END
         WHERE s.seat_key = ANY (over_seat_keys || seat_keys);
        UPDATE holds h SET status = 2, ended_at = at WHERE h.hold_id = ANY (over);
        UPDATE buyers b SET seats = b.seats - (SELECT sum(o.quantity)
                FROM unnest(over_buyers, over_quantities) AS o (buyer, quantity) WHERE o.buyer = b.buyer)
         WHERE b.event_no = of_event AND b.buyer = ANY (over_buyers) AND b.buyer <> new_buyer;
    ELSE
        UPDATE seats s SET state = 1, hold_id = new_hold WHERE s.seat_key = ANY (seat_keys);
    END IF;
    UPDATE buyers b
       SET seats = seats_had + wanted, seats_max = limit_seats,
           hold_ids = CASE WHEN seats_had = 0 THEN ARRAY[new_hold] ELSE b.hold_ids || new_hold END
     WHERE b.event_no = of_event AND b.buyer = new_buyer;
    INSERT INTO holds (hold_id, event_no, buyer, fingerprint, seats, quantity,
                       unit_prices, fees, total, status, created_at, expires_at)
    VALUES (new_hold, of_event, new_buyer, new_fingerprint,
            ARRAY(SELECT (k - of_event::bigint * 1048576)::integer FROM unnest(seat_keys) k), wanted,
            new_prices, new_fees, new_total, 0, at, at + ttl_micros * interval '1 microsecond');
    INSERT INTO outbox (event_no, placed, expired, at) VALUES (of_event, new_hold, over, at);
    RETURN 'granted';
END $$;
