//! What a kill can leave on the disk, and what a new start makes of it.

use std::fs;
use std::path::Path;

use axum::http::StatusCode;
use chrono::Utc;
use serde_json::{Value, json};
use taquilla_api::simulated_provider::{Books, BooksError, Settings};
use tempfile::tempdir;

use super::{Provider, open_books};

/// Books with every kind of line: opened, two authorisations, a decline, capture, refund, void.
async fn keep_books(dir: &Path) -> Vec<u8> {
    let provider = Provider::open(dir);
    let captured = provider.authorised("a").await;
    let voided = provider.authorised("b").await;
    provider.authorise("d", "sim_decline").await;
    provider.capture(&captured, "c").await;
    provider.refund(&captured, "r", 500).await;
    provider.void(&voided, "v").await;
    provider.close().await;
    fs::read(dir.join("books.jsonl")).expect("the file of the books")
}

#[tokio::test]
async fn after_a_kill_at_any_byte_everything_with_a_whole_line_is_there() {
    let dir = tempdir().expect("a directory");
    let whole = keep_books(dir.path()).await;
    let lines: Vec<Value> = whole
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!(lines.len(), 7);

    let killed = tempdir().expect("a directory");
    let file = killed.path().join("books.jsonl");
    for length in 0..=whole.len() {
        fs::write(&file, &whole[..length]).expect("a torn file");
        let whole_lines = whole[..length].iter().filter(|byte| **byte == b'\n').count();

        let provider = Provider::open(killed.path());
        let (_, entries) = provider.get("/books").await;
        let declined = provider.find("d").await.0.is_success();
        let instance = provider.books.instance().to_string();
        provider.close().await;

        let kept = &lines[..whole_lines];
        let moved: Vec<_> = kept.iter().filter_map(money_entry).collect();
        assert!(entries.as_array().expect("an array").iter().eq(moved), "{length} bytes");
        assert_eq!(declined, whole_lines >= 4, "{length} bytes");
        if let Some(opened) = kept.first() {
            assert_eq!(opened["opened"]["instance"], instance, "{length} bytes");
        }
        let healed = fs::read(&file).expect("a healed file");
        let end = whole[..length].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        assert!(healed.starts_with(&whole[..end]) && healed.ends_with(b"\n"), "{length} bytes");
    }
}

#[tokio::test]
async fn a_torn_tail_is_cut_off_and_the_books_go_on() {
    let dir = tempdir().expect("a directory");
    let mut bytes = keep_books(dir.path()).await;
    bytes.truncate(bytes.len() - 10);
    fs::write(dir.path().join("books.jsonl"), bytes).expect("a torn file");

    let provider = Provider::open(dir.path());
    let before = provider.kinds().await;
    provider.authorised("after").await;
    provider.close().await;
    let provider = Provider::open(dir.path());

    assert_eq!(before, ["authorisation", "authorisation", "capture", "refund"]);
    assert_eq!(provider.kinds().await.len(), before.len() + 1);
}

#[tokio::test]
async fn a_torn_line_in_the_middle_is_an_error_that_names_it() {
    let dir = tempdir().expect("a directory");
    let whole = keep_books(dir.path()).await;
    let ends: Vec<_> = (0..whole.len()).filter(|at| whole[*at] == b'\n').collect();

    for (line, torn_bytes) in [(1, 1), (2, 1), (3, 40), (6, 2)] {
        let end = ends[line - 1];
        let torn = [&whole[..end - torn_bytes], &whole[end + 1..]].concat();
        assert_eq!(unreadable_line(dir.path(), &torn), line as u64);
    }
}

#[tokio::test]
async fn a_line_that_contradicts_those_before_it_is_an_error_that_names_it() {
    let dir = tempdir().expect("a directory");
    let whole = keep_books(dir.path()).await;
    let lines: Vec<_> = whole.split_inclusive(|byte| *byte == b'\n').collect();

    let twice = [&whole, lines[4]].concat();
    let without_its_authorisation = [lines[0], lines[2], lines[4]].concat();
    let unopened = lines[1..].concat();

    assert_eq!(unreadable_line(dir.path(), &twice), 8);
    assert_eq!(unreadable_line(dir.path(), &without_its_authorisation), 3);
    assert_eq!(unreadable_line(dir.path(), &unopened), 1);
}

