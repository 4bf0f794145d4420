//! All authorisations, page by page, and what is asked wrongly.

use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tempfile::tempdir;

use super::http::reference;
use super::{Process, Provider, assert_refused};

#[tokio::test]
async fn the_list_shows_each_authorisation_once_in_the_order_of_booking() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    for (key, method) in
        [("a", "sim_ok"), ("b", "sim_decline"), ("c", "sim_challenge"), ("d", "sim_ok")]
    {
        provider.authorise(key, method).await;
    }
    let mut keys_seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let (status, page) = provider.get(&format!("/authorisations?limit=3{cursor}")).await;
        assert_eq!(status, StatusCode::OK);
        keys_seen
            .extend(page["items"].as_array().expect("items").iter().map(|it| it["status"].clone()));
        match &page["next_cursor"] {
            Value::Null => break,
            next => cursor = format!("&cursor={}", next.as_str().expect("a cursor")),
        }
    }
    assert_eq!(keys_seen, ["authorised", "declined", "requires_action", "authorised"]);
    let (_, all) = provider.get("/authorisations").await;
    assert_eq!(all["items"].as_array().map(Vec::len), Some(4));
    assert_eq!(all["next_cursor"], Value::Null);
    let (_, beyond) = provider.get("/authorisations?cursor=18446744073709551615").await;
    assert_eq!(beyond, json!({"items": [], "next_cursor": null}));
}

#[tokio::test]
async fn a_question_that_cannot_be_answered_is_refused() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    for query in [
        "limit=0",
        "limit=101",
        "limit=-1",
        "cursor=x",
        "attempt_id=x",
        "idempotency_key=a&limit=2",
        "idempotency_key=a&attempt_id=00000000-0000-4000-8000-000000000001",
        "page=1",
    ] {
        let (status, body) = provider.get(&format!("/authorisations?{query}")).await;
        assert_eq!(
            (status, &body["code"]),
            (StatusCode::BAD_REQUEST, &json!("malformed_request")),
            "{query}"
        );
    }
}

#[tokio::test]
async fn an_authorisation_lapses_when_it_was_told_to_whatever_is_set_later() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &["--authorisation-life-seconds", "1"]);
    let (_, short) = provider.http.authorise("a", "sim_ok").await;
    let instant = |field: &Value| {
        DateTime::parse_from_rfc3339(field.as_str().expect("an instant")).expect("an instant")
    };
    let expires_at = instant(&short["expires_at"]);
    assert_eq!(expires_at - instant(&short["authorised_at"]), TimeDelta::seconds(1));
    provider.kill();

    let provider = Process::start(dir.path(), &[]);
    let (_, long) = provider.http.authorise("b", "sim_ok").await;
    let life = instant(&long["expires_at"]) - instant(&long["authorised_at"]);
    assert_eq!(life, TimeDelta::days(7));
    assert_eq!(provider.http.find("a").await.1, short);
    // The provider's clock is this one.
    while Utc::now() < expires_at {
        provider.http.find("a").await;
    }
    let capture = provider.http.act(&reference(&short), "capture", "c").await;
    assert_refused(&capture, "authorisation_expired");
    assert_eq!(provider.http.act(&reference(&short), "void", "v").await.0, StatusCode::OK);
    assert_eq!(provider.http.act(&reference(&long), "capture", "c2").await.0, StatusCode::OK);
}
