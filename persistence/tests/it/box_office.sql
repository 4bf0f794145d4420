-- Rows as an event's lane leaves them, for tests that only read: one batch a call.

CREATE FUNCTION commit_batch(of_event integer) RETURNS void LANGUAGE sql AS $$
    UPDATE event_heads SET seq = seq + 1 WHERE event_no = of_event;
    INSERT INTO outbox (event_no, seq, payload)
    SELECT event_no, seq, '' FROM event_heads WHERE event_no = of_event;
$$;

-- What a hold takes moves by so many places from one count to another, and its buyer's with it.
CREATE FUNCTION move_claim(h holds, was smallint, becomes smallint) RETURNS void LANGUAGE sql AS $$
    UPDATE seats SET state = becomes, hold_id = CASE WHEN becomes = 0 THEN NULL ELSE (h).hold_id END
     WHERE seat_key IN (SELECT (h).event_no::bigint * 1048576 + seat
                          FROM unnest((h).seats) AS s (seat));
    UPDATE general_areas a
       SET held = held + CASE WHEN becomes = 1 THEN p.quantity ELSE 0 END
                       - CASE WHEN was = 1 THEN p.quantity ELSE 0 END,
           sold = sold + CASE WHEN becomes = 2 THEN p.quantity ELSE 0 END
      FROM hold_places p
     WHERE p.hold_id = (h).hold_id AND a.event_no = (h).event_no AND a.section_no = p.section_no;
    INSERT INTO buyers (event_no, buyer, seats, seats_max)
    SELECT event_no, buyer, sum(quantity), 6 FROM holds
     WHERE event_no = (h).event_no AND buyer = (h).buyer AND status IN (0, 3)
     GROUP BY event_no, buyer
        ON CONFLICT (event_no, buyer) DO UPDATE SET seats = excluded.seats;
    UPDATE buyers SET seats = 0
     WHERE event_no = (h).event_no AND buyer = (h).buyer AND NOT EXISTS (
           SELECT FROM holds x WHERE x.event_no = (h).event_no AND x.buyer = (h).buyer
              AND x.status IN (0, 3));
$$;

-- Seats of section 0 or, with none given, two places of section 1; one fee of 100 a ticket.
CREATE FUNCTION place_hold(id uuid, of_event integer, by_buyer text, taken integer[],
                           price bigint, lives interval) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    n integer := CASE WHEN cardinality(taken) = 0 THEN 2 ELSE cardinality(taken) END;
    fee bigint := CASE WHEN price = 0 THEN 0 ELSE 100 END;
    made holds;
BEGIN
    INSERT INTO holds (hold_id, event_no, buyer, fingerprint, seats, quantity, unit_prices, fees, total,
                       status, created_at, expires_at)
    VALUES (id, of_event, by_buyer, decode(repeat('00', 32), 'hex'), taken, n,
            array_fill(price, ARRAY[n]), ARRAY[n * fee], n * (price + fee), 0,
            clock_timestamp(), clock_timestamp() + lives)
    RETURNING * INTO made;
    INSERT INTO hold_places SELECT id, 1, 0, n WHERE cardinality(taken) = 0;
    PERFORM move_claim(made, 0::smallint, 1::smallint);
    PERFORM commit_batch(of_event);
END $$;

CREATE FUNCTION place_order(id uuid, of_hold uuid) RETURNS void LANGUAGE sql AS $$
    INSERT INTO orders
    SELECT id, hold_id, event_no, buyer, 0, total, clock_timestamp() FROM holds
     WHERE hold_id = of_hold;
    SELECT commit_batch(event_no) FROM holds WHERE hold_id = of_hold;
$$;

-- becomes: 1 released, 2 expired, 3 converted; an open order ends alike.
CREATE FUNCTION end_hold(id uuid, becomes smallint, order_becomes smallint, ticket_ids uuid[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE ended holds;
BEGIN
    UPDATE holds SET status = becomes, ended_at = clock_timestamp() WHERE hold_id = id
    RETURNING * INTO ended;
    UPDATE orders SET status = order_becomes, ended_at = clock_timestamp() WHERE hold_id = id;
    PERFORM move_claim(ended, 1::smallint, CASE WHEN becomes = 3 THEN 2 ELSE 0 END::smallint);
    INSERT INTO tickets
    SELECT ticket_id, o.order_id, o.event_no,
           CASE WHEN cardinality(ended.seats) = 0 THEN 1 ELSE 0 END,
           o.event_no::bigint * 1048576 + ended.seats[place], 0, clock_timestamp()
      FROM unnest(ticket_ids) WITH ORDINALITY AS t (ticket_id, place), orders o
     WHERE o.hold_id = id;
    PERFORM commit_batch(ended.event_no);
END $$;

-- What the lane says of an authorised attempt.
CREATE FUNCTION decide_attempt(id uuid, verdict text) RETURNS void LANGUAGE sql AS $$
    UPDATE payment_attempts SET status = verdict WHERE attempt_id = id AND status = 'authorized';
$$;

-- Sold tickets of an order come back; each cost the price and the fee of 100, which is not owed where it was
-- never taken, or where the bank has given it back.
CREATE FUNCTION take_tickets_back(id uuid, of_order uuid, ticket_ids uuid[], why text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tickets SET status = 1 WHERE ticket_id = ANY (ticket_ids);
    UPDATE seats SET state = 0, hold_id = NULL
     WHERE seat_key IN (SELECT seat_key FROM tickets WHERE ticket_id = ANY (ticket_ids));
    UPDATE general_areas a SET sold = sold - t.n
      FROM (SELECT event_no, section_no, count(*) AS n FROM tickets
             WHERE ticket_id = ANY (ticket_ids) AND seat_key IS NULL GROUP BY 1, 2) t
     WHERE a.event_no = t.event_no AND a.section_no = t.section_no;
    UPDATE buyers b SET seats = seats - cardinality(ticket_ids)
      FROM orders o WHERE o.order_id = of_order AND (b.event_no, b.buyer) = (o.event_no, o.buyer);
    INSERT INTO refunds
    SELECT id, order_id, o.event_no, h.fingerprint, why, '', 'olga',
           owed.times * cardinality(ticket_ids) * (h.unit_prices[1] + 100), 'EUR', ticket_ids,
           CASE owed.times WHEN 0 THEN 'none' ELSE 'due' END, 0, clock_timestamp(),
           CASE owed.times WHEN 0 THEN clock_timestamp() END
      FROM orders o JOIN holds h USING (hold_id),
           (VALUES (CASE WHEN why IN ('refund', 'cancellation') THEN 1 ELSE 0 END)) AS owed (times)
     WHERE order_id = of_order;
    PERFORM commit_batch(event_no) FROM orders WHERE order_id = of_order;
END $$;
