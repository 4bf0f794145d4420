-- What is looked at or asked for again and again has its pause in its row: no restart and no news cuts it.

-- What was taken unasked is not asked to be given back before: that was refused, or has come back.
ALTER TABLE payment_attempts ADD COLUMN again_at timestamptz;
-- A notice that could not be settled is not looked into before; none until somebody has looked.
ALTER TABLE provider_notices ADD COLUMN again_at timestamptz;

-- What nobody can read waits for people, in no sweep's way.
DROP INDEX provider_notices_unsettled;
CREATE INDEX provider_notices_unsettled ON provider_notices (received_at, notice_id)
    WHERE settled_at IS NULL AND kind <> 'unreadable';
