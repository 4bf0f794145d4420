-- What of the catalogue has changed, for the lists that each process keeps in memory.

-- Which transaction changed what an event's listing shows. Whoever follows remembers the oldest transaction that
-- still ran when he last looked: everything before that one had ended, so what he may not have seen yet has its
-- number or a higher one. The highest number that he has seen would not do: a lower one may commit later. A row of
-- its own for each transaction: no writer waits for another here.
CREATE TABLE catalogue_changes (
    xact     bigint NOT NULL,
    event_no integer NOT NULL,
    PRIMARY KEY (xact, event_no)
);
CREATE INDEX catalogue_changes_by_event ON catalogue_changes (event_no);
-- For those that are marked by their venue or an artist.
CREATE INDEX events_by_venue ON events (venue_id);
CREATE INDEX event_artists_by_artist ON event_artists (artist_id);

CREATE FUNCTION note_catalogue_change(of_events integer[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(of_events) = 0 THEN
        RETURN;
    END IF;
    INSERT INTO catalogue_changes (xact, event_no)
    SELECT DISTINCT pg_current_xact_id()::text::bigint, it.event_no FROM unnest(of_events) AS it (event_no)
        ON CONFLICT DO NOTHING;
    -- Who has not read these reads the new ones instead, so an event has one row, and a few while it is changed. What
    -- somebody else deletes is not waited for.
    DELETE FROM catalogue_changes c
     USING (SELECT xact, event_no FROM catalogue_changes
             WHERE event_no = ANY (of_events)
               AND xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
               FOR UPDATE SKIP LOCKED) AS older
     WHERE c.xact = older.xact AND c.event_no = older.event_no;
END $$;

-- By triggers, so that no writer can forget it: on everything that a listing is read from. `changed` has the rows as
-- they were, or as they are.
CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_catalogue_change(ARRAY(SELECT event_no FROM changed));
    RETURN NULL;
END $$;

-- An event that somebody is making refers to the row, and cannot be seen yet: its end is waited for.
CREATE FUNCTION note_events_of_venues() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM venues WHERE venue_id IN (SELECT venue_id FROM changed) ORDER BY venue_id FOR UPDATE;
    PERFORM note_catalogue_change(ARRAY(
        SELECT event_no FROM events WHERE venue_id IN (SELECT venue_id FROM changed)));
    RETURN NULL;
END $$;

CREATE FUNCTION note_events_of_artists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM artists WHERE artist_id IN (SELECT artist_id FROM changed) ORDER BY artist_id FOR UPDATE;
    PERFORM note_catalogue_change(ARRAY(
        SELECT event_no FROM event_artists WHERE artist_id IN (SELECT artist_id FROM changed)));
    RETURN NULL;
END $$;

DO $$
DECLARE
    of_table text;
    function text;
BEGIN
    FOR of_table, function IN VALUES
        ('events', 'note_events'), ('event_artists', 'note_events'), ('event_tiers', 'note_events'),
        ('event_section_tiers', 'note_events'), ('event_fees', 'note_events'),
        ('venue_sections', 'note_events_of_venues'), ('venues', 'note_events_of_venues'),
        ('artists', 'note_events_of_artists')
    LOOP
        EXECUTE format('CREATE TRIGGER note_left AFTER UPDATE ON %I REFERENCING OLD TABLE AS changed
                        FOR EACH STATEMENT EXECUTE FUNCTION %I()', of_table, function);
        EXECUTE format('CREATE TRIGGER note_changed AFTER UPDATE ON %I REFERENCING NEW TABLE AS changed
                        FOR EACH STATEMENT EXECUTE FUNCTION %I()', of_table, function);
        -- No event refers to a venue or an artist that is being made, or that is deleted.
        CONTINUE WHEN of_table IN ('venues', 'artists');
        EXECUTE format('CREATE TRIGGER note_made AFTER INSERT ON %I REFERENCING NEW TABLE AS changed
                        FOR EACH STATEMENT EXECUTE FUNCTION %I()', of_table, function);
        EXECUTE format('CREATE TRIGGER note_deleted AFTER DELETE ON %I REFERENCING OLD TABLE AS changed
                        FOR EACH STATEMENT EXECUTE FUNCTION %I()', of_table, function);
    END LOOP;
END $$;

-- The lane counts places here with each batch of holds, by statements that name neither capacity nor more rows:
-- these triggers are a row's, and none of them runs then.
CREATE FUNCTION note_event_of_area() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_catalogue_change(ARRAY[coalesce(NEW.event_no, OLD.event_no)]);
    RETURN NULL;
END $$;
CREATE TRIGGER note_capacity AFTER UPDATE OF capacity ON general_areas
    FOR EACH ROW WHEN (OLD.capacity <> NEW.capacity) EXECUTE FUNCTION note_event_of_area();
CREATE TRIGGER note_made_or_deleted AFTER INSERT OR DELETE ON general_areas
    FOR EACH ROW EXECUTE FUNCTION note_event_of_area();
