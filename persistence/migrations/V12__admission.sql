-- What operators set of a waiting room, renewed admissions, and slots that come back with a purchase.

ALTER TABLE queue_heads
    ADD COLUMN paused  boolean NOT NULL DEFAULT false,
    ADD COLUMN ceiling double precision
        CONSTRAINT queue_heads_ceiling_not_negative CHECK (ceiling >= 0);

-- turn 2: its buyer came and has bought since, and no longer counts among those inside. until: how long he may
-- shop, if that was renewed. came_at: for stories, when he came, whatever became of it.
ALTER TABLE queue_tickets
    ADD COLUMN until timestamptz,
    ADD COLUMN came_at timestamptz,
    DROP CONSTRAINT queue_tickets_turn_known,
    ADD CONSTRAINT queue_tickets_turn_known CHECK (turn IN (0, 1, 2)),
    ADD CONSTRAINT queue_tickets_until_of_who_came CHECK (until IS NULL OR turn IN (0, 2));

DROP FUNCTION append_queue_batch;

-- Writes a batch, all or nothing, and returns the database's time; as append_batch. turns: as in
-- queue_tickets; 3, the place is in the line again; 4, its buyer may shop until turned_at.
CREATE FUNCTION append_queue_batch(
    of_event integer, of_epoch bigint, after_seq bigint, sent_at timestamptz,
    first_number integer, tickets uuid[], buyers text[], joined_at timestamptz[], place_turns smallint[],
    place_turned_at timestamptz[],
    turned integer[], turns smallint[], turned_at timestamptz[],
    now_present integer, now_value bytea, now_opened_at timestamptz, now_served integer, called_at timestamptz, now_round integer,
    -- Both or neither; a ceiling of -1 is none.
    now_paused boolean, now_ceiling double precision,
    deed_ids uuid[], deed_whos text[], deed_whats text[], deed_whys text[], deed_details jsonb[]
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
           opened_at = coalesce(opened_at, now_opened_at),
           paused = coalesce(now_paused, paused),
           ceiling = CASE WHEN now_ceiling IS NULL THEN ceiling
                          WHEN now_ceiling < 0 THEN NULL ELSE now_ceiling END
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
        -- Nobody comes twice, or comes who has left; who has not come has not bought, and is given no more time.
        WHEN MATCHED AND CASE it.turn
                 WHEN 0 THEN t.turn IS NULL
                 WHEN 1 THEN true
                 WHEN 3 THEN coalesce(t.turn, 1) = 1
                 ELSE t.turn IN (0, 2) END THEN UPDATE SET
            turn = CASE it.turn WHEN 3 THEN NULL WHEN 4 THEN t.turn ELSE it.turn END,
            turned_at = CASE WHEN it.turn IN (0, 1) THEN it.at
                             WHEN it.turn IN (2, 4) THEN t.turned_at END,
            until = CASE it.turn WHEN 4 THEN it.at WHEN 2 THEN t.until END,
            came_at = CASE it.turn WHEN 0 THEN it.at ELSE t.came_at END
        WHEN NOT MATCHED AND false THEN INSERT DEFAULT VALUES;
        GET DIAGNOSTICS changed = ROW_COUNT;
        PERFORM rows_as_believed('queue_tickets', changed, cardinality(turned));
    END IF;

    IF now_served IS NOT NULL THEN
        INSERT INTO queue_calls (event_no, served, at) VALUES (of_event, now_served, called_at);
    END IF;

    IF cardinality(deed_ids) > 0 THEN
        INSERT INTO operator_actions (action_id, event_no, at, who, what, why, detail)
        SELECT it.id, of_event, sent_at, it.who, it.what, it.why, it.detail
          FROM unnest(deed_ids, deed_whos, deed_whats, deed_whys, deed_details)
            AS it (id, who, what, why, detail);
    END IF;
    RETURN clock_timestamp();
END $$;
