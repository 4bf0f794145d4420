-- Our record of money against the payment provider's own, and what follows for new payments.

-- payments_closed: why no new payment is taken, since the last reconciliation; null, they are taken. Holds,
-- orders, replays and what is under way go on.
ALTER TABLE site
    ADD COLUMN payments_closed text,
    ADD COLUMN payments_closed_at timestamptz,
    ADD CONSTRAINT site_payments_closed_since CHECK ((payments_closed IS NULL) = (payments_closed_at IS NULL));

-- One row a run. verdict: null while it is made, then failed (failure says why), or what was found.
-- holds_until: when a run that is being made counts as given up, unless it says that it lives.
-- differences: the first of them; counts: all of them, by kind. accepted_by: who opened payments again all
-- the same; what he has seen does not close them another time.
CREATE TABLE reconciliations (
    run_id       uuid PRIMARY KEY,
    provider     text NOT NULL,
    started_by   text NOT NULL,
    started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    holds_until  timestamptz NOT NULL,
    ended_at     timestamptz,
    verdict      text CONSTRAINT reconciliations_verdict_known CHECK (verdict IN (
        'failed', 'clean', 'differing', 'unsafe')),
    failure      text,
    since        timestamptz NOT NULL,
    records      bigint NOT NULL DEFAULT 0 CONSTRAINT reconciliations_records_not_negative CHECK (records >= 0),
    attempts     bigint NOT NULL DEFAULT 0 CONSTRAINT reconciliations_attempts_not_negative CHECK (attempts >= 0),
    in_flight    bigint NOT NULL DEFAULT 0 CONSTRAINT reconciliations_in_flight_not_negative CHECK (in_flight >= 0),
    unsafe_count bigint NOT NULL DEFAULT 0 CONSTRAINT reconciliations_unsafe_not_negative CHECK (unsafe_count >= 0),
    counts       jsonb NOT NULL DEFAULT '{}',
    differences  jsonb NOT NULL DEFAULT '[]',
    accepted_by  text,
    accepted_at  timestamptz,
    CONSTRAINT reconciliations_ended_has_verdict CHECK ((ended_at IS NULL) = (verdict IS NULL)),
    CONSTRAINT reconciliations_failed_says_why CHECK ((verdict IS NOT DISTINCT FROM 'failed') = (failure IS NOT NULL)),
    CONSTRAINT reconciliations_unsafe_has_some CHECK ((verdict IS NOT DISTINCT FROM 'unsafe') = (unsafe_count > 0)),
    CONSTRAINT reconciliations_accepted_by_whom CHECK ((accepted_by IS NULL) = (accepted_at IS NULL))
);
-- One at a time, whoever starts it.
CREATE UNIQUE INDEX reconciliations_one_at_a_time ON reconciliations ((true)) WHERE verdict IS NULL;
CREATE INDEX reconciliations_by_age ON reconciliations (started_at DESC);

-- Attempts by when they were recorded: a run reads a window of them. Neither column ever changes.
CREATE INDEX payment_attempts_by_age ON payment_attempts (created_at, attempt_id);
