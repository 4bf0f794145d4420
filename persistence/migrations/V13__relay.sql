-- The outboxes' way to the bus: who reads for a consumer at the moment, and what is no longer kept.

-- Several processes read for one consumer. Whoever holds the lease publishes what comes next; by the
-- database's clock it ends by itself, should its holder have died.
ALTER TABLE outbox_positions
    ADD COLUMN holder      uuid,
    ADD COLUMN lease_until timestamptz,
    ADD CONSTRAINT outbox_positions_lease_has_holder CHECK ((holder IS NULL) = (lease_until IS NULL));
ALTER TABLE order_outbox_positions
    ADD COLUMN holder      uuid,
    ADD COLUMN lease_until timestamptz,
    ADD CONSTRAINT order_outbox_positions_lease_has_holder CHECK ((holder IS NULL) = (lease_until IS NULL));

-- Of an event's outbox the batches up to here are no longer kept.
CREATE TABLE outbox_floors (
    event_no integer PRIMARY KEY,
    seq      bigint NOT NULL CONSTRAINT outbox_floors_seq_positive CHECK (seq > 0)
) WITH (fillfactor = 50);

-- Deletes batches that are old and that each of these consumers has read, from each event's first on, at most so
-- many. One at a time: whoever comes second deletes nothing. Returns how many it deleted.
CREATE FUNCTION tidy_outbox(of_consumers text[], kept interval, rows_max integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    oldest_kept timestamptz := clock_timestamp() - kept;
    deleted bigint := 0;
    event record;
    up_to bigint;
    gone bigint;
BEGIN
    -- `tidy out` in ASCII.
    IF NOT pg_try_advisory_xact_lock(8388346252352255348) THEN
        RETURN 0;
    END IF;
    FOR event IN
        SELECT h.event_no, coalesce(f.seq, 0) AS floor,
               coalesce((SELECT min(coalesce(p.seq, 0))
                           FROM unnest(of_consumers) AS c (consumer)
                           LEFT JOIN outbox_positions p
                             ON p.consumer = c.consumer AND p.event_no = h.event_no), h.seq) AS read_to
          FROM event_heads h LEFT JOIN outbox_floors f USING (event_no)
          JOIN outbox first ON first.event_no = h.event_no AND first.seq = coalesce(f.seq, 0) + 1
         WHERE first.created_at < oldest_kept
    LOOP
        CONTINUE WHEN event.read_to <= event.floor;
        SELECT max(seq) INTO up_to
          FROM (SELECT seq, created_at FROM outbox
                 WHERE event_no = event.event_no AND seq > event.floor AND seq <= event.read_to
                 ORDER BY seq LIMIT rows_max - deleted) AS next
         WHERE created_at < oldest_kept;
        CONTINUE WHEN up_to IS NULL;
        DELETE FROM outbox WHERE event_no = event.event_no AND seq > event.floor AND seq <= up_to;
        GET DIAGNOSTICS gone = ROW_COUNT;
        INSERT INTO outbox_floors AS f (event_no, seq) VALUES (event.event_no, up_to)
            ON CONFLICT (event_no) DO UPDATE SET seq = excluded.seq;
        deleted := deleted + gone;
        EXIT WHEN deleted >= rows_max;
    END LOOP;
    RETURN deleted;
END $$;

-- Begins to read for a consumer, of events that it does not know yet from their first batch on. One that is
-- new, and is to begin now, knows those that there are already, up to where they stand; of money it hears what
-- a transaction that still runs may have been older than.
CREATE FUNCTION enrol_in_outbox(of_consumer text, begins_now boolean) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO order_outbox_positions (consumer, xact, order_id, version)
    VALUES (of_consumer,
            CASE WHEN begins_now THEN pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1 ELSE 0 END,
            'ffffffff-ffff-ffff-ffff-ffffffffffff', 0)
        ON CONFLICT (consumer) DO NOTHING;
    INSERT INTO outbox_positions (consumer, event_no, seq)
    SELECT of_consumer, h.event_no, CASE WHEN FOUND AND begins_now THEN h.seq ELSE 0 END
      FROM event_heads h
     WHERE h.seq > 0 AND NOT EXISTS (SELECT FROM outbox_positions p
                                      WHERE p.consumer = of_consumer AND p.event_no = h.event_no)
        ON CONFLICT (consumer, event_no) DO NOTHING;
END $$;

-- What was posted to whom: a row for each message that a webhook was tried with. status: the last answer's;
-- null, none came. outcome: 0 delivered, 1 parked, being refused too often; null, it is still tried.
CREATE TABLE webhook_deliveries (
    sink       text NOT NULL,
    message_id text NOT NULL,
    type       text NOT NULL,
    event_id   uuid NOT NULL,
    first_tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    tried_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    tries      integer NOT NULL DEFAULT 1 CONSTRAINT webhook_deliveries_tries_positive CHECK (tries > 0),
    refusals   integer NOT NULL DEFAULT 0,
    status     smallint,
    error      text,
    outcome    smallint CONSTRAINT webhook_deliveries_outcome_known CHECK (outcome IN (0, 1)),
    PRIMARY KEY (sink, message_id)
);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (sink, tried_at, message_id);
-- What somebody should look at, among millions that went well.
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (sink, tried_at, message_id) WHERE outcome IS NULL;
CREATE INDEX webhook_deliveries_parked ON webhook_deliveries (sink, tried_at, message_id) WHERE outcome = 1;
CREATE INDEX webhook_deliveries_to_forget ON webhook_deliveries (tried_at) WHERE outcome IS NOT NULL;
