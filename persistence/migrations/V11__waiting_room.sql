-- Waiting rooms: a head and a lane of their own, beside the event's.

-- The secret is drawn before anybody joins; docs/draw.md. joined: numbers that have been given. present,
-- value: those who took part in the draw, once the sale is open. served: positions below it were called.
CREATE TABLE queue_heads (
    event_no  integer PRIMARY KEY REFERENCES events,
    epoch     bigint NOT NULL DEFAULT 0 CONSTRAINT queue_heads_epoch_not_negative CHECK (epoch >= 0),
    owner     uuid,
    seq       bigint NOT NULL DEFAULT 0 CONSTRAINT queue_heads_seq_not_negative CHECK (seq >= 0),
    salt      bytea NOT NULL CONSTRAINT queue_heads_salt_32_bytes CHECK (octet_length(salt) = 32),
    secret    bytea NOT NULL CONSTRAINT queue_heads_secret_32_bytes CHECK (octet_length(secret) = 32),
    round     integer NOT NULL DEFAULT 1 CONSTRAINT queue_heads_round_positive CHECK (round > 0),
    joined    integer NOT NULL DEFAULT 0,
    present   integer,
    value     bytea CONSTRAINT queue_heads_value_32_bytes CHECK (octet_length(value) = 32),
    opened_at timestamptz,
    served    integer NOT NULL DEFAULT 0,
    CONSTRAINT queue_heads_opened_as_a_whole CHECK (
        (present IS NULL) = (value IS NULL) AND (present IS NULL) = (opened_at IS NULL)),
    CONSTRAINT queue_heads_present_have_joined CHECK (present BETWEEN 0 AND joined),
    CONSTRAINT queue_heads_served_have_joined CHECK (served BETWEEN 0 AND joined),
    CONSTRAINT queue_heads_served_once_open CHECK (served = 0 OR present IS NOT NULL)
) WITH (fillfactor = 10);

-- A place: number counts from 0 in the order of joining, without a gap. turn: null while it is in the line;
-- 0 its buyer was called and came, 1 he gave it up.
CREATE TABLE queue_tickets (
    event_no  integer NOT NULL,
    number    integer NOT NULL CONSTRAINT queue_tickets_number_not_negative CHECK (number >= 0),
    ticket_id uuid NOT NULL,
    buyer     text NOT NULL,
    joined_at timestamptz NOT NULL,
    turn      smallint CONSTRAINT queue_tickets_turn_known CHECK (turn IN (0, 1)),
    turned_at timestamptz,
    PRIMARY KEY (event_no, number),
    CONSTRAINT queue_tickets_turned_at_a_time CHECK ((turn IS NULL) = (turned_at IS NULL))
) WITH (fillfactor = 80);
-- Before the draw a buyer has one place; later another, once that one is lost.
CREATE INDEX queue_tickets_by_buyer ON queue_tickets (event_no, buyer);

-- Each time that the number served was raised.
CREATE TABLE queue_calls (
    event_no integer NOT NULL,
    served   integer NOT NULL CONSTRAINT queue_calls_served_positive CHECK (served > 0),
    at       timestamptz NOT NULL,
    PRIMARY KEY (event_no, served)
);

-- Writes a batch, all or nothing, and returns the database's time; as append_batch. turns: as in
-- queue_tickets, and 2, the place is in the line again.
CREATE FUNCTION append_queue_batch(
    of_event integer, of_epoch bigint, after_seq bigint, sent_at timestamptz,
    first_number integer, tickets uuid[], buyers text[], joined_at timestamptz[], place_turns smallint[],
    place_turned_at timestamptz[],
    turned integer[], turns smallint[], turned_at timestamptz[],
    now_present integer, now_value bytea, now_served integer, called_at timestamptz, now_round integer
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
    gap integer;
    changed bigint;
BEGIN
    UPDATE queue_heads
       SET seq = after_seq + 1, joined = joined + cardinality(tickets),
           round = coalesce(now_round, round), served = coalesce(now_served, served),
           present = coalesce(present, now_present), value = coalesce(value, now_value),
           opened_at = CASE WHEN now_present IS NULL THEN opened_at ELSE sent_at END
     WHERE event_no = of_event AND epoch = of_epoch AND seq = after_seq
    RETURNING joined - cardinality(tickets) - first_number INTO gap;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TQ001', MESSAGE = 'fenced';
    END IF;
    IF sent_at NOT BETWEEN clock_timestamp() - interval '2 seconds'
                       AND clock_timestamp() + interval '2 seconds' THEN
        RAISE EXCEPTION USING ERRCODE = 'TQ002',
            MESSAGE = format('the batch says %s, the database %s', sent_at, clock_timestamp());
    END IF;

    IF cardinality(tickets) > 0 THEN
        PERFORM rows_as_believed('queue_heads', gap, 0);
        INSERT INTO queue_tickets (event_no, number, ticket_id, buyer, joined_at, turn, turned_at)
        SELECT of_event, first_number + it.nth::integer - 1, it.ticket_id, it.buyer, it.at, it.turn,
               it.turned_at
          FROM unnest(tickets, buyers, joined_at, place_turns, place_turned_at)
               WITH ORDINALITY AS it (ticket_id, buyer, at, turn, turned_at, nth);
    END IF;

    IF cardinality(turned) > 0 THEN
        MERGE INTO queue_tickets t
        USING unnest(turned, turns, turned_at) AS it (number, turn, at)
        ON t.event_no = of_event AND t.number = it.number
        WHEN MATCHED THEN UPDATE SET turn = nullif(it.turn, 2::smallint),
                                     turned_at = CASE WHEN it.turn < 2 THEN it.at END
        WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
        GET DIAGNOSTICS changed = ROW_COUNT;
        PERFORM rows_as_believed('queue_tickets', changed, cardinality(turned));
    END IF;

    IF now_served IS NOT NULL THEN
        INSERT INTO queue_calls (event_no, served, at) VALUES (of_event, now_served, called_at);
    END IF;
    RETURN clock_timestamp();
END $$;
