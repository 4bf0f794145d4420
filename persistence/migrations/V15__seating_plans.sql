-- A venue has halls, and a hall has seating plans, numbered by version from 1. A version is written once and never
-- changes: events move from one to the next. A plan that was its venue's becomes version 1 of the hall "main" under
-- its venue's id, so that none of its rows is written anew.

CREATE TABLE seating_plans (
    plan_id    uuid PRIMARY KEY,
    venue_id   uuid NOT NULL REFERENCES venues,
    hall       text NOT NULL,
    version    integer NOT NULL CONSTRAINT seating_plans_version_positive CHECK (version > 0),
    capacity   integer NOT NULL CONSTRAINT seating_plans_capacity_positive CHECK (capacity > 0),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT seating_plans_of_venue_unique UNIQUE (plan_id, venue_id)
);
-- Halls are told apart as all names are: shown as given, compared in NFC.
CREATE UNIQUE INDEX seating_plans_version_unique ON seating_plans (venue_id, normalize(hall, NFC), version);

INSERT INTO seating_plans (plan_id, venue_id, hall, version, capacity, created_at)
SELECT venue_id, venue_id, 'main', 1, capacity, created_at FROM venues;

-- What may be sold is a plan's to say.
ALTER TABLE venues DROP COLUMN capacity;

-- A section keeps its number, and its seats their indexes, over all versions of its hall. One that a version lacks
-- stays with capacity 0; a seat that a version lacks stays as dropped. seats: of a seated section's range, dropped
-- ones too; capacity: what there is to be sold.
DROP TRIGGER note_left ON venue_sections;
DROP TRIGGER note_changed ON venue_sections;
DROP TRIGGER note_made ON venue_sections;
DROP TRIGGER note_deleted ON venue_sections;
ALTER TABLE venue_sections RENAME TO plan_sections;
ALTER TABLE plan_sections RENAME COLUMN venue_id TO plan_id;
ALTER TABLE plan_sections RENAME CONSTRAINT venue_sections_pkey TO plan_sections_pkey;
ALTER TABLE plan_sections RENAME CONSTRAINT venue_sections_kind_known TO plan_sections_kind_known;
ALTER TABLE plan_sections ADD COLUMN seats integer;
UPDATE plan_sections SET seats = capacity WHERE kind = 0;
ALTER TABLE plan_sections
    DROP CONSTRAINT venue_sections_venue_id_fkey,
    DROP CONSTRAINT venue_sections_capacity_positive,
    DROP CONSTRAINT venue_sections_seated_has_seats,
    ADD CONSTRAINT plan_sections_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES seating_plans,
    ADD CONSTRAINT plan_sections_capacity_not_negative CHECK (capacity >= 0),
    ADD CONSTRAINT plan_sections_capacity_has_seats CHECK (capacity <= seats),
    ADD CONSTRAINT plan_sections_seated_has_seats CHECK (
        (kind = 0) = (first_seat IS NOT NULL) AND (kind = 0) = (seats IS NOT NULL) AND (seats IS NULL OR seats > 0));
ALTER INDEX venue_sections_name_unique RENAME TO plan_sections_name_unique;

-- Categories keep their numbers over the versions of a hall, too.
ALTER TABLE venue_categories RENAME TO plan_categories;
ALTER TABLE plan_categories RENAME COLUMN venue_id TO plan_id;
ALTER TABLE plan_categories RENAME CONSTRAINT venue_categories_pkey TO plan_categories_pkey;
ALTER TABLE plan_categories RENAME CONSTRAINT venue_categories_no_positive TO plan_categories_no_positive;
ALTER TABLE plan_categories
    DROP CONSTRAINT venue_categories_venue_id_fkey,
    ADD CONSTRAINT plan_categories_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES seating_plans;
ALTER INDEX venue_categories_name_unique RENAME TO plan_categories_name_unique;

-- Which of them the seats have that a section still has.
ALTER TABLE venue_section_categories RENAME TO plan_section_categories;
ALTER TABLE plan_section_categories RENAME COLUMN venue_id TO plan_id;
ALTER TABLE plan_section_categories RENAME CONSTRAINT venue_section_categories_pkey TO plan_section_categories_pkey;
ALTER TABLE plan_section_categories
    RENAME CONSTRAINT venue_section_categories_venue_id_section_no_fkey TO plan_section_categories_section_fkey;
ALTER TABLE plan_section_categories
    RENAME CONSTRAINT venue_section_categories_venue_id_category_no_fkey TO plan_section_categories_category_fkey;

DROP VIEW seat_owners;
ALTER TABLE venue_seats RENAME TO plan_seats;
ALTER TABLE plan_seats RENAME COLUMN venue_id TO plan_id;
ALTER TABLE plan_seats ADD COLUMN dropped boolean NOT NULL DEFAULT false;
ALTER TABLE plan_seats RENAME CONSTRAINT venue_seats_pkey TO plan_seats_pkey;
ALTER TABLE plan_seats RENAME CONSTRAINT venue_seats_index_fits TO plan_seats_index_fits;
ALTER TABLE plan_seats RENAME CONSTRAINT venue_seats_category_not_negative TO plan_seats_category_not_negative;
ALTER INDEX venue_seats_label_unique RENAME TO plan_seats_label_unique;

-- A plan of the event's own venue.
ALTER TABLE events ADD COLUMN plan_id uuid;
UPDATE events SET plan_id = venue_id;
ALTER TABLE events
    ALTER COLUMN plan_id SET NOT NULL,
    ADD CONSTRAINT events_plan_of_venue_fkey FOREIGN KEY (plan_id, venue_id) REFERENCES seating_plans (plan_id, venue_id);

-- What a listing shows of its plan is followed as the rest of it.
CREATE INDEX events_by_plan ON events (plan_id);
CREATE FUNCTION note_events_of_plans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM seating_plans WHERE plan_id IN (SELECT plan_id FROM changed) ORDER BY plan_id FOR UPDATE;
    PERFORM note_catalogue_change(ARRAY(
        SELECT event_no FROM events WHERE plan_id IN (SELECT plan_id FROM changed)));
    RETURN NULL;
END $$;
CREATE TRIGGER note_left AFTER UPDATE ON plan_sections REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_events_of_plans();
CREATE TRIGGER note_changed AFTER UPDATE ON plan_sections REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_events_of_plans();
CREATE TRIGGER note_made AFTER INSERT ON plan_sections REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_events_of_plans();
CREATE TRIGGER note_deleted AFTER DELETE ON plan_sections REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_events_of_plans();
CREATE TRIGGER note_changed AFTER UPDATE ON seating_plans REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_events_of_plans();

CREATE VIEW seat_owners AS
    SELECT e.slug AS event, v.label, (ARRAY['available', 'held', 'sold', 'blocked'])[s.state + 1] AS state,
           h.buyer, h.expires_at, s.hold_id
      FROM events e
      JOIN plan_seats v USING (plan_id)
      JOIN seats s ON s.seat_key = e.event_no::bigint * 1048576 + v.seat_index
      LEFT JOIN holds h USING (hold_id);
