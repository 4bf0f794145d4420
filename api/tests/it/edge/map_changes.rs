//! Maps that are followed: what has changed since a version, asked for or streamed.

use std::sync::Arc;

use axum::body::{Body, BodyDataStream};
use axum::http::{Request, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use taquilla_api::stopping::Stopping;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::admission::SOON;
use super::box_office::BoxOffice;
use super::maps::{FREE, get, published};

/// `A-1-1` is held.
const FIRST: [u8; 3] = [0b01, 0, 0];
/// `A-1-2` as well.
const SECOND: [u8; 3] = [0b0101, 0, 0];

/// The changes put into the packed map.
fn applied(mut packed: Vec<u8>, changes: &Value) -> Vec<u8> {
    for change in changes["changes"].as_array().expect("changes") {
        let (seat, state): (usize, u8) = serde_json::from_value(change.clone()).expect("a pair");
        let shift = 2 * (seat % 4);
        packed[seat / 4] = (packed[seat / 4] & !(0b11 << shift)) | (state << shift);
    }
    packed
}

async fn since(office: &BoxOffice, version: &Value) -> Value {
    get(office, &format!("{FREE}?since={version}"), &[]).await.ok(200)
}

/// One listener, and what of his stream is not read yet.
struct Listener {
    frames: BodyDataStream,
    text: String,
}

impl Listener {
    async fn new(office: &BoxOffice, last: Option<&str>) -> Self {
        let response = listen(office, last, &CancellationToken::new()).await;
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { frames: response.into_body().into_data_stream(), text: String::new() }
    }

    /// The next event that has data: its name, its id, its data. None at the end.
    async fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            if let Some((message, rest)) = self.text.split_once("\n\n") {
                let (message, rest) = (message.to_owned(), rest.to_owned());
                self.text = rest;
                let field = |name: &str| {
                    let mut lines = message.lines();
                    lines.find_map(|line| line.strip_prefix(name)).map(str::to_owned)
                };
                if let Some(data) = field("data: ") {
                    let data = serde_json::from_str(&data).expect("JSON");
                    return Some((field("event: ")?, field("id: ")?, data));
                }
                continue;
            }
            let frame = timeout(SOON, self.frames.next()).await.expect("the map moves")?;
            self.text.push_str(std::str::from_utf8(&frame.expect("a frame")).expect("text"));
        }
    }
}

async fn listen(
    office: &BoxOffice,
    last: Option<&str>,
    stop: &CancellationToken,
) -> Response<Body> {
    let request =
        Request::get(format!("{FREE}/stream")).extension(Stopping(Arc::new(stop.clone())));
    let request =
        last.into_iter().fold(request, |request, last| request.header("last-event-id", last));
    office
        .front()
        .oneshot(request.body(Body::empty()).expect("a request"))
        .await
        .expect("an answer")
}

#[tokio::test]
async fn what_has_changed_since_a_version_makes_the_latest() {
    let (office, event) = BoxOffice::open("map_since").await;
    let empty = published(&office, &[0, 0, 0]).await;
    office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let first = published(&office, &FIRST).await;
    office.hold("ana", "k2", &event, &["A-1-2"]).send().await.ok(201);
    let second = published(&office, &SECOND).await;
    for (map, packed) in [(&empty, [0; 3]), (&first, FIRST), (&second, SECOND)] {
        let changes = since(&office, &map["version"]).await;
        assert_eq!((&changes["from"], &changes["to"]), (&map["version"], &second["version"]));
        assert_eq!(applied(packed.into(), &changes), SECOND);
        assert_eq!(changes["general"], json!([{"section": "FLOOR", "available": 10}]));
    }
    let later = second["version"].as_i64().expect("a number") + 1;
    for unknown in [json!(later), json!(i64::MAX)] {
        let whole = since(&office, &unknown).await;
        assert_eq!(whole["version"], second["version"], "what is not known is told whole");
    }
    let path = format!("{FREE}?since={}", first["version"]);
    let changes = get(&office, &path, &[]).await;
    let etag = changes.header("etag").expect("a tag").to_owned();
    assert_eq!(get(&office, &path, &[("if-none-match", &etag)]).await.status, 304);
    assert_eq!(get(&office, FREE, &[("if-none-match", &etag)]).await.status, 200);
    let binary = get(&office, &path, &[("accept", "application/octet-stream")]).await;
    assert_eq!(&binary.bytes[..4], b"TQAV", "the binary form is always the whole map");
}

#[tokio::test]
async fn a_stream_begins_with_the_map_and_goes_on_with_what_changes() {
    let (office, event) = BoxOffice::open("map_stream").await;
    let empty = published(&office, &[0, 0, 0]).await;
    let mut listener = Listener::new(&office, None).await;
    let (name, id, map) = listener.next().await.expect("an event");
    assert_eq!((name.as_str(), &id), ("snapshot", &empty["version"].to_string()));
    assert_eq!(map["seats"], empty["seats"]);
    office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let (name, held, delta) = listener.next().await.expect("an event");
    assert_eq!((name.as_str(), held.parse().ok()), ("delta", delta["to"].as_i64()));
    assert_eq!((&delta["from"], &delta["changes"]), (&empty["version"], &json!([[0, 1]])));
    // Whoever comes again says what he has.
    let (name, _, delta) = Listener::new(&office, Some(&id)).await.next().await.expect("an event");
    assert_eq!((name.as_str(), &delta["changes"]), ("delta", &json!([[0, 1]])));
    for nothing in ["", "x", "-1", "999999999", "99999999999999999999999"] {
        let (name, ..) =
            Listener::new(&office, Some(nothing)).await.next().await.expect("an event");
        assert_eq!(name, "snapshot", "{nothing:?}");
    }
}

#[tokio::test]
async fn who_reads_slowly_is_told_together_what_he_missed() {
    let (office, event) = BoxOffice::open("map_slow").await;
    let mut packed = STANDARD
        .decode(published(&office, &[0, 0, 0]).await["seats"].as_str().expect("text"))
        .expect("base64");
    let mut listener = Listener::new(&office, None).await;
    listener.next().await.expect("the map");
    office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    published(&office, &FIRST).await;
    office.hold("ana", "k2", &event, &["A-1-2"]).send().await.ok(201);
    let second = published(&office, &SECOND).await;
    let (name, _, delta) = listener.next().await.expect("an event");
    assert_eq!((name.as_str(), &delta["to"]), ("delta", &second["version"]));
    packed = applied(packed, &delta);
    assert_eq!(packed, SECOND);
}

#[tokio::test]
async fn a_stream_ends_when_the_process_stops() {
    let (office, _) = BoxOffice::open("map_stops").await;
    published(&office, &[0, 0, 0]).await;
    let stop = CancellationToken::new();
    let response = listen(&office, None, &stop).await;
    let mut listener =
        Listener { frames: response.into_body().into_data_stream(), text: String::new() };
    listener.next().await.expect("the map");
    stop.cancel();
    assert!(listener.next().await.is_none());
}
