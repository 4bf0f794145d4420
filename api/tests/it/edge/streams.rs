//! A place that is followed as it moves.

use axum::body::Body;
use axum::http::{Method, Request, Response};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::admission::{ADMISSION, SOON};
use super::box_office::BoxOffice;
use super::queue::{FAR_OFF, LONG_AGO, QUEUE, with};

async fn listen(office: &BoxOffice, buyer: &str) -> Response<Body> {
    let request = Request::get(format!("{QUEUE}/stream"))
        .header("authorization", format!("Bearer {}", office.token(buyer, "")))
        .body(Body::empty())
        .expect("a request");
    office.front().oneshot(request).await.expect("an answer")
}

/// The events of a stream until it ends, or so many, or one that is wanted.
async fn follow(
    office: &BoxOffice,
    buyer: &str,
    count: usize,
    is_wanted: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    let response = listen(office, buyer).await;
    assert_eq!(response.status().as_u16(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut frames = response.into_body().into_data_stream();
    let read = async {
        let mut text = String::new();
        let mut places = Vec::new();
        while places.len() < count
            && !places.last().is_some_and(&is_wanted)
            && let Some(frame) = frames.next().await
        {
            text.push_str(std::str::from_utf8(&frame.expect("a frame")).expect("text"));
            let is_data = |line: &str| line.strip_prefix("data: ").map(str::to_owned);
            let data = text.lines().filter_map(is_data);
            places = data.map(|it| serde_json::from_str(&it).expect("JSON")).collect();
        }
        places
    };
    tokio::time::timeout(SOON, read).await.expect("the line moves")
}

#[tokio::test]
async fn who_follows_his_place_is_told_when_he_is_let_in_and_is_there() {
    let (office, event) = BoxOffice::with_a_room("admission_stream", LONG_AGO).await;
    let pause = json!({"paused": true});
    office.operator(Method::PATCH, ADMISSION).json(&pause).send().await.ok(200);
    office.join("ana").send().await.ok(201);
    let go_on = async {
        let waits = office.place("ana").await;
        assert_eq!(waits["state"], "waiting");
        let go_on = json!({"paused": false});
        office.operator(Method::PATCH, ADMISSION).json(&go_on).send().await.ok(200);
    };
    let (places, ()) = tokio::join!(follow(&office, "ana", 2, |_| false), go_on);
    assert_eq!((&places[0]["state"], &places[1]["state"]), (&json!("waiting"), &json!("admitted")));
    with(office.hold("ana", "k", &event, &["A-1-1"]), &places[1]).send().await.ok(201);
    office.buyer("ana", Method::DELETE, QUEUE).send().await.ok(204);
    let last = follow(&office, "ana", usize::MAX, |_| false).await;
    assert_eq!(last.iter().map(|it| &it["state"]).collect::<Vec<_>>(), ["left"], "it ends");
    office.read("eva", &format!("{QUEUE}/stream")).send().await.problem(404, "not-found");
}

#[tokio::test]
async fn one_buyer_follows_his_place_on_four_devices_and_no_more() {
    let (office, _) = BoxOffice::with_a_room("streams_bounded", FAR_OFF).await;
    for buyer in ["ana", "eva"] {
        office.join(buyer).send().await.ok(201);
    }
    let mut followed = Vec::new();
    for _ in 0..4 {
        let stream = listen(&office, "ana").await;
        assert_eq!(stream.status().as_u16(), 200);
        followed.push(stream);
    }
    let stream = format!("{QUEUE}/stream");
    office.read("ana", &stream).send().await.problem(503, "overloaded");
    assert_eq!(listen(&office, "eva").await.status().as_u16(), 200, "others follow theirs");
    drop(followed.pop());
    followed.push(listen(&office, "ana").await);
    assert!(followed.iter().all(|stream| stream.status().as_u16() == 200));
}

#[tokio::test]
async fn who_is_in_hears_of_a_revocation_and_of_another_place_at_once() {
    let (office, event) = BoxOffice::with_a_room("streams_inside", LONG_AGO).await;
    office.join("ana").send().await.ok(201);
    let inside = follow(&office, "ana", usize::MAX, |place| place["state"] == "admitted").await;
    let token = |place: &Value| place["admission_token"].as_str().expect("a token").to_owned();
    let first = token(inside.last().expect("he is in"));
    let revoke = async {
        let path = format!("/admin/events/{event}/admission/revoke");
        let why = json!({"reason": "leaked"});
        office.operator(Method::POST, &path).json(&why).send().await.ok(200);
    };
    let renewed = follow(&office, "ana", usize::MAX, |place| token(place) != first);
    let (places, ()) = tokio::join!(renewed, revoke);
    assert_eq!(places.last().expect("news")["state"], "admitted");
    let come_again = async {
        office.buyer("ana", Method::DELETE, QUEUE).send().await.ok(204);
        office.join("ana").send().await.ok(201)
    };
    let moved =
        follow(&office, "ana", usize::MAX, |place| place["state"] == "left" || place["index"] == 1);
    tokio::join!(moved, come_again);
}
