//! A catalogue in rows, as large as one likes: venues of twelve sections, and events with three prices, two fees and
//! two artists each. Nobody sells them, so they have no seats.

use taquilla_engine::id::{EventId, EventNumber};
use tokio_postgres::Client;
use uuid::Uuid;

/// $1: how many events.
const BEFORE: [&str; 4] = [
    "/* made_up_venues */ \
     INSERT INTO venues (venue_id, slug, name, city, country, lat, lon, timezone) \
     SELECT lpad(n::text, 32, '0')::uuid, 'venue-' || n, 'Sala ' || n, 'Ciudad ' || n % 500, 'ES', \
            36 + n % 24, n % 30, 'Europe/Madrid' FROM generate_series(0, $1::integer / 50) AS n",
    "/* made_up_plans */ \
     INSERT INTO seating_plans (plan_id, venue_id, hall, version, capacity) \
     SELECT venue_id, venue_id, 'main', 1, 12000 FROM venues WHERE $1::integer > 0",
    "/* made_up_sections */ \
     INSERT INTO plan_sections (plan_id, section_no, name, kind, capacity, first_seat, seats) \
     SELECT lpad(n::text, 32, '0')::uuid, s, 'Sector ' || s, (s > 9)::integer, 1000, \
            CASE WHEN s <= 9 THEN s * 1000 END, CASE WHEN s <= 9 THEN 1000 END \
       FROM generate_series(0, $1::integer / 50) AS n, generate_series(0, 11) AS s",
    "/* made_up_artists */ \
     INSERT INTO artists (artist_id, slug, name) \
     SELECT lpad(n::text, 32, '0')::uuid, 'artist-' || n, 'Artista ' || md5(n::text) \
       FROM generate_series(0, $1::integer / 20) AS n",
];

/// $1: their ids, by number.
const EVENTS: &str = "/* made_up_events */ \
     INSERT INTO events (event_no, event_id, venue_id, plan_id, slug, name, description, category, conditions, \
            starts_at, currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, waiting_room, \
            verifying_extension_seconds) \
     OVERRIDING SYSTEM VALUE \
     SELECT n, id, lpad((n / 50)::text, 32, '0')::uuid, lpad((n / 50)::text, 32, '0')::uuid, 'event-' || n, 'Noche ' || md5(n::text), \
            repeat('Una noche. ', 20), 'rock', 'Sin paraguas', \
            '2099-01-01'::timestamptz + n % 700 * interval '1 day', 'EUR', '2000-01-01', '2099-01-01', \
            480, 6, false, 60 \
       FROM unnest($1::uuid[]) WITH ORDINALITY AS e (id, n)";

/// $1: how many events.
const BEHIND: [&str; 5] = [
    "/* made_up_tiers */ INSERT INTO event_tiers (event_no, tier_no, name, price) \
     SELECT n, t, 'Precio ' || t, 3000 + 1000 * t \
       FROM generate_series(1, $1::integer) AS n, generate_series(0, 2) AS t",
    "/* made_up_section_tiers */ \
     INSERT INTO event_section_tiers (event_no, section_no, tier_no) \
     SELECT n, s, s % 3 FROM generate_series(1, $1::integer) AS n, generate_series(0, 11) AS s",
    "/* made_up_fees */ INSERT INTO event_fees (event_no, place, name, percent, fixed) \
     SELECT n, f, 'Gasto ' || f, 50000, 100 \
       FROM generate_series(1, $1::integer) AS n, generate_series(0, 1) AS f",
    "/* made_up_artists_of_events */ INSERT INTO event_artists (event_no, place, artist_id) \
     SELECT n, p, lpad(((n + p) / 20)::text, 32, '0')::uuid \
       FROM generate_series(1, $1::integer) AS n, generate_series(0, 1) AS p",
    "/* made_up_areas */ INSERT INTO general_areas (event_no, section_no, capacity) \
     SELECT n, s, 1000 FROM generate_series(1, $1::integer) AS n, generate_series(10, 11) AS s",
];

/// Makes the rows of so many events, and lets the server know its tables.
///
/// # Panics
/// If there are some already.
pub async fn make(client: &Client, events: i32) {
    let id = |number| EventId::new(EventNumber(number), [7; 11]).uuid();
    let ids: Vec<Uuid> = (1..=events).map(id).collect();
    for sql in BEFORE {
        client.execute(sql, &[&events]).await.expect(sql);
    }
    client.execute(EVENTS, &[&ids]).await.expect(EVENTS);
    for sql in BEHIND {
        client.execute(sql, &[&events]).await.expect(sql);
    }
    client.batch_execute("VACUUM ANALYZE").await.expect("a superuser may");
}
