//! Capture, void and refund: once by key, and only when the state allows it.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tempfile::tempdir;
use uuid::Uuid;

use super::{Provider, assert_refused};

#[tokio::test]
async fn a_capture_is_booked_once_by_its_key() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let reference = provider.authorised("a").await;

    let first = provider.capture(&reference, "c").await;
    let repeat = provider.capture(&reference, "c").await;
    let other_key = provider.capture(&reference, "c2").await;

    assert_eq!((first.0, &first.1["captured"]), (StatusCode::OK, &json!(true)));
    assert_eq!(first, repeat);
    assert_refused(&other_key, "already_captured");
    assert_eq!(other_key.1["authorisation"], first.1, "the refusal shows how things stand");
    assert_eq!(provider.kinds().await, ["authorisation", "capture"]);
}

#[tokio::test]
async fn a_capture_after_a_void_is_refused() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let reference = provider.authorised("a").await;

    let (status, voided) = provider.void(&reference, "v").await;

    assert_eq!((status, &voided["voided"]), (StatusCode::OK, &json!(true)));
    assert_refused(&provider.capture(&reference, "c").await, "already_voided");
    assert_refused(&provider.void(&reference, "v2").await, "already_voided");
    assert_refused(&provider.refund(&reference, "r", 1).await, "already_voided");
    assert_eq!(provider.kinds().await, ["authorisation", "void"]);
}

#[tokio::test]
async fn a_void_after_a_capture_is_refused() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let reference = provider.authorised("a").await;

    provider.capture(&reference, "c").await;

    assert_refused(&provider.void(&reference, "v").await, "already_captured");
}

#[tokio::test]
async fn a_capture_and_a_void_at_once_do_not_both_happen() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let reference = provider.authorised("a").await;

    let (capture, void) =
        tokio::join!(provider.capture(&reference, "c"), provider.void(&reference, "v"));

    let mut statuses = [capture.0, void.0];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::CONFLICT]);
    assert_eq!(provider.kinds().await.len(), 2);
}

#[tokio::test]
async fn refunds_together_never_exceed_the_capture() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let reference = provider.authorised("a").await;
    assert_refused(&provider.refund(&reference, "r1", 1).await, "not_captured");
    provider.capture(&reference, "c").await;

    let (_, first) = provider.refund(&reference, "r1", 12_000).await;
    let (_, repeat) = provider.refund(&reference, "r1", 12_000).await;
    let too_much = provider.refund(&reference, "r2", 501).await;
    let (_, last) = provider.refund(&reference, "r2", 500).await;

    assert_eq!(first["refunded_amount"], 12_000);
    assert_eq!(repeat, first);
    assert_refused(&too_much, "refund_exceeds_capture");
    assert_eq!(last["refunded_amount"], 12_500);
    assert_refused(&provider.refund(&reference, "r3", 1).await, "refund_exceeds_capture");
    assert_eq!(provider.kinds().await, ["authorisation", "capture", "refund", "refund"]);
}

#[tokio::test]
async fn nothing_moves_on_a_decline_or_on_an_unknown_reference() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let (_, declined) = provider.authorise("a", "sim_decline").await;
    let declined = declined["reference"].as_str().expect("a reference");

    assert_refused(&provider.capture(declined, "c").await, "declined");
    assert_refused(&provider.void(declined, "v").await, "declined");
    for unknown in [Uuid::nil().to_string(), "no-uuid".to_owned()] {
        assert_eq!(provider.capture(&unknown, "c").await.0, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_key_serves_one_operation_on_one_authorisation() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let reference = provider.authorised("a").await;
    let other = provider.authorised("b").await;
    provider.capture(&reference, "c").await;

    let answers = [
        provider.capture(&reference, "a").await,
        provider.capture(&other, "c").await,
        provider.void(&reference, "c").await,
        provider.refund(&reference, "c", 1).await,
        provider.authorise("c", "sim_ok").await,
    ];

    for (status, body) in answers {
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
    }
    assert_eq!(provider.find("c").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_books_show_every_entry_with_what_it_moved() {
    let dir = tempdir().expect("a directory");
    let provider = Provider::open(dir.path());
    let reference = provider.authorised("a").await;
    provider.capture(&reference, "c").await;
    provider.refund(&reference, "r", 500).await;

    let (_, entries) = provider.get("/books").await;

    let facts = |entry: &Value| (entry["idempotency_key"].clone(), entry["amount"].clone());
    let entries = entries.as_array().expect("an array of entries");
    let expected = [("a", 12_500), ("c", 12_500), ("r", 500)];
    assert_eq!(
        entries.iter().map(facts).collect::<Vec<_>>(),
        expected.map(|(key, amount)| (json!(key), json!(amount)))
    );
    for entry in entries {
        let mut fields: Vec<_> = entry.as_object().expect("an object").keys().collect();
        fields.sort();
        let expected = "amount at attempt_id currency idempotency_key kind order_id reference";
        assert!(fields.into_iter().eq(expected.split(' ')), "{entry}");
        assert!(entry["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{entry}");
    }
}
