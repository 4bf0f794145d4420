//! Every payment method, over the real HTTP, and what a kill leaves of each.

use std::time::Duration;

use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta};
use serde_json::json;
use tempfile::tempdir;

use super::http::{Http, reference};
use super::{Process, Server, assert_refused};

const OK: StatusCode = StatusCode::OK;
const CREATED: StatusCode = StatusCode::CREATED;
const FAILED: StatusCode = StatusCode::INTERNAL_SERVER_ERROR;

/// Longer than a prompt answer takes, shorter than the silence.
const HASTE: Duration = Duration::from_millis(600);

#[tokio::test]
async fn a_timed_out_authorisation_is_never_answered_and_every_look_up_tells_what_it_came_to() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let methods = [("sim_timeout_ok", "authorised"), ("sim_timeout_decline", "declined")];
    for (method, status) in methods {
        assert_eq!(provider.http.authorise_within(HASTE, method, method).await, None);
        assert_eq!(provider.http.found(method).await["status"], status);
        let by_key = provider.http.get(&format!("/authorisations?idempotency_key={method}")).await;
        assert_eq!((by_key.0, &by_key.1["status"]), (OK, &json!(status)));
        assert_eq!(provider.http.authorise_within(HASTE, method, method).await, None, "a repeat");
    }
    assert_eq!(provider.http.kinds().await, ["authorisation"]);
    provider.kill();

    let provider = Process::start(dir.path(), &[]);
    for (method, status) in methods {
        assert_eq!(provider.http.find(method).await.1["status"], status);
    }
    let found = provider.http.find("sim_timeout_ok").await.1;
    assert_eq!(provider.http.act(&reference(&found), "capture", "c").await.0, OK);
}

#[tokio::test]
async fn a_slow_authorisation_is_answered_no_sooner_than_three_seconds_after_it_was_asked_for() {
    let dir = tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let http = Http::at(&server.url);
    let (_, prompt) = http.authorise("prompt", "sim_ok").await;
    // A capture is booked at once: this one before the slow question, the other after its answer.
    assert_eq!(http.act(&reference(&prompt), "capture", "before").await.0, OK);
    let (status, slow) = http.authorise("slow", "sim_slow").await;
    assert_eq!((status, &slow["status"]), (CREATED, &json!("authorised")));
    assert_eq!(http.act(&reference(&slow), "capture", "after").await.0, OK);
    let (_, books) = http.get("/books").await;
    let at = |key: &str| {
        let mut entries = books.as_array().expect("entries").iter();
        let entry = entries.find(|entry| entry["idempotency_key"] == key).expect("it is booked");
        DateTime::parse_from_rfc3339(entry["at"].as_str().expect("a time")).expect("RFC 3339")
    };
    let took = at("after") - at("before");
    assert!(took >= TimeDelta::seconds(3), "{took}: {books}");
    server.stop().await;
}

#[tokio::test]
async fn the_connection_of_a_silent_answer_is_closed_with_nothing_said() {
    let dir = tempdir().expect("a directory");
    let soon = Duration::from_millis(200);
    let server = Server::start_with(dir.path(), |settings| settings.silence = soon).await;
    let answer = reqwest::Client::new()
        .post(format!("{}/authorisations", server.url))
        .header("idempotency-key", "k")
        .json(&super::request_of("k", "sim_timeout_ok"))
        .send()
        .await;
    let error = answer.expect_err("no answer");
    assert!(!error.is_timeout() && !error.is_connect(), "{error:?}");
    assert_eq!(Http::at(&server.url).found("k").await["status"], "authorised");
    server.stop().await;
}

#[tokio::test]
async fn a_stop_does_not_wait_for_the_silent() {
    let dir = tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let url = server.url.clone();
    let silent = tokio::spawn(async move {
        let request = reqwest::Client::new().post(format!("{url}/authorisations"));
        let request = request.header("idempotency-key", "k");
        request.json(&super::request_of("k", "sim_timeout_ok")).send().await
    });
    let http = Http::at(&server.url);
    http.found("k").await;
    tokio::time::timeout(Duration::from_secs(4), server.stop()).await.expect("a prompt stop");
    let error = silent.await.expect("no panic").expect_err("no answer");
    assert!(!error.is_connect(), "{error:?}");
}

