-- What gates say of tickets, which ones let nobody in, and the mail that brings them.

-- Gates ------------------------------------------------------------------------------------------

-- One row for each scan, for ever: the trail of who read which code when, and what he was told. result:
-- 0 accepted, 1 already used, 2 void, 3 unknown. Only what a ticket of ours stands behind has an event.
CREATE TABLE ticket_scans (
    scan_id   text PRIMARY KEY,
    code_hash bytea NOT NULL CONSTRAINT ticket_scans_code_hash_sha256 CHECK (octet_length(code_hash) = 32),
    at        timestamptz NOT NULL,
    who       text NOT NULL,
    result    smallint NOT NULL CONSTRAINT ticket_scans_result_known CHECK (result BETWEEN 0 AND 3),
    ticket_id uuid,
    event_no  integer,
    CONSTRAINT ticket_scans_unknown_has_no_ticket CHECK ((result = 3) = (ticket_id IS NULL)),
    CONSTRAINT ticket_scans_ticket_has_its_event CHECK ((ticket_id IS NULL) = (event_no IS NULL))
);
-- A ticket lets one in; this is also where the scan is found that did.
CREATE UNIQUE INDEX ticket_scans_one_accepted_a_ticket ON ticket_scans (ticket_id) WHERE result = 0;
CREATE INDEX ticket_scans_by_age ON ticket_scans (at DESC, scan_id);
CREATE INDEX ticket_scans_by_event_and_age ON ticket_scans (event_no, at DESC, scan_id);

-- Redeems a ticket for the first scan that comes, and remembers what each was told. Returns whether
-- this id is new; what it was told stands in its row, now and ever after.
--
-- The row comes first: whoever has the same id waits there for the first, and finds his answer. Then
-- the ticket's: of two gates, the second waits and finds it used. Each holds one row of either kind
-- and takes them in this order, so none waits for another in a circle; the event's lane, which voids
-- tickets, touches no scan.
CREATE FUNCTION scan_ticket(of_scan text, of_code bytea, of_ticket uuid, by_whom text)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    found_event integer;
    found_status smallint;
BEGIN
    INSERT INTO ticket_scans (scan_id, code_hash, at, who, result)
    VALUES (of_scan, of_code, clock_timestamp(), by_whom, 3)
        ON CONFLICT (scan_id) DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE tickets SET status = 2 WHERE ticket_id = of_ticket AND status = 0
    RETURNING event_no INTO found_event;
    IF FOUND THEN
        UPDATE ticket_scans SET result = 0, ticket_id = of_ticket, event_no = found_event
         WHERE scan_id = of_scan;
        RETURN true;
    END IF;
    -- Another snapshot than the update's: whatever made it pass the ticket by is seen here.
    SELECT event_no, status INTO found_event, found_status FROM tickets WHERE ticket_id = of_ticket;
    IF FOUND THEN
        UPDATE ticket_scans
           SET result = CASE found_status WHEN 2 THEN 1 ELSE 2 END,
               ticket_id = of_ticket, event_no = found_event
         WHERE scan_id = of_scan;
    END IF;
    RETURN true;
END $$;

-- What gates without a network must not let in. Only void tickets are in it, so issuing costs nothing.
CREATE INDEX tickets_void_by_event ON tickets (event_no, ticket_id) WHERE status = 1;
