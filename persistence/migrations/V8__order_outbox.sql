-- What became of an order's money, told to those who follow it: a stream an order. Seats have the
-- event's outbox, which follows the lane's sequence; money moves without a lane, in any transaction.

-- The head of each order's stream. Whoever tells something holds it until he has committed, so that
-- versions have no gap and are seen in order. No lane touches it.
CREATE TABLE order_streams (
    order_id uuid PRIMARY KEY,
    version  bigint NOT NULL,
    xact     bigint NOT NULL
) WITH (fillfactor = 50);

-- xact: the latest transaction that has told anything of the order so far, this one included; so it never
-- falls within a stream. Everything below the oldest transaction that still runs is all there is, for ever:
-- that is how far it is read. An id or a version would not do: a lower one may commit later.
-- of: an attempt's status, by the money workflow (the lane's verdicts are in the event's outbox); a refund's,
-- once it was decided, and how much it is of; a chargeback, 'booked' with what the bank took back, or 'returned' with what it gave
-- back of that.
CREATE TABLE order_outbox (
    order_id uuid NOT NULL,
    version  bigint NOT NULL CONSTRAINT order_outbox_version_positive CHECK (version > 0),
    xact     bigint NOT NULL,
    event_no integer NOT NULL,
    of       text NOT NULL CONSTRAINT order_outbox_of_known CHECK (of IN ('attempt', 'refund', 'chargeback')),
    name     text NOT NULL,
    status   text NOT NULL,
    amount   bigint NOT NULL CONSTRAINT order_outbox_amount_not_negative CHECK (amount >= 0),
    currency text NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (order_id, version)
);
CREATE INDEX order_outbox_by_horizon ON order_outbox (xact, order_id, version);

-- How far each consumer has read.
CREATE TABLE order_outbox_positions (
    consumer text PRIMARY KEY,
    xact     bigint NOT NULL,
    order_id uuid NOT NULL,
    version  bigint NOT NULL
) WITH (fillfactor = 50);

CREATE FUNCTION tell_of_order(of_order uuid, of_event integer, subject text, subject_name text,
                              new_status text, of_amount bigint, in_currency text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    this_xact bigint := pg_current_xact_id()::text::bigint;
    next order_streams;
BEGIN
    INSERT INTO order_streams AS s (order_id, version, xact) VALUES (of_order, 1, this_xact)
        ON CONFLICT (order_id) DO UPDATE
            SET version = s.version + 1, xact = greatest(s.xact, excluded.xact)
    RETURNING * INTO STRICT next;
    INSERT INTO order_outbox (order_id, version, xact, event_no, of, name, status, amount, currency)
    VALUES (of_order, next.version, next.xact, of_event, subject, subject_name, new_status, of_amount,
            in_currency);
END $$;

-- By triggers, so that no transition can forget it. They run once the statement holds all its other rows:
-- the stream's is the last that is locked.
CREATE FUNCTION tell_of_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_of_order(NEW.order_id, NEW.event_no, 'attempt', NEW.attempt_id::text, NEW.status,
                          NEW.amount, NEW.currency);
    RETURN NULL;
END $$;
CREATE TRIGGER tell_of_new_attempt AFTER INSERT ON payment_attempts
    FOR EACH ROW EXECUTE FUNCTION tell_of_attempt();
-- From 'authorized' only the lane moves it.
CREATE TRIGGER tell_of_attempt AFTER UPDATE OF status ON payment_attempts
    FOR EACH ROW WHEN (OLD.status <> NEW.status AND OLD.status <> 'authorized')
    EXECUTE FUNCTION tell_of_attempt();

CREATE FUNCTION tell_of_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_of_order(NEW.order_id, NEW.event_no, 'refund', NEW.refund_id::text, NEW.status,
                          NEW.amount, NEW.currency);
    RETURN NULL;
END $$;
-- A new one is the lane's, in the batch that makes its tickets void. Its amount is cut where a bank was first.
CREATE TRIGGER tell_of_refund AFTER UPDATE OF status, amount ON refunds
    FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.amount <> NEW.amount)
    EXECUTE FUNCTION tell_of_refund();

CREATE FUNCTION tell_of_chargeback() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_of_order(NEW.order_id, NEW.event_no, 'chargeback', NEW.name,
                          CASE WHEN NEW.amount < 0 THEN 'booked' ELSE 'returned' END,
                          abs(NEW.amount), NEW.currency);
    RETURN NULL;
END $$;
CREATE TRIGGER tell_of_chargeback AFTER INSERT ON ledger
    FOR EACH ROW WHEN (NEW.kind = 'chargeback' AND NEW.account = 'provider')
    EXECUTE FUNCTION tell_of_chargeback();

-- Mail about an order is of its tickets or of money that was given back (refund_id); version is the batch's
-- that issued the tickets, or its order's stream's.
ALTER TABLE ticket_mails RENAME TO order_mails;
ALTER TABLE order_mails RENAME CONSTRAINT ticket_mails_outcome_known TO order_mails_outcome_known;
ALTER TABLE order_mails RENAME CONSTRAINT ticket_mails_settled_has_outcome TO order_mails_settled_has_outcome;
ALTER INDEX ticket_mails_due RENAME TO order_mails_due;
ALTER TABLE order_mails
    ADD COLUMN about smallint NOT NULL DEFAULT 0
        CONSTRAINT order_mails_about_known CHECK (about IN (0, 1)),
    ADD COLUMN refund_id uuid,
    ADD CONSTRAINT order_mails_refund_is_named CHECK ((about = 1) = (refund_id IS NOT NULL)),
    DROP CONSTRAINT ticket_mails_pkey,
    ADD CONSTRAINT order_mails_pkey PRIMARY KEY (order_id, about, version);
ALTER TABLE order_mails ALTER COLUMN about DROP DEFAULT;