#[tokio::test]
async fn the_first_request_of_an_erring_attempt_fails_for_ever_and_another_key_gets_it() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let first = provider.http.authorise_for("a", "k1", "sim_error_ok").await;
    assert_eq!((first.0, &first.1["code"]), (FAILED, &json!("simulated_error")));
    assert_eq!(provider.http.find("a").await.0, StatusCode::NOT_FOUND);
    assert_eq!(provider.http.authorise_for("a", "k1", "sim_error_ok").await, first);
    provider.kill();

    let provider = Process::start(dir.path(), &[]);
    assert_eq!(provider.http.authorise_for("a", "k1", "sim_error_ok").await, first);
    let second = provider.http.authorise_for("a", "k2", "sim_error_ok").await;
    assert_eq!((second.0, &second.1["status"]), (CREATED, &json!("authorised")));
    assert_eq!(provider.http.authorise_for("a", "k1", "sim_error_ok").await, first);
    assert_eq!(provider.http.find("a").await.1, second.1);
    let other_body = provider.http.authorise_for("b", "k1", "sim_error_ok").await;
    assert_eq!(other_body.0, StatusCode::UNPROCESSABLE_ENTITY, "the failed key names its request");
    assert_eq!(provider.http.kinds().await, ["authorisation"]);
}

#[tokio::test]
async fn two_captures_fail_each_for_its_own_key_and_the_third_is_done() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let (_, authorised) = provider.http.authorise("a", "sim_capture_fails_twice").await;
    let reference = reference(&authorised);
    assert_eq!(provider.http.act(&reference, "capture", "c1").await.0, FAILED);
    assert_eq!(provider.http.act(&reference, "capture", "c1").await.0, FAILED);
    provider.kill();

    let provider = Process::start(dir.path(), &[]);
    assert_eq!(provider.http.act(&reference, "capture", "c1").await.0, FAILED);
    assert_eq!(provider.http.act(&reference, "capture", "c2").await.0, FAILED);
    assert_eq!(provider.http.find("a").await.1["captured"], false);
    assert_eq!(provider.http.act(&reference, "capture", "c3").await.0, OK);
    assert_eq!(provider.http.act(&reference, "capture", "c2").await.0, FAILED);
    assert_refused(&provider.http.act(&reference, "capture", "c4").await, "already_captured");
    assert_eq!(provider.http.kinds().await, ["authorisation", "capture"]);
}

#[tokio::test]
async fn a_refused_capture_is_a_definite_no_and_a_void_still_works() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let (_, authorised) = provider.http.authorise("a", "sim_capture_refused").await;
    let reference = reference(&authorised);
    for key in ["c1", "c1", "c2"] {
        let refused = provider.http.act(&reference, "capture", key).await;
        assert_refused(&refused, "capture_refused");
        assert_eq!(refused.1["authorisation"], authorised);
    }
    assert_eq!(provider.http.act(&reference, "void", "v").await.0, OK);
    assert_eq!(provider.http.kinds().await, ["authorisation", "void"]);
}

