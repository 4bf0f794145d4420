-- The story of a seat asks what gates said of its tickets.
CREATE INDEX ticket_scans_by_ticket ON ticket_scans (ticket_id) WHERE ticket_id IS NOT NULL;
