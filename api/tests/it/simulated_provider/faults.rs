//! Faults drawn from a seed.

use std::process::Command;
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::json;
use tempfile::tempdir;

use super::Process;
use super::http::reference;
use super::receiver::Receiver;

const FAILED: StatusCode = StatusCode::INTERNAL_SERVER_ERROR;

#[tokio::test]
async fn an_error_is_answered_for_ever_half_of_the_time_with_the_work_done() {
    let dir = tempdir().expect("a directory");
    let flags = ["--faults", "error=1", "--seed", "7"];
    let provider = Process::start(dir.path(), &flags);
    let names: Vec<String> = (0..40).map(|number| format!("a{number}")).collect();
    let mut done = Vec::new();
    for answer in provider.http.authorise_all(&names, "sim_ok").await {
        assert_eq!((answer.0, &answer.1["code"]), (FAILED, &json!("simulated_error")));
    }
    for name in &names {
        done.push(provider.http.find(name).await.0 == StatusCode::OK);
    }
    let count = done.iter().filter(|done| **done).count();
    assert!((8..=32).contains(&count), "{count} of 40 were done");
    provider.kill();

    // The keys keep their errors without the faults; other keys get what was done.
    let provider = Process::start(dir.path(), &[]);
    for (name, done) in names.iter().zip(&done) {
        assert_eq!(provider.http.authorise(name, "sim_ok").await.0, FAILED);
        let (status, found) = provider.http.find(name).await;
        assert_eq!(status == StatusCode::OK, *done, "a repeat does nothing");
        if *done {
            let other = provider.http.authorise_for(name, &format!("{name}-2"), "sim_ok").await;
            assert_eq!(other, (StatusCode::CREATED, found));
        }
    }
    assert_eq!(provider.http.kinds().await.len(), count);
}

#[tokio::test]
async fn a_capture_errs_by_its_key_and_may_have_been_done() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &[]);
    let (_, authorised) = provider.http.authorise("a", "sim_ok").await;
    let reference = reference(&authorised);
    provider.kill();
    let provider = Process::start(dir.path(), &["--faults", "error=1"]);
    let mut tries = 0;
    while provider.http.find("a").await.1["captured"] == json!(false) {
        tries += 1;
        let (status, _) = provider.http.act(&reference, "capture", &format!("c{tries}")).await;
        assert_eq!(status, FAILED);
        assert!(tries < 100, "half of the errors come after the work");
    }
    let (status, _) = provider.http.act(&reference, "capture", &format!("c{tries}")).await;
    assert_eq!(status, FAILED, "its own key never says so");
    let (status, body) = provider.http.act(&reference, "capture", "other").await;
    assert_eq!((status, &body["code"]), (StatusCode::CONFLICT, &json!("already_captured")));
    assert_eq!(provider.http.kinds().await, ["authorisation", "capture"]);
}

#[tokio::test]
async fn a_time_out_does_the_work_and_answers_the_repeat() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &["--faults", "timeout=1"]);
    let haste = Duration::from_millis(600);
    assert_eq!(provider.http.authorise_within(haste, "a", "sim_ok").await, None);
    let found = provider.http.found("a").await;
    assert_eq!(provider.http.authorise("a", "sim_ok").await, (StatusCode::CREATED, found));
}

#[tokio::test]
async fn webhooks_come_twice_and_late_where_the_faults_say_so() {
    let dir = tempdir().expect("a directory");
    let provider = Process::start(dir.path(), &["--faults", "duplicate=1,reorder=1"]);
    let mut receiver = Receiver::start().await;
    let endpoint = json!({"url": receiver.url, "secret": "s"});
    provider.http.put("/webhook-endpoint", endpoint).await;
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut asked = Vec::new();
    for name in names {
        asked.push(provider.http.authorise(name, "sim_ok").await.1["attempt_id"].clone());
    }
    let mut told = Vec::new();
    for _ in 0..2 * names.len() {
        told.push(receiver.event().await["attempt_id"].clone());
    }
    for attempt in &asked {
        assert_eq!(told.iter().filter(|it| *it == attempt).count(), 2);
    }
    let mut firsts = told.clone();
    firsts.dedup();
    assert_ne!(firsts, asked, "eight in their order, by chance, are one in 40,320");
}

#[test]
fn faults_that_cannot_be_are_wrong_use() {
    let dir = tempdir().expect("a directory");
    for (faults, words) in [
        ("timeout=1.1", "timeout is a share from 0 to 1, not `1.1`"),
        ("error=-0.1", "error is a share from 0 to 1"),
        ("error=NaN", "error is a share from 0 to 1"),
        ("duplicate=", "duplicate is a share from 0 to 1"),
        ("fire=0.1", "`fire` is no fault; known are timeout, error, duplicate, reorder"),
        ("timeout", "`timeout` is no fault; one is written as"),
        ("", "is no fault"),
        ("error=0.1,error=0.2", "error is said twice"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_taquilla"))
            .args(["simulated-provider", "--data-dir"])
            .arg(dir.path())
            .args(["--faults", faults])
            .output()
            .expect("a process");
        assert_eq!(output.status.code(), Some(2), "{faults}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{said} does not say {words}");
    }
}
