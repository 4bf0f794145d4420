-- One row an event: who owns it (epoch) and how far its history goes (seq).
-- fillfactor: the row changes with every batch, and each new version should find room on its page.
CREATE TABLE event_heads (
    event_no   integer     PRIMARY KEY,
    epoch      bigint      NOT NULL DEFAULT 0 CONSTRAINT event_heads_epoch_not_negative CHECK (epoch >= 0),
    seq        bigint      NOT NULL DEFAULT 0 CONSTRAINT event_heads_seq_not_negative CHECK (seq >= 0),
    decided_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
