//! Seat maps and availability.

use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::box_office::BoxOffice;
use super::client::Answer;

const MAP: &str = "/events/noche/seatmap";
pub(super) const FREE: &str = "/events/noche/availability";

pub(super) async fn get(office: &BoxOffice, path: &str, headers: &[(&str, &str)]) -> Answer {
    let call = office.anyone(Method::GET, path);
    headers.iter().fold(call, |call, (name, value)| call.header(name, value)).send().await
}

/// Reads until the map says that these are free; the map follows within a tick.
pub(super) async fn published(office: &BoxOffice, packed: &[u8]) -> Value {
    for _ in 0..2_000 {
        let map = get(office, FREE, &[]).await;
        if map.status == 200 {
            let map = map.json();
            let seats = STANDARD.decode(map["seats"].as_str().expect("text")).expect("base64");
            if seats == packed {
                return map;
            }
        }
        office.app.catalogue.all_event_numbers().await.expect("a round trip's pause");
    }
    panic!("the map never shows {packed:?}");
}

#[tokio::test]
async fn a_seat_map_has_every_seat_in_index_order_and_is_immutable() {
    let (office, _) = BoxOffice::open("seat_map").await;
    let plain = get(&office, MAP, &[]).await;
    let map = plain.ok(200);
    let sections = json!([
        {"section": "A", "kind": "seated", "capacity": 8},
        {"section": "B", "kind": "seated", "capacity": 2},
        {"section": "FLOOR", "kind": "general", "capacity": 10}]);
    assert_eq!(map["sections"], sections);
    let seats = map["seats"].as_array().expect("seats");
    let labels: Vec<_> = seats.iter().map(|seat| seat["label"].as_str().expect("text")).collect();
    assert_eq!(labels[..5], ["A-1-1", "A-1-2", "A-1-3", "A-1-4", "A-2-1"]);
    assert_eq!(labels[8..], ["B-1-1", "B-1-2"]);
    assert_eq!((&seats[0]["accessible"], seats[1].get("accessible")), (&json!(true), None));
    assert_eq!(
        (&seats[4]["row"], &seats[4]["seat"], &seats[4]["tier"]),
        (&json!("2"), &json!("1"), &json!("gold"))
    );
    assert!(seats.iter().all(|seat| seat["x"].is_number() && seat["y"].is_number()));

    let etag = plain.header("etag").expect("a tag").to_owned();
    assert_eq!(get(&office, MAP, &[("if-none-match", &etag)]).await.status, 304);
    let versioned = format!("{MAP}?v={}", etag.trim_matches('"'));
    let immutable = get(&office, &versioned, &[]).await;
    let cached = immutable.header("cache-control").expect("one");
    assert_eq!(cached, "public, max-age=31536000, immutable");
    assert!(!plain.header("cache-control").expect("one").contains("immutable"));
    let gzip = get(&office, MAP, &[("accept-encoding", "br, gzip")]).await;
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    assert_eq!(gzip.bytes[..2], [0x1f, 0x8b]);
    assert!(gzip.bytes.len() < plain.bytes.len());
    let packed = gzip.header("etag").expect("a tag");
    assert_ne!(packed, etag, "other bytes have another tag");
    let takes = |encoding| [("accept-encoding", encoding), ("if-none-match", packed)];
    assert_eq!(get(&office, MAP, &takes("gzip")).await.status, 304);
    assert_eq!(get(&office, MAP, &takes("identity")).await.status, 200);
    let versioned = format!("{MAP}?v={}", packed.trim_matches('"'));
    let immutable = get(&office, &versioned, &[]).await;
    assert!(immutable.header("cache-control").expect("one").contains("immutable"));
    for (encodings, coding) in [
        ("gzip;q=0", None),
        ("gzip;q=0.2, identity", None),
        ("identity;q=0.5, gzip", Some("gzip")),
        ("*", Some("gzip")),
        ("br, *;q=0", None),
    ] {
        let map = get(&office, MAP, &[("accept-encoding", encodings)]).await;
        assert_eq!(map.header("content-encoding"), coding, "{encodings}");
    }
    assert_eq!(get(&office, "/events/nada/seatmap", &[]).await.status, 404);
    assert_eq!(get(&office, &format!("{MAP}?w=1"), &[]).await.pointers(), ["?w"]);
}

#[tokio::test]
async fn availability_follows_holds_in_both_forms() {
    let (office, event) = BoxOffice::open("availability").await;
    let empty = published(&office, &[0, 0, 0]).await;
    assert_eq!(empty["general"], json!([{"section": "FLOOR", "available": 10}]));
    office.hold("ana", "k", &event, &["A-1-2", "A-2-1"]).send().await.ok(201);
    let held = published(&office, &[0b0000_0100, 0b0000_0001, 0]).await;
    assert!(held["version"].as_i64() > empty["version"].as_i64());

    let json = get(&office, FREE, &[]).await;
    assert_eq!(json.header("cache-control"), Some("public, max-age=1"));
    let etag = json.header("etag").expect("a tag").to_owned();
    assert_eq!(get(&office, FREE, &[("if-none-match", &etag)]).await.status, 304);
    let binary = get(&office, FREE, &[("accept", "application/octet-stream")]).await;
    assert_eq!(binary.header("content-type"), Some("application/octet-stream"));
    assert_ne!(binary.header("etag"), Some(etag.as_str()));
    for (accept, media) in [
        ("application/octet-stream;q=0.5, application/json", "application/json"),
        ("application/octet-stream, */*;q=0.1", "application/octet-stream"),
        ("application/octet-stream;q=0", "application/json"),
        ("*/*", "application/json"),
    ] {
        let map = get(&office, FREE, &[("accept", accept)]).await;
        assert_eq!(map.header("content-type"), Some(media), "{accept}");
    }
    let number = |at: usize| u32::from_le_bytes(binary.bytes[at..at + 4].try_into().expect("four"));
    assert_eq!(&binary.bytes[..8], b"TQAV\x01\0\0\0");
    assert_eq!(i64::from(number(8)), held["version"].as_i64().expect("a number"));
    assert_eq!((number(24), number(28)), (10, 1));
    assert_eq!(binary.bytes[32..36], [0b0000_0100, 0b0000_0001, 0, 0]);
    assert_eq!((number(36), binary.bytes.len()), (10, 40));
    assert_eq!(get(&office, &format!("{FREE}?since=0"), &[]).await.status, 200);
    assert_eq!(get(&office, &format!("{FREE}?since=x"), &[]).await.pointers(), ["?since"]);
}
