-- The story of a seat asks what gates said of its tickets.
CREATE INDEX ticket_scans_by_ticket ON ticket_scans (ticket_id) WHERE ticket_id IS NOT NULL;

-- A capture that was refused and that nobody settled: its tickets are to be taken back, then the money
-- is let go.
ALTER TABLE payment_attempts
    DROP CONSTRAINT payment_attempts_status_known,
    ADD CONSTRAINT payment_attempts_status_known CHECK (status IN (
        'pending', 'requires_action', 'verifying', 'authorized', 'confirmed', 'void_due', 'refund_due',
        'capture_failed', 'return_due', 'captured', 'declined', 'voided', 'refunded', 'failed')),
    DROP CONSTRAINT payment_attempts_money_has_reference,
    ADD CONSTRAINT payment_attempts_money_has_reference CHECK (
        status NOT IN ('authorized', 'confirmed', 'void_due', 'refund_due', 'capture_failed', 'return_due',
                       'captured', 'voided', 'refunded') OR reference IS NOT NULL);
DROP INDEX payment_attempts_one_sale_an_order;
CREATE UNIQUE INDEX payment_attempts_one_sale_an_order ON payment_attempts (order_id)
    WHERE status IN ('confirmed', 'capture_failed', 'return_due', 'captured');
DROP INDEX payment_attempts_reserved;
CREATE INDEX payment_attempts_reserved ON payment_attempts (lapses_at)
    WHERE status IN ('authorized', 'confirmed', 'void_due', 'capture_failed', 'return_due');

-- A refund that the provider refused is not asked for again before then.
ALTER TABLE refunds ADD COLUMN again_at timestamptz;