#[tokio::test]
async fn two_at_once_cannot_keep_the_same_books() {
    let dir = tempdir().expect("a directory");
    let first = open_books(dir.path(), &settings()).expect("the books open");

    let second = Books::open(dir.path(), Utc::now, &settings());
    let instance = first.instance();
    first.close().await.expect("the books close");
    let third = open_books(dir.path(), &settings()).expect("the books open again");

    assert!(matches!(second, Err(BooksError::Locked { .. })), "{second:?}");
    assert_eq!(third.instance(), instance);
}

/// Lines as the first version wrote them: no instant of lapsing, a refund without an id, and two
/// authorisations of one attempt.
const FIRST_FORMAT: &str = r#"{"opened":{"format":1,"instance":"6f1c1d0e-5f5c-4c57-9d0f-3a0a3d9a4b11","at":"2026-01-01T10:00:00Z"}}
{"decided":{"entry":{"kind":"authorisation","reference":"00000000-0000-4000-8000-00000000000a","idempotency_key":"a","order_id":"00000000-0000-4000-8000-000000000001","attempt_id":"00000000-0000-4000-8000-000000000002","amount":12500,"currency":"EUR","at":"2026-01-01T10:00:01Z"},"payment_method":"sim_ok","failure":null}}
{"decided":{"entry":{"kind":"authorisation","reference":"00000000-0000-4000-8000-00000000000b","idempotency_key":"b","order_id":"00000000-0000-4000-8000-000000000001","attempt_id":"00000000-0000-4000-8000-000000000002","amount":12500,"currency":"EUR","at":"2026-01-01T10:00:02Z"},"payment_method":"sim_ok","failure":null}}
{"moved":{"entry":{"kind":"capture","reference":"00000000-0000-4000-8000-00000000000a","idempotency_key":"c","order_id":"00000000-0000-4000-8000-000000000001","attempt_id":"00000000-0000-4000-8000-000000000002","amount":12500,"currency":"EUR","at":"2026-01-11T10:00:00Z"}}}
{"moved":{"entry":{"kind":"refund","reference":"00000000-0000-4000-8000-00000000000a","idempotency_key":"r","order_id":"00000000-0000-4000-8000-000000000001","attempt_id":"00000000-0000-4000-8000-000000000002","amount":500,"currency":"EUR","at":"2026-01-11T10:00:01Z"}}}
"#;

#[tokio::test]
async fn books_of_the_first_format_are_read_and_go_on() {
    let dir = tempdir().expect("a directory");
    fs::write(dir.path().join("books.jsonl"), FIRST_FORMAT).expect("old books");

    let provider = Provider::open(dir.path());
    let (_, refunded) = provider.get("/authorisations/00000000-0000-4000-8000-00000000000a").await;
    assert_eq!(
        (&refunded["refunded_amount"], &refunded["expires_at"]),
        (&json!(500), &Value::Null)
    );
    let (status, _) = provider.capture("00000000-0000-4000-8000-00000000000b", "c2").await;
    assert_eq!(status, StatusCode::OK, "what they authorised does not lapse");
    let (status, _) = provider.refund("00000000-0000-4000-8000-00000000000a", "r2", 1).await;
    assert_eq!(status, StatusCode::OK);
    provider.close().await;

    let provider = Provider::open(dir.path());
    let expected = ["authorisation", "authorisation", "capture", "refund", "capture", "refund"];
    assert_eq!(provider.kinds().await, expected);
}

#[tokio::test]
async fn books_of_a_later_format_are_refused() {
    let dir = tempdir().expect("a directory");
    let later = FIRST_FORMAT.replace("\"format\":1", "\"format\":3");
    assert_eq!(unreadable_line(dir.path(), later.as_bytes()), 1);
}

fn settings() -> Settings {
    Settings::new("http://bank".to_owned())
}

fn money_entry(line: &Value) -> Option<&Value> {
    let entry = line.get("moved").or(line.get("decided"))?.get("entry")?;
    (entry["kind"] != "decline").then_some(entry)
}

/// Opens books of these bytes, expects an error about a line, and sees that nothing was changed.
fn unreadable_line(dir: &Path, bytes: &[u8]) -> u64 {
    let file = dir.join("books.jsonl");
    fs::write(&file, bytes).expect("a damaged file");
    let opened = open_books(dir, &settings());
    assert_eq!(fs::read(&file).expect("the file"), bytes);
    match opened {
        Err(BooksError::Unreadable { line, .. }) => line,
        other => panic!("the books opened or failed otherwise: {other:?}"),
    }
}
