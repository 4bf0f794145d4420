-- What moved, and what the provider told us.

-- How each movement is booked: what it adds to an account, of the whole amount and of the fees in it.
-- Every rule sums to zero, so whatever is booked by it does.
--   reserved  what providers have set aside for us       pledged  the same, owed to nobody yet
--   provider  what providers owe us                      sales, fees  what was sold
--   owed      what buyers are to get back                chargebacks  what banks took back
CREATE TABLE ledger_rules (
    rule     text NOT NULL,
    kind     text NOT NULL CONSTRAINT ledger_rules_kind_known CHECK (kind IN (
        'authorisation', 'capture', 'void', 'refund', 'fee', 'chargeback')),
    account  text NOT NULL CONSTRAINT ledger_rules_account_known CHECK (account IN (
        'reserved', 'pledged', 'provider', 'sales', 'fees', 'owed', 'chargebacks')),
    of_whole smallint NOT NULL,
    of_fees  smallint NOT NULL,
    PRIMARY KEY (rule, kind, account)
);
INSERT INTO ledger_rules (rule, kind, account, of_whole, of_fees) VALUES
    ('authorised',   'authorisation', 'reserved',    +1,  0),
    ('authorised',   'authorisation', 'pledged',     -1,  0),
    ('voided',       'void',          'reserved',    -1,  0),
    ('voided',       'void',          'pledged',     +1,  0),
    ('captured',     'capture',       'reserved',    -1,  0),
    ('captured',     'capture',       'pledged',     +1,  0),
    ('captured',     'capture',       'provider',    +1,  0),
    ('captured',     'capture',       'sales',       -1,  0),
    ('captured',     'fee',           'sales',        0, +1),
    ('captured',     'fee',           'fees',         0, -1),
    -- Taken, and nobody had asked for it: no sale.
    ('taken',        'capture',       'reserved',    -1,  0),
    ('taken',        'capture',       'pledged',     +1,  0),
    ('taken',        'capture',       'provider',    +1,  0),
    ('taken',        'capture',       'owed',        -1,  0),
    ('returned',     'refund',        'provider',    -1,  0),
    ('returned',     'refund',        'owed',        +1,  0),
    ('refunded',     'refund',        'provider',    -1,  0),
    ('refunded',     'refund',        'sales',       +1,  0),
    ('refunded',     'fee',           'sales',        0, -1),
    ('refunded',     'fee',           'fees',         0, +1),
    ('charged_back', 'chargeback',    'provider',    -1,  0),
    ('charged_back', 'chargeback',    'chargebacks', +1,  0);

-- Append-only, written in the transaction of the transition that it books. name: empty for what happens to
-- an attempt once, else the refund's or the notice's.
CREATE TABLE ledger (
    posting_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id uuid NOT NULL,
    order_id   uuid NOT NULL,
    event_no   integer NOT NULL,
    kind       text NOT NULL,
    name       text NOT NULL DEFAULT '',
    account    text NOT NULL,
    amount     bigint NOT NULL CONSTRAINT ledger_amount_not_zero CHECK (amount <> 0),
    currency   text NOT NULL,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT ledger_booked_once UNIQUE (attempt_id, kind, name, account)
);
CREATE INDEX ledger_by_order ON ledger (order_id, posting_no);

-- Who owns a table may do anything to it unless he forbids it to himself; a superuser may all the same,
-- so the table says no as well.
REVOKE UPDATE, DELETE, TRUNCATE ON ledger FROM PUBLIC, CURRENT_USER;

CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only: book the reverse instead' USING ERRCODE = '42501';
END $$;
CREATE TRIGGER ledger_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- The inbox: what providers sent by themselves, as it came, signature and all checked. One row a notice,
-- however often it comes. settled_at: when everything that it tells of had been looked into.
CREATE TABLE provider_notices (
    provider    text NOT NULL,
    notice_id   text NOT NULL,
    kind        text NOT NULL,
    attempt_id  uuid,
    reference   text,
    amount      bigint,
    currency    text,
    body        bytea NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    settled_at  timestamptz,
    PRIMARY KEY (provider, notice_id)
);
CREATE INDEX provider_notices_unsettled ON provider_notices (received_at) WHERE settled_at IS NULL;
CREATE INDEX provider_notices_by_age ON provider_notices (received_at);
