-- Tickets that came back, and what is owed for them. The lane writes the row in the statement that makes
-- the tickets void; from 'due' on only the money workflow moves it.
--
-- status: due, the buyer's money is to be given back; none, nothing is owed, or was never taken; settled,
-- it has been.
CREATE TABLE refunds (
    refund_id   uuid PRIMARY KEY,
    order_id    uuid NOT NULL REFERENCES orders,
    event_no    integer NOT NULL,
    fingerprint bytea NOT NULL CONSTRAINT refunds_fingerprint_sha256 CHECK (octet_length(fingerprint) = 32),
    cause       text NOT NULL CONSTRAINT refunds_cause_known CHECK (cause IN (
        'refund', 'cancellation', 'capture_failed', 'chargeback')),
    reason      text NOT NULL,
    who         text NOT NULL,
    amount      bigint NOT NULL CONSTRAINT refunds_amount_not_negative CHECK (amount >= 0),
    currency    text NOT NULL,
    tickets     uuid[] NOT NULL CONSTRAINT refunds_tickets_some CHECK (cardinality(tickets) > 0),
    status      text NOT NULL CONSTRAINT refunds_status_known CHECK (status IN ('due', 'none', 'settled')),
    errors      integer NOT NULL DEFAULT 0 CONSTRAINT refunds_errors_not_negative CHECK (errors >= 0),
    created_at  timestamptz NOT NULL,
    resolved_at timestamptz,
    CONSTRAINT refunds_due_until_resolved CHECK ((status = 'due') = (resolved_at IS NULL)),
    CONSTRAINT refunds_owe_an_amount CHECK (status = 'none' OR amount > 0)
);
CREATE INDEX refunds_by_order ON refunds (order_id);
CREATE INDEX refunds_by_event_and_age ON refunds (event_no, created_at);
CREATE INDEX refunds_due ON refunds (created_at, refund_id) WHERE status = 'due';

-- The event does not take place; for ever.
ALTER TABLE events ADD COLUMN cancelled boolean NOT NULL DEFAULT false;

-- Whether a hold's end has been put off, which is done once.
ALTER TABLE holds ADD COLUMN extended boolean NOT NULL DEFAULT false;
