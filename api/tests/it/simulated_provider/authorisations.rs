//! One key, one authorisation, whoever asks how often and stays how long.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::task::{JoinSet, yield_now};

use super::{ORDER, Provider, id, request_of, with_amount};

#[tokio::test]
async fn an_authorisation_says_what_was_asked_and_is_found_again() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());

    let (status, body) = provider.authorise("k1", "sim_ok").await;

    let reference = &body["reference"];
    let expected = json!({
        "reference": reference,
        "status": "authorised",
        "failure": null,
        "next_action": null,
        "order_id": ORDER,
        "attempt_id": id("k1"),
        "amount": 12_500,
        "currency": "EUR",
        "authorised_at": body["authorised_at"],
        "expires_at": body["expires_at"],
        "captured": false,
        "captured_amount": 0,
        "captured_at": null,
        "voided": false,
        "voided_at": null,
        "refunded_amount": 0,
        "refunds": [],
        "charged_back_amount": 0,
    });
    assert_eq!((status, &body), (StatusCode::CREATED, &expected));
    assert_eq!(provider.find("k1").await, (StatusCode::OK, expected.clone()));
    let path = format!("/authorisations/{}", reference.as_str().expect("a reference"));
    assert_eq!(provider.get(&path).await, (StatusCode::OK, expected));
}

#[tokio::test]
async fn the_same_key_twice_books_once() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());

    let first = provider.authorise("k1", "sim_ok").await;
    let second = provider.authorise("k1", "sim_ok").await;

    assert_eq!(first, second);
    assert_eq!(provider.kinds().await, ["authorisation"]);
}

#[tokio::test]
async fn the_same_key_at_once_books_once_and_tells_everyone_the_same() {
    let dir = tempdir().expect("a directory");
    let provider = Arc::new(Provider::open(dir.path()));

    let mut callers = JoinSet::new();
    for _ in 0..32 {
        let provider = provider.clone();
        callers.spawn(async move { provider.authorise("k1", "sim_ok").await });
    }
    let answers = callers.join_all().await;

    assert_eq!(answers[0].0, StatusCode::CREATED);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(provider.kinds().await, ["authorisation"]);
}

#[tokio::test]
async fn the_same_key_is_known_after_a_restart() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let authorised = provider.authorise("k1", "sim_ok").await;
    let declined = provider.authorise("k2", "sim_decline").await;
    provider.close().await;

    let provider = Provider::open(dir.path());

    assert_eq!(provider.authorise("k1", "sim_ok").await, authorised);
    assert_eq!(provider.authorise("k2", "sim_decline").await, declined);
    assert_eq!(provider.kinds().await, ["authorisation"]);
}

#[tokio::test]
async fn another_body_under_a_key_is_refused() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    provider.authorised("k1").await;

    let (status, body) = provider
        .post("/authorisations", "k1", with_amount(request_of("k1", "sim_ok"), 12_501))
        .await;

    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(body["code"], "idempotency_key_reused");
    assert_eq!(provider.kinds().await, ["authorisation"]);
}

#[tokio::test]
async fn another_body_is_refused_at_once_while_the_first_is_in_work() {
    let dir = tempdir().expect("a directory");
    let provider = Arc::new(Provider::open(dir.path()));
    let _caller = begin(&provider, "k1", "sim_slow").await;

    let (status, _) = provider
        .post("/authorisations", "k1", with_amount(request_of("k1", "sim_ok"), 12_501))
        .await;

    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(provider.find("k1").await.1["status"], "pending");
}

#[tokio::test]
async fn a_caller_that_goes_away_changes_nothing() {
    let dir = tempdir().expect("a directory");
    let provider = Arc::new(Provider::open(dir.path()));
    let mut caller = begin(&provider, "k1", "sim_ok").await;

    caller.shutdown().await;

    let found = loop {
        let (status, body) = provider.find("k1").await;
        assert_eq!(status, StatusCode::OK, "the work outlives its caller");
        if body["status"] != "pending" {
            break body;
        }
    };
    assert_eq!(found["status"], "authorised");
    assert_eq!(provider.kinds().await, ["authorisation"]);
}

#[tokio::test]
async fn work_that_is_not_booked_is_pending_and_has_no_reference() {
    let dir = tempdir().expect("a directory");
    let provider = Arc::new(Provider::open(dir.path()));
    assert_eq!(provider.find("k1").await.0, StatusCode::NOT_FOUND);

    let _caller = begin(&provider, "k1", "sim_slow").await;
    let (_, body) = provider.find("k1").await;

    assert_eq!((&body["status"], &body["reference"]), (&json!("pending"), &Value::Null));
    assert_eq!(provider.kinds().await, [""; 0]);
}

#[tokio::test]
async fn a_decline_has_a_reason_and_moves_no_money() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());

    let (status, body) = provider.authorise("k1", "sim_decline").await;

    assert_eq!((status, &body["status"]), (StatusCode::CREATED, &json!("declined")));
    assert_eq!(body["failure"]["code"], "card_declined");
    assert_eq!(provider.kinds().await, [""; 0]);
}

#[tokio::test]
async fn what_cannot_be_understood_is_refused_by_name() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let with = |field: &str, value: Value| {
        let mut body = request_of("k1", "sim_ok");
        body[field] = value;
        body
    };
    let cases = [
        (with("payment_method", json!("sim_gold")), "`sim_gold`; known are sim_ok, sim_slow,"),
        (with("amount", json!(0)), "1 to 999999999999 minor units, not 0"),
        (with("amount", json!(1.5)), "1.5"),
        (with("currency", json!("EURO")), "`EURO` is no currency"),
        (with("tip", json!(1)), "unknown field `tip`"),
        (json!({}), "missing field `order_id`"),
    ];

    for (body, words) in cases {
        let (status, refusal) = provider.post("/authorisations", "k1", body).await;
        assert_eq!(
            (status, &refusal["code"]),
            (StatusCode::BAD_REQUEST, &json!("malformed_request"))
        );
        let detail = refusal["detail"].as_str().expect("a detail");
        assert!(detail.contains(words), "{detail}");
    }
    assert_eq!(provider.find("k1").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_post_without_a_key_or_with_a_boundless_body_is_refused() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let body = request_of("k1", "sim_ok").to_string();

    let keyless = Request::post("/authorisations").body(Body::from(body)).expect("a request");
    let boundless = json!({ "padding": "x".repeat(20_000) });

    assert_eq!(provider.call(keyless).await.0, StatusCode::BAD_REQUEST);
    let (status, _) = provider.post("/authorisations", "k1", boundless).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

/// A caller of its own, whose request is in work.
async fn begin(
    provider: &Arc<Provider>,
    key: &'static str,
    payment_method: &'static str,
) -> JoinSet<(StatusCode, Value)> {
    let mut caller = JoinSet::new();
    let calling = provider.clone();
    caller.spawn(async move { calling.authorise(key, payment_method).await });
    while provider.find(key).await.0 == StatusCode::NOT_FOUND {
        yield_now().await;
    }
    caller
}
