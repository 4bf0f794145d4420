//! Refunds by their ids, and what the bank takes back.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::http::{Http, reference};
use super::{Process, assert_refused, id};

async fn captured(http: &Http, key: &str) -> String {
    let (_, authorised) = http.authorise(key, "sim_ok").await;
    let reference = reference(&authorised);
    assert_eq!(http.act(&reference, "capture", &format!("{key}-c")).await.0, StatusCode::OK);
    reference
}

async fn refund(http: &Http, of: &str, key: &str, name: &str, amount: u64) -> (StatusCode, Value) {
    let body = json!({"amount": amount, "refund_id": id(name)});
    http.post(&format!("/authorisations/{of}/refund"), key, body).await
}

#[tokio::test]
async fn a_refund_is_made_once_whatever_its_keys() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let one = captured(&provider.http, "a").await;
    let other = captured(&provider.http, "b").await;
    let first = refund(&provider.http, &one, "k1", "r1", 500).await;
    assert_eq!(first.0, StatusCode::OK);
    provider.kill();

    let provider = Process::start(dir.path(), &[]);
    assert_eq!(refund(&provider.http, &one, "k2", "r1", 500).await, first);
    assert_eq!(refund(&provider.http, &one, "k2", "r1", 500).await, first);
    for (of, amount) in [(&one, 501), (&other, 500)] {
        let (status, body) =
            refund(&provider.http, of, &format!("{of}{amount}"), "r1", amount).await;
        let expected = (StatusCode::UNPROCESSABLE_ENTITY, &json!("refund_reused"));
        assert_eq!((status, &body["code"]), expected);
    }
    let (_, second) = refund(&provider.http, &one, "k3", "r2", 700).await;
    assert_eq!(second["refunded_amount"], 1_200);
    let refunds: Vec<_> = second["refunds"]
        .as_array()
        .expect("refunds")
        .iter()
        .map(|it| (it["refund_id"].clone(), it["amount"].clone()))
        .collect();
    assert_eq!(refunds, [(json!(id("r1")), json!(500)), (json!(id("r2")), json!(700))]);
    let path = format!("/authorisations/{one}/refund");
    let (status, body) = provider.http.post(&path, "k4", json!({"amount": 1})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
}

#[tokio::test]
async fn the_bank_takes_back_what_is_left_and_no_more() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let http = &provider.http;
    let (_, authorised) = http.authorise("z", "sim_ok").await;
    let path = format!("/authorisations/{}/chargeback", reference(&authorised));
    assert_refused(&http.post(&path, "n", json!({"amount": 1})).await, "not_captured");
    let reference = captured(http, "a").await;
    refund(http, &reference, "k", "r", 2_500).await;
    let path = format!("/authorisations/{reference}/chargeback");
    assert_refused(
        &http.post(&path, "b0", json!({"amount": 10_001})).await,
        "chargeback_exceeds_capture",
    );
    let (status, body) = http.post(&path, "b1", json!({"amount": 10_000})).await;
    assert_eq!((status, &body["charged_back_amount"]), (StatusCode::OK, &json!(10_000)));
    assert_eq!(http.post(&path, "b1", json!({"amount": 10_000})).await.1, body);
    assert_refused(&refund(http, &reference, "k2", "r2", 1).await, "refund_exceeds_capture");
    provider.kill();

    let provider = Process::start(dir.path(), &[]);
    assert_eq!(provider.http.find("a").await.1, body);
    let kinds = provider.http.kinds().await;
    assert_eq!(kinds, ["authorisation", "authorisation", "capture", "refund", "chargeback"]);
}

#[tokio::test]
async fn an_authorisation_has_at_most_a_hundred_refunds() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let reference = captured(&provider.http, "a").await;
    for number in 0..100 {
        let name = format!("r{number}");
        let made = refund(&provider.http, &reference, &name, &name, 1).await;
        assert_eq!(made.0, StatusCode::OK);
    }
    assert_refused(&refund(&provider.http, &reference, "k", "more", 1).await, "too_many_refunds");
    let again = refund(&provider.http, &reference, "k", "r7", 1).await;
    assert_eq!(again.0, StatusCode::OK, "one of them, by another key");
}
