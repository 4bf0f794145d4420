-- The lane's two statements. Each is one call in autocommit, so its commit is the batch's.
--
-- The head comes first: whoever moves it holds its row's lock to the end, so nobody else writes this
-- event's rows meanwhile, and a stale owner is told so before anything is compared. Then each row is
-- compared with what memory believed; a count that differs is a breach. Errors of our own:
--   TQ001 fenced; TQ002 the time is off; TQ003 rows are not as believed; TQ004 holds exist already.

-- Fails with TQ003 unless as many rows were changed as were to be.
CREATE FUNCTION rows_as_believed(of_table text, changed bigint, expected bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF changed <> expected THEN
        RAISE EXCEPTION USING ERRCODE = 'TQ003', TABLE = of_table,
            MESSAGE = format('%s: %s of %s rows were as believed', of_table, changed, expected);
    END IF;
END $$;

-- Matches the head and advances it by so many batches. Two seconds: beyond that a hold's end means
-- something else here than it does to the owner.
CREATE FUNCTION match_head(
    of_event integer, of_epoch bigint, after_seq bigint, sent_at timestamptz, batches bigint
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    changed bigint;
BEGIN
    UPDATE event_heads h
       SET seq = h.seq + batches, decided_at = greatest(h.decided_at, sent_at)
     WHERE h.event_no = of_event AND h.epoch = of_epoch AND h.seq = after_seq;
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'TQ001', MESSAGE = 'fenced';
    END IF;
    IF sent_at NOT BETWEEN clock_timestamp() - interval '2 seconds'
                       AND clock_timestamp() + interval '2 seconds' THEN
        RAISE EXCEPTION USING ERRCODE = 'TQ002',
            MESSAGE = format('the batch says %s, the database %s', sent_at, clock_timestamp());
    END IF;
END $$;

-- For answers without rows: proves that the owner still is the owner, advances nothing. Returns the
-- database's time.
CREATE FUNCTION check_head(
    of_event integer, of_epoch bigint, after_seq bigint, sent_at timestamptz
) RETURNS timestamptz
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM match_head(of_event, of_epoch, after_seq, sent_at, 0);
    RETURN clock_timestamp();
END $$;

CREATE FUNCTION instant(micros bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE
-- In two steps, since an interval's factor is a float: it would round far instants.
RETURN 'epoch'::timestamptz + (micros / 1000000) * interval '1 second'
       + (micros % 1000000) * interval '1 microsecond';

-- What operators do, which is in fewer batches yet.
CREATE FUNCTION amend_event(of_event integer, amendments jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    changed bigint;
BEGIN
    UPDATE general_areas a
       SET capacity = it.capacity
      FROM jsonb_to_recordset(amendments -> 'capacities')
        AS it (section_no smallint, was integer, capacity integer)
     WHERE a.event_no = of_event AND a.section_no = it.section_no AND a.capacity = it.was;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM rows_as_believed('general_areas', changed, coalesce(
        jsonb_array_length(amendments -> 'capacities'), 0));

    IF amendments ? 'event' THEN
        UPDATE events e
           SET name = coalesce(it.name, e.name),
               description = coalesce(it.description, e.description),
               category = coalesce(it.category, e.category),
               conditions = coalesce(it.conditions, e.conditions),
               starts_at = coalesce(instant(it.starts_at), e.starts_at),
               opens_at = coalesce(instant(it.opens_at), e.opens_at),
               closes_at = coalesce(instant(it.closes_at), e.closes_at),
               hold_ttl_seconds = coalesce(it.hold_ttl_seconds, e.hold_ttl_seconds),
               buyer_seats_max = coalesce(it.buyer_seats_max, e.buyer_seats_max),
               waiting_room = coalesce(it.waiting_room, e.waiting_room),
               paused = coalesce(it.paused, e.paused),
               verifying_extension_seconds =
                   coalesce(it.verifying_extension_seconds, e.verifying_extension_seconds),
               cancelled = coalesce(it.cancelled, e.cancelled)
          FROM jsonb_to_record(amendments -> 'event')
            AS it (name text, description text, category text, conditions text, starts_at bigint,
                   opens_at bigint, closes_at bigint, hold_ttl_seconds integer,
                   buyer_seats_max integer, waiting_room boolean, paused boolean,
                   verifying_extension_seconds integer, cancelled boolean)
         WHERE e.event_no = of_event;
        GET DIAGNOSTICS changed = ROW_COUNT;
        PERFORM rows_as_believed('events', changed, 1);
    END IF;

    UPDATE event_tiers t
       SET price = it.price
      FROM jsonb_to_recordset(amendments -> 'prices') AS it (tier_no smallint, price bigint)
     WHERE t.event_no = of_event AND t.tier_no = it.tier_no;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM rows_as_believed('event_tiers', changed, coalesce(
        jsonb_array_length(amendments -> 'prices'), 0));

    IF amendments ? 'artists' THEN
        DELETE FROM event_artists WHERE event_no = of_event;
        INSERT INTO artists (artist_id, slug, name)
        SELECT it.artist_id, it.slug, it.name
          FROM jsonb_to_recordset(amendments -> 'artists')
            AS it (artist_id uuid, slug text, name text)
         ORDER BY it.slug
            ON CONFLICT (slug) DO NOTHING;
        INSERT INTO event_artists (event_no, place, artist_id)
        SELECT of_event, it.place, a.artist_id
          FROM jsonb_to_recordset(amendments -> 'artists') AS it (place smallint, slug text)
          JOIN artists a USING (slug);
    END IF;

    INSERT INTO operator_actions (action_id, event_no, at, who, what, why, detail)
    SELECT it.action_id, of_event, instant(it.at), it.who, it.what, it.why, it.detail
      FROM jsonb_to_recordset(amendments -> 'actions')
        AS it (action_id uuid, at bigint, who text, what text, why text, detail jsonb);
END $$;

-- Sold tickets that come back. Whether a ticket has been scanned is not the lane's: valid or used, it is
-- void from now on. Tickets that the same batch issues are inserted as void, and are not among these.
CREATE FUNCTION take_back(of_event integer, amendments jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    changed bigint;
BEGIN
    MERGE INTO tickets t
    USING jsonb_to_recordset(amendments -> 'returned_tickets') AS it (ticket_id uuid, order_id uuid)
    ON t.ticket_id = it.ticket_id
    WHEN MATCHED AND t.event_no = of_event AND t.order_id = it.order_id AND t.status <> 1 THEN
        UPDATE SET status = 1
    WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM rows_as_believed('tickets', changed,
        jsonb_array_length(amendments -> 'returned_tickets'));

    INSERT INTO refunds (refund_id, order_id, event_no, fingerprint, cause, reason, who, amount,
                         currency, tickets, status, created_at, resolved_at)
    SELECT it.refund_id, o.order_id, of_event, decode(it.fingerprint, 'hex'), it.cause, it.reason,
           it.who, it.amount, e.currency, it.tickets,
           CASE WHEN it.amount > 0 THEN 'due' ELSE 'none' END, instant(it.at),
           CASE WHEN it.amount = 0 THEN instant(it.at) END
      FROM jsonb_to_recordset(amendments -> 'refunds')
        AS it (refund_id uuid, order_id uuid, fingerprint text, cause text, reason text, who text,
               amount bigint, tickets uuid[], at bigint)
      JOIN orders o ON o.order_id = it.order_id AND o.event_no = of_event AND o.status = 1
      JOIN events e ON e.event_no = of_event;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM rows_as_believed('orders', changed, jsonb_array_length(amendments -> 'refunds'));
END $$;

-- What few batches do, in one document, so that the others do not pay for it:
--   reduced_holds: older holds of which a part is given back, as they are at the end of the batch;
--   reduced_places: all places of general sections that these still have;
--   extended_holds: holds that live longer, each once;
--   returned_tickets: older tickets that are void from now on;
--   refunds: which tickets came back together, and what is owed for them;
--   capacities: of general sections; in a batch after which they have room for what is in them;
--   event: the event's columns that are other ones now;
--   prices: the event's tiers that cost something else;
--   artists: who plays, in order, from now on;
--   actions: the trail of what operators did.
-- Times are microseconds of the Unix epoch.
CREATE FUNCTION amend(of_event integer, amendments jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    changed bigint;
BEGIN
    -- MERGE for the reason that append_batch gives; its settings are in force here too.
    MERGE INTO holds h
    USING jsonb_to_recordset(amendments -> 'reduced_holds')
       AS it (hold_id uuid, was integer, seats integer[], quantity integer, unit_prices bigint[],
              fees bigint[], total bigint, status smallint, ended_at bigint)
    ON h.hold_id = it.hold_id
    WHEN MATCHED AND h.event_no = of_event AND h.status = 0 AND h.quantity = it.was THEN
        UPDATE SET seats = it.seats, quantity = it.quantity, unit_prices = it.unit_prices,
            fees = it.fees, total = it.total, status = it.status, ended_at = instant(it.ended_at)
    WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM rows_as_believed('holds', changed, coalesce(
        jsonb_array_length(amendments -> 'reduced_holds'), 0));
    MERGE INTO hold_places p
    USING jsonb_to_recordset(amendments -> 'reduced_holds') AS it (hold_id uuid)
    ON p.hold_id = it.hold_id
    WHEN MATCHED THEN DELETE
    WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
    INSERT INTO hold_places (hold_id, section_no, place, quantity)
    SELECT it.hold_id, it.section_no, it.place, it.quantity
      FROM jsonb_to_recordset(amendments -> 'reduced_places')
        AS it (hold_id uuid, section_no smallint, place smallint, quantity integer);
    IF amendments ? 'extended_holds' THEN
        -- Whatever the same batch has made of it.
        MERGE INTO holds h
        USING jsonb_to_recordset(amendments -> 'extended_holds')
           AS it (hold_id uuid, was bigint, expires_at bigint)
        ON h.hold_id = it.hold_id
        WHEN MATCHED AND h.event_no = of_event AND NOT h.extended
                     AND h.expires_at = instant(it.was) THEN
            UPDATE SET expires_at = instant(it.expires_at), extended = true
        WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
        GET DIAGNOSTICS changed = ROW_COUNT;
        PERFORM rows_as_believed('holds', changed,
            jsonb_array_length(amendments -> 'extended_holds'));
    END IF;
    IF amendments ? 'refunds' THEN
        PERFORM take_back(of_event, amendments);
    END IF;
    IF amendments ? 'actions' THEN
        PERFORM amend_event(of_event, amendments);
    END IF;
END $$;

-- What a batch brings, a row each. Arrays of rows take 9 % less of a batch than an array a column:
-- the server reads each row once, and the lists of a hold come as they are.
CREATE TYPE seat_change AS
    (seat_key bigint, state_was smallint, hold_was uuid, state smallint, hold_id uuid);
CREATE TYPE area_change AS
    (section_no smallint, held_was integer, sold_was integer, held integer, sold integer);
CREATE TYPE buyer_change AS (buyer text, seats_were integer, seats integer);
CREATE TYPE new_hold AS (
    hold_id uuid, buyer text, fingerprint bytea, seats integer[], quantity integer,
    unit_prices bigint[], fees bigint[], total bigint, status smallint,
    created_at timestamptz, expires_at timestamptz, ended_at timestamptz, remarks jsonb);
CREATE TYPE new_place AS (hold_id uuid, section_no smallint, place smallint, quantity integer);
CREATE TYPE hold_end AS (hold_id uuid, status smallint, ended_at timestamptz);
CREATE TYPE new_order AS (
    order_id uuid, hold_id uuid, buyer text, status smallint, total bigint,
    created_at timestamptz, ended_at timestamptz);
CREATE TYPE order_end AS (order_id uuid, status smallint, ended_at timestamptz);
CREATE TYPE attempt_verdict AS (attempt_id uuid, status text);
CREATE TYPE new_ticket AS (
    ticket_id uuid, order_id uuid, section_no smallint, seat_key bigint, status smallint);
CREATE TYPE new_receipt AS (
    receipt_id uuid, fingerprint bytea, result smallint, order_id uuid, detail text,
    created_at timestamptz);

-- Writes a batch, all or nothing, and returns the database's time.
--
-- Each array is sorted by its key; an empty one costs nothing.
--
-- Rows are changed by MERGE with an arm that never inserts (or, for buyers, may): such a join is an
-- outer one, which a nested loop can run in one direction only, and the settings leave no other
-- join. So it is always the given rows, then the key's index, even where the plan is kept from a
-- time when the table was empty; UPDATE … FROM then read the whole event once for each row given.
CREATE FUNCTION append_batch(
    of_event integer, of_epoch bigint, after_seq bigint, sent_at timestamptz,
    seat_changes seat_change[], area_changes area_change[], buyer_changes buyer_change[],
    new_holds new_hold[], new_places new_place[], hold_ends hold_end[],
    new_orders new_order[], order_ends order_end[], verdicts attempt_verdict[],
    new_tickets new_ticket[], new_receipts new_receipt[],
    amendments jsonb,
    history bytea
) RETURNS timestamptz
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET enable_memoize = off
AS $$
DECLARE
    changed bigint;
    seats_limit integer;
    known uuid[];
BEGIN
    PERFORM match_head(of_event, of_epoch, after_seq, sent_at, 1);

    IF cardinality(seat_changes) > 0 THEN
        MERGE INTO seats s
        USING unnest(seat_changes) AS it
        ON s.seat_key = it.seat_key
        WHEN MATCHED AND s.state = it.state_was AND s.hold_id IS NOT DISTINCT FROM it.hold_was THEN
            UPDATE SET state = it.state, hold_id = it.hold_id
        WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> cardinality(seat_changes) THEN
            PERFORM rows_as_believed('seats', changed, cardinality(seat_changes));
        END IF;
    END IF;

    IF cardinality(area_changes) > 0 THEN
        MERGE INTO general_areas a
        USING unnest(area_changes) AS it
        ON a.event_no = of_event AND a.section_no = it.section_no
        WHEN MATCHED AND a.held = it.held_was AND a.sold = it.sold_was THEN
            UPDATE SET held = it.held, sold = it.sold
        WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> cardinality(area_changes) THEN
            PERFORM rows_as_believed('general_areas', changed, cardinality(area_changes));
        END IF;
    END IF;

    IF cardinality(buyer_changes) > 0 THEN
        -- A limit that was lowered since keeps nobody from giving seats back.
        SELECT e.buyer_seats_max INTO STRICT seats_limit FROM events e WHERE e.event_no = of_event;
        MERGE INTO buyers b
        USING unnest(buyer_changes) AS it
        ON b.event_no = of_event AND b.buyer = it.buyer
        WHEN MATCHED AND b.seats = it.seats_were THEN
            UPDATE SET seats = it.seats, seats_max =
                CASE WHEN it.seats > it.seats_were THEN seats_limit
                     ELSE greatest(seats_limit, it.seats) END
        WHEN NOT MATCHED AND it.seats_were = 0 THEN
            INSERT (event_no, buyer, seats, seats_max)
            VALUES (of_event, it.buyer, it.seats, seats_limit);
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> cardinality(buyer_changes) THEN
            PERFORM rows_as_believed('buyers', changed, cardinality(buyer_changes));
        END IF;
    END IF;

    IF cardinality(new_holds) > 0 THEN
        -- A subtransaction costs less than ON CONFLICT, which looks each key up twice.
        BEGIN
            INSERT INTO holds (hold_id, event_no, buyer, fingerprint, seats, quantity, unit_prices,
                               fees, total, status, created_at, expires_at, ended_at, remarks)
            SELECT it.hold_id, of_event, it.buyer, it.fingerprint, it.seats, it.quantity,
                   it.unit_prices, it.fees, it.total, it.status, it.created_at, it.expires_at,
                   it.ended_at, it.remarks
              FROM unnest(new_holds) AS it;
        EXCEPTION WHEN unique_violation THEN
            -- Its own rows are gone again: what is found was there before.
            SELECT array_agg(h.hold_id) INTO known
              FROM unnest(new_holds) AS it JOIN holds h ON h.hold_id = it.hold_id;
            RAISE EXCEPTION USING ERRCODE = 'TQ004', MESSAGE = 'holds exist already',
                DETAIL = array_to_string(known, ' ');
        END;
    END IF;

    IF cardinality(new_places) > 0 THEN
        INSERT INTO hold_places (hold_id, section_no, place, quantity)
        SELECT it.hold_id, it.section_no, it.place, it.quantity FROM unnest(new_places) AS it;
    END IF;

    IF cardinality(hold_ends) > 0 THEN
        MERGE INTO holds h
        USING unnest(hold_ends) AS it
        ON h.hold_id = it.hold_id
        WHEN MATCHED AND h.status = 0 THEN UPDATE SET status = it.status, ended_at = it.ended_at
        WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> cardinality(hold_ends) THEN
            PERFORM rows_as_believed('holds', changed, cardinality(hold_ends));
        END IF;
    END IF;

    IF cardinality(new_orders) > 0 THEN
        INSERT INTO orders (order_id, hold_id, event_no, buyer, status, total, created_at, ended_at)
        SELECT it.order_id, it.hold_id, of_event, it.buyer, it.status, it.total, it.created_at,
               it.ended_at
          FROM unnest(new_orders) AS it;
    END IF;

    IF cardinality(order_ends) > 0 THEN
        MERGE INTO orders o
        USING unnest(order_ends) AS it
        ON o.order_id = it.order_id
        WHEN MATCHED AND o.status = 0 THEN UPDATE SET status = it.status, ended_at = it.ended_at
        WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> cardinality(order_ends) THEN
            PERFORM rows_as_believed('orders', changed, cardinality(order_ends));
        END IF;
    END IF;

    IF cardinality(verdicts) > 0 THEN
        MERGE INTO payment_attempts p
        USING unnest(verdicts) AS it
        ON p.attempt_id = it.attempt_id
        WHEN MATCHED AND p.status = 'authorized' THEN UPDATE SET status = it.status
        WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> cardinality(verdicts) THEN
            PERFORM rows_as_believed('payment_attempts', changed, cardinality(verdicts));
        END IF;
    END IF;

    -- Before new tickets: what comes back may be sold again in the same batch.
    IF amendments IS NOT NULL THEN
        PERFORM amend(of_event, amendments);
    END IF;

    IF cardinality(new_tickets) > 0 THEN
        INSERT INTO tickets (ticket_id, order_id, event_no, section_no, seat_key, status, issued_at)
        SELECT it.ticket_id, it.order_id, of_event, it.section_no, it.seat_key, it.status, sent_at
          FROM unnest(new_tickets) AS it;
    END IF;

    IF cardinality(new_receipts) > 0 THEN
        -- operation 0: orders, the only one that the lane remembers.
        INSERT INTO receipts (receipt_id, event_no, operation, fingerprint, result, order_id, detail,
                              created_at)
        SELECT it.receipt_id, of_event, 0, it.fingerprint, it.result, it.order_id, it.detail,
               it.created_at
          FROM unnest(new_receipts) AS it
        -- A key that memory may have forgotten, after its time, is decided anew.
        ON CONFLICT (receipt_id) DO UPDATE
            SET fingerprint = excluded.fingerprint, result = excluded.result,
                order_id = excluded.order_id, detail = excluded.detail,
                created_at = excluded.created_at
            WHERE receipts.operation = 0
              AND receipts.created_at < excluded.created_at - interval '24 hours';
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> cardinality(new_receipts) THEN
            PERFORM rows_as_believed('receipts', changed, cardinality(new_receipts));
        END IF;
    END IF;

    INSERT INTO outbox (event_no, seq, payload) VALUES (of_event, after_seq + 1, history);
    RETURN clock_timestamp();
END $$;
