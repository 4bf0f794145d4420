-- What was given back, and came back to us, is owed anew. Buyers go on seeing the order as it ended.

-- The order had been given back whole when this came back.
ALTER TABLE refunds ADD COLUMN came_back_ended boolean NOT NULL DEFAULT false;
-- What was taken unasked had been given back once.
ALTER TABLE payment_attempts ADD COLUMN came_back boolean NOT NULL DEFAULT false;
