//! Whether the auditor finds what may be wrong with a waiting room's line: of each rule a breach is planted.

use secrecy::ExposeSecret;
use taquilla_auditor::{Line, read_line};
use taquilla_persistence::private_postgres::scratch;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

const EVENT: Uuid = Uuid::from_u128(7);

/// The columns that are read, without the constraints that keep most of this out. Four took part, two came
/// later; three were called, and two of them came.
const CLEAN: &str = "
DROP TABLE IF EXISTS events, queue_heads, queue_tickets, queue_calls;
CREATE TABLE events (event_no integer, event_id uuid, opens_at timestamptz);
CREATE TABLE queue_heads (event_no integer, joined integer, present integer, served integer);
CREATE TABLE queue_tickets (event_no integer, number integer, ticket_id uuid, buyer text,
    joined_at timestamptz, turn smallint, turned_at timestamptz);
CREATE TABLE queue_calls (event_no integer, served integer, at timestamptz);
INSERT INTO events VALUES (1, '00000000-0000-0000-0000-000000000007', '2030-01-01 12:00Z');
INSERT INTO queue_heads VALUES (1, 6, 4, 3);
INSERT INTO queue_tickets SELECT 1, n, ('00000000-0000-0000-0000-00000000010' || n)::uuid,
    'buyer-' || n, '2030-01-01 11:59Z'::timestamptz + n / 4 * interval '2 minutes'
    FROM generate_series(0, 5) n;
UPDATE queue_tickets SET turn = 2 * number, turned_at = '2030-01-01 12:01:10Z' WHERE number < 2;
INSERT INTO queue_calls VALUES (1, 1, '2030-01-01 12:01Z'), (1, 3, '2030-01-01 12:01:01Z');";

/// What is done to clean rows, and which rule finds it.
const PLANTED: &[(&str, &str)] = &[
    ("numbers count from 0 without a gap", "UPDATE queue_tickets SET number = 9 WHERE number = 5"),
    ("numbers count from 0 without a gap", "UPDATE queue_heads SET joined = 7"),
    (
        "a buyer has one place among those present at the draw",
        "UPDATE queue_tickets SET buyer = 'buyer-0' WHERE number = 3",
    ),
    (
        "a buyer has one place in the line at a time",
        "UPDATE queue_tickets SET buyer = 'buyer-4' WHERE number = 5",
    ),
    (
        "a ticket is one buyer's, and a buyer's tickets are one",
        "UPDATE queue_tickets SET ticket_id = (SELECT ticket_id FROM queue_tickets
            WHERE number = 1) WHERE number = 2",
    ),
    (
        "who was present had joined by the opening, and later ones after it",
        "UPDATE queue_tickets SET joined_at = '2030-01-01 11:59Z' WHERE number = 4",
    ),
    (
        "who was present had joined by the opening, and later ones after it",
        "UPDATE queue_tickets SET joined_at = '2030-01-01 12:00:01Z' WHERE number = 3",
    ),
    ("more are called later", "UPDATE queue_calls SET at = '2030-01-01 12:02Z' WHERE served = 1"),
    (
        "nobody came before the first call",
        "UPDATE queue_tickets SET turned_at = '2030-01-01 12:00:30Z' WHERE number = 0",
    ),
    (
        "a buyer has one admission at a time",
        "UPDATE queue_tickets SET buyer = 'buyer-0' WHERE number = 1",
    ),
];

async fn line_with(client: &Client, url: &str, planted: &str) -> Line {
    client.batch_execute(CLEAN).await.expect("clean rows");
    client.batch_execute(planted).await.expect("a breach");
    read_line(url, EVENT, 600.0).await.expect("it can be read").expect("there is a line")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_breach_of_a_line_is_found_and_a_clean_line_passes() {
    let cluster = scratch::shared().await;
    cluster.postgres.create_database("lines").await.expect("a database");
    let url = cluster.settings("lines").url;
    let url = url.expose_secret();
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
    let driven = tokio::spawn(connection);
    let clean = line_with(&client, url, "").await;
    assert!(clean.broken.is_empty(), "{:?}", clean.broken);
    assert_eq!((clean.present, clean.joined), (4, 6));
    assert!(clean.called_at(0) < clean.called_at(1) && clean.called_at(1) == clean.called_at(2));
    assert_eq!(clean.called_at(3), None);
    for (rule, planted) in PLANTED {
        let line = line_with(&client, url, planted).await;
        assert!(line.broken.iter().any(|(found, _)| found == rule), "{planted}: {:?}", line.broken);
    }
    driven.abort();
}
