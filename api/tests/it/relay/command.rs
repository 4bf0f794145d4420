//! `taquilla replay-outbox`, as an operator calls it.

use std::process::{Command, Output};

use secrecy::ExposeSecret;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;

use super::bus::{Bus, Taken};
use super::office::Office;

#[tokio::test]
async fn history_is_told_to_the_sink_that_is_named_and_what_is_wrong_is_said() {
    // The command takes no storage that forgets, as the shared cluster's is.
    let durable = [("fsync", "on"), ("full_page_writes", "on")];
    let cluster = ScratchCluster::start(&durable).await.expect("a cluster");
    let settings = cluster.migrated_database("replay_command").await.expect("a database");
    let (bus, office) = (Bus::start().await, Office::over(settings.clone()).await);
    office.churn("ana", 2).await;
    let url = bus.url_with_password();
    let replay = |event: &str, from: &str, sink: &str| -> Output {
        Command::new(env!("CARGO_BIN_EXE_taquilla"))
            .args(["replay-outbox", "--event", event, "--from", from, "--sink", sink])
            .env("TAQUILLA__DATABASE__URL", settings.url.expose_secret())
            .env("TAQUILLA__NATS__URL", &url)
            .output()
            .expect("the binary is there")
    };
    let said = |output: &Output| {
        let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(!said.contains("secret"), "the password is nobody's affair: {said}");
        said
    };
    let told = replay("noche", "2", "nats");
    assert_eq!(told.status.code(), Some(0), "{}", said(&told));
    assert!(said(&told).contains("told nats batches 2 to 4: 3 messages"), "{}", said(&told));
    let ids: Vec<_> = bus.consume().await.iter().map(Taken::id).collect();
    let expected: Vec<_> = (2..=4).map(|batch| format!("{}.{batch}.0", office.event)).collect();
    assert_eq!(ids, expected);
    for (event, from, sink, expected) in [
        ("noche", "5", "nats", "batch 5 is not there: this event's history is batches 1 to 4"),
        ("noche", "0", "nats", "0 is not in 1.."),
        ("noche", "1", "crm", "there is no sink crm; configured are nats"),
        ("otra", "1", "nats", "there is no event otra"),
    ] {
        let wrong = replay(event, from, sink);
        assert_eq!(wrong.status.code(), Some(2), "{}", said(&wrong));
        assert!(said(&wrong).contains(expected), "{}", said(&wrong));
    }
}
