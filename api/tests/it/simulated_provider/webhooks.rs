//! What happens is told at least once, signed, whatever is killed in between.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use axum::http::StatusCode;
use chrono::Utc;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::tempdir;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::http::{Http, reference};
use super::receiver::{Arrival, Receiver};
use super::{ORDER, Process, id};

const SECRET: &str = "whsec_of_the_test";

async fn point_at(http: &Http, receiver: &Receiver) {
    let body = json!({"url": receiver.url, "secret": SECRET});
    assert_eq!(http.put("/webhook-endpoint", body).await.0, StatusCode::NO_CONTENT);
}

/// The body must be signed with the secret, at a time near this one.
fn assert_signed(arrival: &Arrival, secret: &str) {
    let (time, mac) = arrival.signature.split_once(",v1=").expect("a time and a signature");
    let time = time.strip_prefix("t=").expect("a time");
    let seconds: i64 = time.parse().expect("unix seconds");
    assert!((Utc::now().timestamp() - seconds).abs() < 60, "{seconds}");
    let mac: Vec<u8> = (0..mac.len() / 2)
        .map(|at| u8::from_str_radix(&mac[2 * at..2 * at + 2], 16).expect("hex"))
        .collect();
    let mut expected = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    expected.update(format!("{time}.").as_bytes());
    expected.update(&arrival.body);
    expected.verify_slice(&mac).expect("the signature");
}

/// Waits until so many acknowledgements are on the disk.
async fn acknowledged(dir: &Path, count: usize) {
    let reached = async {
        loop {
            let books = fs::read_to_string(dir.join("books.jsonl")).expect("the books");
            if books.matches("\"acknowledged\"").count() >= count {
                return;
            }
            yield_now().await;
        }
    };
    timeout(Duration::from_secs(15), reached).await.expect("acknowledgements on the disk");
}

#[tokio::test]
async fn everything_that_happens_is_told_once_and_signed() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let http = &provider.http;
    let mut receiver = Receiver::start().await;
    point_at(http, &receiver).await;

    let (_, authorised) = http.authorise("a", "sim_ok").await;
    let arrival = receiver.next().await;
    assert_signed(&arrival, SECRET);
    let event = arrival.event();
    let expected = json!({
        "id": event["id"],
        "type": "authorisation.authorised",
        "created_at": authorised["authorised_at"],
        "order_id": ORDER,
        "attempt_id": id("a"),
        "reference": authorised["reference"],
        "amount": 12_500,
        "currency": "EUR",
    });
    assert_eq!(event, expected);

    let a = reference(&authorised);
    http.act(&a, "capture", "c").await;
    assert_eq!(receiver.kind().await, "captured");
    let refund = json!({"amount": 700, "refund_id": id("r")});
    http.post(&format!("/authorisations/{a}/refund"), "r", refund).await;
    let refunded = receiver.event().await;
    assert_eq!(refunded["type"], "authorisation.refunded");
    assert_eq!((&refunded["amount"], &refunded["refund_id"]), (&json!(700), &json!(id("r"))));
    http.post(&format!("/authorisations/{a}/chargeback"), "b", json!({"amount": 1})).await;
    assert_eq!(receiver.kind().await, "charged_back");
    http.authorise("d", "sim_decline").await;
    assert_eq!(receiver.kind().await, "declined");
    let (_, challenged) = http.authorise("e", "sim_challenge").await;
    assert_eq!(receiver.kind().await, "requires_action");
    http.get(&format!("/challenges/{}", reference(&challenged))).await;
    assert_eq!(receiver.kind().await, "authorised");
    http.act(&reference(&challenged), "void", "v").await;
    assert_eq!(receiver.kind().await, "voided");

    // What books nothing tells nothing: only the last of these does.
    http.authorise("a", "sim_ok").await;
    http.authorise_for("a", "a2", "sim_ok").await;
    http.act(&a, "capture", "c").await;
    http.authorise("x", "sim_error_ok").await;
    let (_, challenged) = http.authorise("w", "sim_challenge").await;
    assert_eq!(receiver.kind().await, "requires_action");
    http.act(&reference(&challenged), "void", "w-v").await;
    assert_eq!(receiver.kind().await, "voided");
    assert!(receiver.is_empty());
}

#[tokio::test]
async fn what_is_not_acknowledged_is_told_again_after_a_kill_and_what_is_is_not() {
    let dir = tempdir().expect("a directory");
    let mut receiver = Receiver::start().await;
    let provider = Process::start(dir.path(), &[]);
    // Nothing is lost for want of an endpoint.
    provider.http.authorise("a", "sim_ok").await;
    point_at(&provider.http, &receiver).await;
    let first = receiver.event().await;
    assert_eq!(first["attempt_id"], json!(id("a")));
    acknowledged(dir.path(), 1).await;
    receiver.answer_with(StatusCode::INTERNAL_SERVER_ERROR);
    provider.http.authorise("b", "sim_ok").await;
    let refused = receiver.event().await;
    assert_eq!(receiver.event().await, refused, "told again, as the same event");
    provider.kill();

    while !receiver.is_empty() {
        receiver.next().await;
    }
    receiver.answer_with(StatusCode::NO_CONTENT);
    let provider = Process::start(dir.path(), &[]);
    assert_eq!(receiver.event().await, refused, "told again, to the endpoint of before");
    acknowledged(dir.path(), 2).await;
    provider.http.authorise("c", "sim_ok").await;
    assert_eq!(receiver.event().await["attempt_id"], json!(id("c")), "and nothing before it");
    assert!(receiver.is_empty());
}

