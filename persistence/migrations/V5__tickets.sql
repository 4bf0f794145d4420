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

-- Mail -------------------------------------------------------------------------------------------

-- How far each consumer has read each event's outbox. Moved in the transaction that writes what follows
-- from what was read.
CREATE TABLE outbox_positions (
    consumer text NOT NULL,
    event_no integer NOT NULL,
    seq      bigint NOT NULL CONSTRAINT outbox_positions_seq_not_negative CHECK (seq >= 0),
    PRIMARY KEY (consumer, event_no)
) WITH (fillfactor = 50);

-- Where a buyer is written to: the address that his token named, as verified, at his latest order. Only
-- written while mail is on. One row a buyer, so that it can be forgotten by deleting it.
CREATE TABLE buyer_contacts (
    buyer   text PRIMARY KEY,
    email   text NOT NULL,
    seen_at timestamptz NOT NULL
);

-- A mail for each batch that issued tickets of an order: version is the batch's sequence. outcome: 0 sent,
-- 1 nobody to write to, 2 no ticket left to send, 3 given up.
CREATE TABLE ticket_mails (
    order_id   uuid NOT NULL,
    version    bigint NOT NULL,
    due_at     timestamptz NOT NULL,
    refusals   integer NOT NULL DEFAULT 0,
    last_error text,
    settled_at timestamptz,
    outcome    smallint CONSTRAINT ticket_mails_outcome_known CHECK (outcome BETWEEN 0 AND 3),
    PRIMARY KEY (order_id, version),
    CONSTRAINT ticket_mails_settled_has_outcome CHECK ((settled_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX ticket_mails_due ON ticket_mails (due_at) WHERE settled_at IS NULL;