#[tokio::test]
async fn a_challenge_authorises_when_it_is_answered_and_the_first_answer_counts() {
    for (answers, status) in
        [(["", "?answer=decline"], "authorised"), (["?answer=decline", ""], "declined")]
    {
        let dir = tempdir().expect("a directory");
        let provider = Process::start(dir.path(), &[]);
        let (created, challenged) = provider.http.authorise("a", "sim_challenge").await;
        assert_eq!((created, &challenged["status"]), (CREATED, &json!("requires_action")));
        let reference = reference(&challenged);
        assert_eq!(challenged["next_action"]["type"], "redirect");
        let url = challenged["next_action"]["url"].as_str().expect("a url").to_owned();
        let capture = provider.http.act(&reference, "capture", "c").await;
        assert_refused(&capture, "requires_action");
        assert_eq!(provider.http.kinds().await, [""; 0], "no money is set aside before the answer");
        provider.kill();

        // The page moves with the provider's port.
        let provider = Process::start(dir.path(), &[]);
        let (_, found) = provider.http.find("a").await;
        assert_eq!(found["status"], "requires_action");
        let now_at = found["next_action"]["url"].as_str().expect("a url");
        let (path, new_path) = (url.find("/challenges"), now_at.find("/challenges"));
        let path = &url[path.expect("a path")..];
        assert_eq!(path, &now_at[new_path.expect("a path")..]);
        let page = provider.http.get(&format!("{path}{}", answers[0])).await;
        assert_eq!(page.0, OK);
        let words = page.1.as_str().expect("a page");
        assert!(words.starts_with("<!doctype html>") && words.contains(status), "{words}");
        let again = provider.http.post(&format!("{path}{}", answers[1]), "-", json!({})).await;
        assert_eq!(again, page, "the second answer changes nothing");
        provider.kill();

        let provider = Process::start(dir.path(), &[]);
        let (_, found) = provider.http.find("a").await;
        assert_eq!((&found["status"], &found["next_action"]), (&json!(status), &json!(null)));
        let expected: &[&str] = if status == "authorised" { &["authorisation"] } else { &[] };
        assert_eq!(provider.http.kinds().await, expected);
        let replay = provider.http.authorise("a", "sim_challenge").await;
        assert_eq!(replay, (CREATED, found), "a repeat shows it as it is now");
    }
}

#[tokio::test]
async fn a_void_withdraws_an_unanswered_challenge_for_good() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let (_, challenged) = provider.http.authorise("a", "sim_challenge").await;
    let reference = reference(&challenged);
    let (status, withdrawn) = provider.http.act(&reference, "void", "v").await;
    assert_eq!((status, &withdrawn["status"]), (OK, &json!("declined")));
    assert_eq!(
        (&withdrawn["voided"], &withdrawn["failure"]["code"]),
        (&json!(true), &json!("withdrawn"))
    );
    provider.kill();

    let provider = Process::start(dir.path(), &[]);
    let (status, page) = provider.http.get(&format!("/challenges/{reference}")).await;
    assert_eq!(status, StatusCode::CONFLICT, "{page}");
    assert_eq!(provider.http.act(&reference, "void", "v").await, (OK, withdrawn.clone()));
    assert_refused(&provider.http.act(&reference, "void", "v2").await, "already_voided");
    assert_refused(&provider.http.act(&reference, "capture", "c").await, "already_voided");
    let other_key = provider.http.authorise_for("a", "k2", "sim_challenge").await;
    assert_eq!(other_key, (CREATED, withdrawn), "what was withdrawn stays so under every key");
    assert_eq!(provider.http.kinds().await, [""; 0]);
    let wrong = provider.http.get(&format!("/challenges/{reference}?answer=perhaps")).await;
    assert_eq!(wrong.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn another_key_of_an_attempt_gets_what_it_has_and_never_a_second() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let yes = provider.http.authorise_for("a", "k1", "sim_ok").await;
    let no = provider.http.authorise_for("b", "k2", "sim_decline").await;
    assert_eq!(provider.http.authorise_for("a", "k3", "sim_ok").await, yes);
    assert_eq!(provider.http.authorise_for("b", "k4", "sim_decline").await, no);
    let at_once = tokio::join!(
        provider.http.authorise_for("c", "k5", "sim_ok"),
        provider.http.authorise_for("c", "k6", "sim_ok"),
    );
    assert_eq!(at_once.0, at_once.1);
    provider.kill();

    let provider = Process::start(dir.path(), &[]);
    assert_eq!(provider.http.authorise_for("a", "k3", "sim_ok").await, yes);
    let capture = provider.http.act(&reference(&yes.1), "capture", "k3").await;
    assert_eq!(capture.0, StatusCode::UNPROCESSABLE_ENTITY, "the second key is used as well");
    let mut dearer = super::request_of("a", "sim_ok");
    dearer["amount"] = json!(1);
    let (status, body) = provider.http.post("/authorisations", "k7", dearer).await;
    assert_eq!(
        (status, &body["code"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("attempt_reused"))
    );
    assert_eq!(provider.http.kinds().await, ["authorisation", "authorisation"]);
}