#[tokio::test]
async fn a_doubled_webhook_is_one_event_that_comes_twice() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let mut receiver = Receiver::start().await;
    point_at(&provider.http, &receiver).await;
    let (_, authorised) = provider.http.authorise("a", "sim_webhook_twice").await;
    let first = receiver.event().await;
    assert_eq!(receiver.event().await, first);
    provider.http.act(&reference(&authorised), "capture", "c").await;
    let second = receiver.event().await;
    assert_eq!(receiver.event().await, second, "each of its webhooks");
    assert_ne!(first["id"], second["id"]);
    assert!(receiver.is_empty());
}

#[tokio::test]
async fn an_early_webhook_is_there_before_the_answer_and_its_failure_holds_nothing_up() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let mut receiver = Receiver::start().await;
    // Without an endpoint there is nothing to wait for.
    let (status, _) = provider.http.authorise("n", "sim_webhook_early").await;
    assert_eq!(status, StatusCode::CREATED);
    point_at(&provider.http, &receiver).await;
    assert_eq!(receiver.event().await["attempt_id"], json!(id("n")));

    receiver.hold();
    let mut answer = Box::pin(provider.http.authorise("a", "sim_webhook_early"));
    let told = tokio::select! {
        answer = &mut answer => panic!("it was answered first: {answer:?}"),
        told = receiver.event() => told,
    };
    assert_eq!(told["attempt_id"], json!(id("a")));
    // The longest time that an answer takes otherwise passes, and it has not left.
    let patience = Duration::from_millis(400);
    assert!(timeout(patience, &mut answer).await.is_err(), "it did not wait");
    assert_eq!(provider.http.found("a").await["status"], "authorised", "it is booked");
    receiver.answer_with(StatusCode::SERVICE_UNAVAILABLE);
    receiver.release();
    assert_eq!(answer.await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn another_endpoint_takes_over_at_once_and_its_secret_stays_where_it_is() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let (mut old, mut new) = (Receiver::start().await, Receiver::start().await);
    old.answer_with(StatusCode::GONE);
    point_at(&provider.http, &old).await;
    provider.http.authorise("a", "sim_ok").await;
    let refused = old.event().await;
    let body = json!({"url": new.url, "secret": "another"});
    assert_eq!(provider.http.put("/webhook-endpoint", body).await.0, StatusCode::NO_CONTENT);
    let arrival = new.next().await;
    assert_eq!(arrival.event(), refused);
    assert_signed(&arrival, "another");

    for (body, words) in [
        (json!({"url": "here", "secret": "s3cr3t"}), "url is an absolute"),
        (json!({"url": "ftp://a/b", "secret": "s3cr3t"}), "url is an absolute"),
        (json!({"url": new.url, "secret": ""}), "secret is 1 to 255"),
        (json!({"url": new.url, "secret": "s3cr3t "}), "secret is 1 to 255"),
        (json!({"url": new.url}), "missing field `secret`"),
    ] {
        let (status, refusal) = provider.http.put("/webhook-endpoint", body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        let said = refusal["detail"].as_str().expect("words");
        assert!(said.contains(words) && !said.contains("s3cr3t"), "{said}");
    }
    let shown = provider.http.get("/webhook-endpoint").await;
    assert_eq!(shown.0, StatusCode::METHOD_NOT_ALLOWED);
    let file = dir.path().join("webhook-endpoint.json");
    let mode = fs::metadata(&file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for entry in fs::read_dir(dir.path()).expect("the folder").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a text");
        assert_eq!(text.contains("another"), entry.path() == file, "{:?}", entry.path());
    }
}

#[tokio::test]
async fn a_crowd_of_events_all_arrive_through_failures_and_a_kill() {
    let dir = tempdir().expect("a directory");
    let mut receiver = Receiver::start().await;
    let provider = Process::start(dir.path(), &["--faults", "duplicate=0.3,reorder=0.3"]);
    receiver.answer_with(StatusCode::BAD_GATEWAY);
    point_at(&provider.http, &receiver).await;
    let names: Vec<String> = (0..60).map(|number| format!("crowd-{number:02}")).collect();
    for (status, _) in provider.http.authorise_all(&names, "sim_ok").await {
        assert_eq!(status, StatusCode::CREATED);
    }
    provider.kill();
    receiver.answer_with(StatusCode::OK);
    let _provider = Process::start(dir.path(), &["--faults", "duplicate=0.3,reorder=0.3"]);
    let mut attempts: HashSet<Value> = names.iter().map(|name| json!(id(name))).collect();
    acknowledged(dir.path(), names.len()).await;
    while !receiver.is_empty() {
        attempts.remove(&receiver.event().await["attempt_id"]);
    }
    assert!(attempts.is_empty(), "{attempts:?} were never told");
}
