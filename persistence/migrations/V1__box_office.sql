-- What is for sale, who has it, and what was promised. Rules that must never break stand here again
-- as constraints with names; one that fires is a bug of ours, never a user's error.
--
-- Small numbers for states keep hot rows small; the view at the end spells seats' out for people.
-- No foreign key touches a table that each hold writes: it would lock a parent row. The audit joins.

-- Catalogue -------------------------------------------------------------------------------------

CREATE TABLE venues (
    venue_id   uuid PRIMARY KEY,
    slug       text NOT NULL CONSTRAINT venues_slug_unique UNIQUE,
    name       text NOT NULL,
    city       text NOT NULL,
    country    text NOT NULL CONSTRAINT venues_country_two_letters CHECK (country ~ '^[A-Z]{2}$'),
    lat        double precision NOT NULL CONSTRAINT venues_lat_in_range CHECK (lat BETWEEN -90 AND 90),
    lon        double precision NOT NULL CONSTRAINT venues_lon_in_range CHECK (lon BETWEEN -180 AND 180),
    timezone   text NOT NULL,
    capacity   integer NOT NULL CONSTRAINT venues_capacity_positive CHECK (capacity > 0),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- kind: 0 seated, 1 general. Seats of a section lie next to each other in index order.
CREATE TABLE venue_sections (
    venue_id   uuid NOT NULL REFERENCES venues,
    section_no smallint NOT NULL,
    name       text NOT NULL,
    kind       smallint NOT NULL CONSTRAINT venue_sections_kind_known CHECK (kind IN (0, 1)),
    capacity   integer NOT NULL CONSTRAINT venue_sections_capacity_positive CHECK (capacity > 0),
    first_seat integer,
    PRIMARY KEY (venue_id, section_no),
    CONSTRAINT venue_sections_seated_has_seats CHECK ((kind = 0) = (first_seat IS NOT NULL))
);
-- Names are shown as given and compared in NFC: "Ö" in one key or in two is one name.
CREATE UNIQUE INDEX venue_sections_name_unique ON venue_sections (venue_id, normalize(name, NFC));

-- Kinds of seats as the venue's own plan tells them apart; an event gives each a tier. Numbered from
-- 1: wherever a category stands, 0 is none.
CREATE TABLE venue_categories (
    venue_id    uuid NOT NULL REFERENCES venues,
    category_no smallint NOT NULL CONSTRAINT venue_categories_no_positive CHECK (category_no > 0),
    name        text NOT NULL,
    PRIMARY KEY (venue_id, category_no)
);
CREATE UNIQUE INDEX venue_categories_name_unique ON venue_categories (venue_id, normalize(name, NFC));

-- Which of them a section's seats have.
CREATE TABLE venue_section_categories (
    venue_id    uuid NOT NULL,
    section_no  smallint NOT NULL,
    category_no smallint NOT NULL,
    PRIMARY KEY (venue_id, section_no, category_no),
    FOREIGN KEY (venue_id, section_no) REFERENCES venue_sections,
    FOREIGN KEY (venue_id, category_no) REFERENCES venue_categories
);

-- Written once, with their venue, in one transaction: a foreign key would only be checked 60,000
-- times.
CREATE TABLE venue_seats (
    venue_id    uuid NOT NULL,
    seat_index  integer NOT NULL CONSTRAINT venue_seats_index_fits CHECK (seat_index BETWEEN 0 AND 1048575),
    section_no  smallint NOT NULL,
    category_no smallint NOT NULL DEFAULT 0 CONSTRAINT venue_seats_category_not_negative CHECK (category_no >= 0),
    label       text COLLATE "C" NOT NULL,
    row_label   text NOT NULL,
    seat_label  text NOT NULL,
    x           real NOT NULL,
    y           real NOT NULL,
    accessible  boolean NOT NULL DEFAULT false,
    PRIMARY KEY (venue_id, seat_index)
);
CREATE UNIQUE INDEX venue_seats_label_unique ON venue_seats (venue_id, normalize(label, NFC));

CREATE TABLE artists (
    artist_id uuid PRIMARY KEY,
    slug      text NOT NULL CONSTRAINT artists_slug_unique UNIQUE,
    name      text NOT NULL
);

CREATE TABLE events (
    event_no                    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id                    uuid NOT NULL CONSTRAINT events_id_unique UNIQUE,
    venue_id                    uuid NOT NULL REFERENCES venues,
    slug                        text NOT NULL CONSTRAINT events_slug_unique UNIQUE,
    name                        text NOT NULL,
    description                 text NOT NULL,
    category                    text NOT NULL,
    conditions                  text NOT NULL,
    starts_at                   timestamptz NOT NULL,
    currency                    text NOT NULL CONSTRAINT events_currency_three_letters CHECK (currency ~ '^[A-Z]{3}$'),
    opens_at                    timestamptz NOT NULL,
    closes_at                   timestamptz NOT NULL,
    hold_ttl_seconds            integer NOT NULL CONSTRAINT events_hold_ttl_in_range CHECK (hold_ttl_seconds BETWEEN 1 AND 3600),
    buyer_seats_max             integer NOT NULL CONSTRAINT events_buyer_seats_max_positive CHECK (buyer_seats_max > 0),
    waiting_room                boolean NOT NULL,
    paused                      boolean NOT NULL DEFAULT false,
    verifying_extension_seconds integer NOT NULL CONSTRAINT events_extension_not_negative CHECK (verifying_extension_seconds >= 0),
    created_at                  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT events_sale_in_order CHECK (opens_at < closes_at)
);

CREATE TABLE event_artists (
    event_no  integer NOT NULL REFERENCES events,
    place     smallint NOT NULL,
    artist_id uuid NOT NULL REFERENCES artists,
    PRIMARY KEY (event_no, place)
);

CREATE TABLE event_tiers (
    event_no integer NOT NULL REFERENCES events,
    tier_no  smallint NOT NULL,
    name     text NOT NULL,
    price    bigint NOT NULL CONSTRAINT event_tiers_price_not_negative CHECK (price >= 0),
    PRIMARY KEY (event_no, tier_no)
);
CREATE UNIQUE INDEX event_tiers_name_unique ON event_tiers (event_no, normalize(name, NFC));

-- What a section's seats of a category cost; category_no 0 is all of a section that has none.
CREATE TABLE event_section_tiers (
    event_no    integer NOT NULL,
    section_no  smallint NOT NULL,
    category_no smallint NOT NULL DEFAULT 0,
    tier_no     smallint NOT NULL,
    PRIMARY KEY (event_no, section_no, category_no),
    FOREIGN KEY (event_no, tier_no) REFERENCES event_tiers
);

-- percent: ten-thousandths of a percent; 5.00 % is 50000.
CREATE TABLE event_fees (
    event_no integer NOT NULL REFERENCES events,
    place    smallint NOT NULL,
    name     text NOT NULL,
    percent  integer NOT NULL CONSTRAINT event_fees_percent_in_range CHECK (percent BETWEEN 0 AND 1000000),
    fixed    bigint NOT NULL CONSTRAINT event_fees_fixed_not_negative CHECK (fixed >= 0),
    PRIMARY KEY (event_no, place)
);

-- The trail. What is done to an event, its lane writes with the deed; the rest is of no event.
CREATE TABLE operator_actions (
    action_id uuid PRIMARY KEY,
    event_no  integer,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    who       text NOT NULL,
    what      text NOT NULL,
    why       text NOT NULL,
    detail    jsonb NOT NULL
);
CREATE INDEX operator_actions_by_age ON operator_actions (at DESC, action_id);
CREATE INDEX operator_actions_by_event_and_age ON operator_actions (event_no, at DESC, action_id);

-- One row. purchases_paused: why an operator has stopped all purchases; null, they go on.
CREATE TABLE site (
    one_row          boolean PRIMARY KEY DEFAULT true CONSTRAINT site_one_row CHECK (one_row),
    purchases_paused text
);
INSERT INTO site DEFAULT VALUES;

-- Ownership -------------------------------------------------------------------------------------

-- One row an event: its owner's number (epoch) and process (owner), how many batches have committed
-- (seq), and the latest time that any of them carried. The head's conditional update is the fence.
CREATE TABLE event_heads (
    event_no   integer PRIMARY KEY,
    epoch      bigint NOT NULL DEFAULT 0 CONSTRAINT event_heads_epoch_not_negative CHECK (epoch >= 0),
    owner      uuid,
    seq        bigint NOT NULL DEFAULT 0 CONSTRAINT event_heads_seq_not_negative CHECK (seq >= 0),
    decided_at timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 10);

-- Inventory: only the event's lane writes these ---------------------------------------------------

-- seat_key: event_no * 2^20 + seat_index. state: 0 available, 1 held, 2 sold, 3 blocked.
-- The key is the only index, and a hold does not change it: updates stay HOT.
-- Few rows to a page: whoever comes to a page that has changed clears it first, and that costs by the
-- rows on it (with buyers, 4 % of a batch). A stadium takes 10 MB.
CREATE TABLE seats (
    seat_key bigint PRIMARY KEY,
    state    smallint NOT NULL DEFAULT 0 CONSTRAINT seats_state_known CHECK (state BETWEEN 0 AND 3),
    hold_id  uuid,
    CONSTRAINT seats_state_agrees_with_owner CHECK ((state IN (1, 2)) = (hold_id IS NOT NULL))
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.5);

CREATE TABLE general_areas (
    event_no   integer NOT NULL,
    section_no smallint NOT NULL,
    capacity   integer NOT NULL,
    held       integer NOT NULL DEFAULT 0 CONSTRAINT general_areas_held_not_negative CHECK (held >= 0),
    sold       integer NOT NULL DEFAULT 0 CONSTRAINT general_areas_sold_not_negative CHECK (sold >= 0),
    PRIMARY KEY (event_no, section_no),
    CONSTRAINT general_areas_within_capacity CHECK (held + sold <= capacity)
) WITH (fillfactor = 10);

-- How many seats a buyer holds and owns in an event; the limit of the sale stands beside it.
CREATE TABLE buyers (
    event_no  integer NOT NULL,
    buyer     text NOT NULL,
    seats     integer NOT NULL CONSTRAINT buyers_seats_not_negative CHECK (seats >= 0),
    seats_max integer NOT NULL,
    PRIMARY KEY (event_no, buyer),
    CONSTRAINT buyers_within_limit CHECK (seats <= seats_max)
) WITH (fillfactor = 25);

-- status: 0 active, 1 released, 2 expired, 3 converted. Seats are indexes in the event, of any number
-- of sections; one unit price for each seat, then one for each place; fees in the event's order. What
-- was declined, and why these seats, stands in remarks, which most holds do not have.
-- Each hold ends once; its second version should find room beside the first (12 % of a batch's cost).
-- What its end changes stands together behind the rest: the log then repeats nothing else.
CREATE TABLE holds (
    hold_id     uuid PRIMARY KEY,
    event_no    integer NOT NULL,
    buyer       text NOT NULL,
    fingerprint bytea NOT NULL CONSTRAINT holds_fingerprint_sha256 CHECK (octet_length(fingerprint) = 32),
    seats       integer[] NOT NULL,
    quantity    integer NOT NULL CONSTRAINT holds_quantity_positive CHECK (quantity > 0),
    unit_prices bigint[] NOT NULL,
    fees        bigint[] NOT NULL,
    total       bigint NOT NULL CONSTRAINT holds_total_not_negative CHECK (total >= 0),
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    status      smallint NOT NULL CONSTRAINT holds_status_known CHECK (status BETWEEN 0 AND 3),
    ended_at    timestamptz,
    remarks     jsonb,
    CONSTRAINT holds_seats_agree_with_quantity CHECK (cardinality(seats) <= quantity),
    CONSTRAINT holds_prices_agree_with_quantity CHECK (cardinality(unit_prices) = quantity)
) WITH (fillfactor = 50);

-- Places of general sections that a hold takes, in the order asked for. With its seats they are its
-- quantity.
CREATE TABLE hold_places (
    hold_id    uuid NOT NULL,
    section_no smallint NOT NULL,
    place      smallint NOT NULL,
    quantity   integer NOT NULL CONSTRAINT hold_places_quantity_positive CHECK (quantity > 0),
    PRIMARY KEY (hold_id, section_no)
);

-- status: 0 open, 1 confirmed, 2 cancelled, 3 expired.
CREATE TABLE orders (
    order_id   uuid PRIMARY KEY,
    hold_id    uuid NOT NULL CONSTRAINT orders_one_a_hold UNIQUE,
    event_no   integer NOT NULL,
    buyer      text NOT NULL,
    status     smallint NOT NULL CONSTRAINT orders_status_known CHECK (status BETWEEN 0 AND 3),
    total      bigint NOT NULL CONSTRAINT orders_total_not_negative CHECK (total >= 0),
    created_at timestamptz NOT NULL,
    ended_at   timestamptz
) WITH (fillfactor = 80);
CREATE INDEX orders_by_buyer_and_age ON orders (buyer, created_at DESC, order_id);

-- status: 0 valid, 1 void, 2 used.
CREATE TABLE tickets (
    ticket_id  uuid PRIMARY KEY,
    order_id   uuid NOT NULL,
    event_no   integer NOT NULL,
    section_no smallint NOT NULL,
    seat_key   bigint,
    status     smallint NOT NULL DEFAULT 0 CONSTRAINT tickets_status_known CHECK (status BETWEEN 0 AND 2),
    issued_at  timestamptz NOT NULL
);
CREATE UNIQUE INDEX tickets_one_valid_a_seat ON tickets (seat_key) WHERE status <> 1;
CREATE INDEX tickets_by_order ON tickets (order_id);

-- What a key of an operation stands for, where no row of its own says so. operation: 0 orders,
-- 1 payments. result: 0 order made, 1 order found, 2 hold-not-active, 3 order-not-payable; detail is
-- the hold's or order's status in the latter two.
CREATE TABLE receipts (
    receipt_id  uuid PRIMARY KEY,
    event_no    integer NOT NULL,
    operation   smallint NOT NULL CONSTRAINT receipts_operation_known CHECK (operation IN (0, 1)),
    fingerprint bytea NOT NULL CONSTRAINT receipts_fingerprint_sha256 CHECK (octet_length(fingerprint) = 32),
    result      smallint NOT NULL CONSTRAINT receipts_result_known CHECK (result BETWEEN 0 AND 3),
    order_id    uuid,
    detail      text,
    created_at  timestamptz NOT NULL,
    CONSTRAINT receipts_order_agrees_with_result CHECK ((result IN (0, 1)) = (order_id IS NOT NULL))
);
CREATE INDEX receipts_by_event_and_age ON receipts (event_no, created_at);

-- One row a batch: what happened, in order, in the engine's binary format. Written in the statement
-- that does it. Not compressed: that cost 15 to 17 % of the whole statement.
CREATE TABLE outbox (
    event_no   integer NOT NULL,
    seq        bigint NOT NULL,
    payload    bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (event_no, seq)
);
ALTER TABLE outbox ALTER COLUMN payload SET STORAGE EXTERNAL;

-- What an event refused within a second or so: a list of who asked for what, and why not, in order.
-- Written beside the lane, after the answers; a crash loses the last second. Pages are numbered by event,
-- from 1; whoever writes one deletes those that are too many.
CREATE TABLE refusals (
    event_no   integer NOT NULL,
    page       bigint NOT NULL CONSTRAINT refusals_page_positive CHECK (page > 0),
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    refusals   jsonb NOT NULL CONSTRAINT refusals_is_a_list CHECK (jsonb_typeof(refusals) = 'array'),
    PRIMARY KEY (event_no, page)
);

-- Money -----------------------------------------------------------------------------------------

-- The workflow writes these, except that from 'authorized' only the lane moves one on.
-- What the buyer has to do next is an address to open or the provider's secret; reserved is what the
-- provider has set aside or taken, in minor units of reserved_in.
CREATE TABLE payment_attempts (
    attempt_id     uuid PRIMARY KEY,
    order_id       uuid NOT NULL REFERENCES orders,
    event_no       integer NOT NULL,
    buyer          text NOT NULL,
    fingerprint    bytea NOT NULL CONSTRAINT payment_attempts_fingerprint_sha256 CHECK (octet_length(fingerprint) = 32),
    method         text NOT NULL,
    provider       text NOT NULL,
    amount         bigint NOT NULL CONSTRAINT payment_attempts_amount_positive CHECK (amount > 0),
    currency       text NOT NULL,
    status         text NOT NULL CONSTRAINT payment_attempts_status_known CHECK (status IN (
        'pending', 'requires_action', 'verifying', 'authorized', 'confirmed', 'void_due', 'refund_due',
        'capture_failed', 'captured', 'declined', 'voided', 'refunded', 'failed')),
    reference      text,
    failure_code   text,
    failure_detail text,
    next_redirect  text,
    next_secret    text,
    errors         integer NOT NULL DEFAULT 0 CONSTRAINT payment_attempts_errors_not_negative CHECK (errors >= 0),
    reserved       bigint CONSTRAINT payment_attempts_reserved_positive CHECK (reserved > 0),
    reserved_in    text,
    lapses_at      timestamptz,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    resolved_at    timestamptz,
    CONSTRAINT payment_attempts_money_has_reference CHECK (
        status NOT IN ('authorized', 'confirmed', 'void_due', 'refund_due', 'capture_failed', 'captured',
                       'voided', 'refunded') OR reference IS NOT NULL),
    CONSTRAINT payment_attempts_reserved_whole CHECK ((reserved IS NULL) = (reserved_in IS NULL)),
    CONSTRAINT payment_attempts_one_next_action CHECK (next_redirect IS NULL OR next_secret IS NULL),
    CONSTRAINT payment_attempts_failure_whole CHECK ((failure_code IS NULL) = (failure_detail IS NULL))
);
CREATE UNIQUE INDEX payment_attempts_one_open_an_order ON payment_attempts (order_id)
    WHERE status IN ('pending', 'requires_action', 'verifying', 'authorized');
CREATE UNIQUE INDEX payment_attempts_one_sale_an_order ON payment_attempts (order_id)
    WHERE status IN ('confirmed', 'capture_failed', 'captured');
CREATE INDEX payment_attempts_by_order ON payment_attempts (order_id, created_at);
CREATE INDEX payment_attempts_unfinished ON payment_attempts (created_at)
    WHERE status NOT IN ('capture_failed', 'captured', 'declined', 'voided', 'refunded', 'failed');
CREATE INDEX payment_attempts_by_reference ON payment_attempts (reference) WHERE reference IS NOT NULL;
CREATE INDEX payment_attempts_reserved ON payment_attempts (lapses_at)
    WHERE status IN ('authorized', 'confirmed', 'void_due', 'capture_failed');

-- For people ------------------------------------------------------------------------------------

CREATE VIEW seat_owners AS
    SELECT e.slug AS event, v.label, (ARRAY['available', 'held', 'sold', 'blocked'])[s.state + 1] AS state,
           h.buyer, h.expires_at, s.hold_id
      FROM events e
      JOIN venue_seats v USING (venue_id)
      JOIN seats s ON s.seat_key = e.event_no::bigint * 1048576 + v.seat_index
      LEFT JOIN holds h USING (hold_id);
