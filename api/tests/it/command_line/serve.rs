//! `taquilla serve` where it cannot start.

use std::net::TcpListener;
use std::sync::Arc;

use secrecy::ExposeSecret;
use taquilla_api::tickets::ticket_key_pem;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;

use super::{KEY, folder, run, taquilla, text};
use crate::edge::{BoxOffice, event_form};

#[tokio::test]
async fn a_server_that_cannot_start_takes_no_event_from_the_one_that_runs() {
    let folder = folder();
    // The command takes no storage that forgets, as the shared cluster's is.
    let durable = [("fsync", "on"), ("full_page_writes", "on")];
    let cluster = ScratchCluster::start(&durable).await.expect("a cluster");
    let settings = cluster.migrated_database("serve_twice").await.expect("a database");
    let office = BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await;
    let event = office.create_event(&event_form()).await;
    office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let (client, connection) =
        tokio_postgres::connect(settings.url.expose_secret(), tokio_postgres::NoTls)
            .await
            .expect("the database");
    tokio::spawn(connection);
    let epoch = async || {
        let row = client.query_one("SELECT epoch FROM event_heads", &[]).await.expect("one head");
        row.get::<_, i64>(0)
    };
    let before = epoch().await;

    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = listener.local_addr().expect("an address").to_string();
    let key = folder.path().join("tickets.pem");
    std::fs::write(&key, ticket_key_pem(&[7; 32]).expose_secret()).expect("a file");
    let url = "http://127.0.0.1:9";
    let right = [
        ("TAQUILLA__DATABASE__URL", settings.url.expose_secret()),
        ("TAQUILLA__AUTH__JWT_KEY", KEY),
        ("TAQUILLA__TICKETS__KEY_FILE", key.to_str().expect("text")),
        ("TAQUILLA__PAYMENTS__SIMULATED_URL", url),
        ("TAQUILLA__HTTP__LISTEN", "127.0.0.1:0"),
        ("TAQUILLA__METRICS__LISTEN", "127.0.0.1:0"),
    ];
    for (name, wrong, says) in [
        ("TAQUILLA__HTTP__LISTEN", taken.as_str(), "http.listen"),
        ("TAQUILLA__METRICS__LISTEN", taken.as_str(), "metrics.listen"),
        ("TAQUILLA__PAYMENTS__SIMULATED_URL", "here", "payments.simulated_url"),
        ("TAQUILLA__PAYMENTS__SIMULATED_URL", "localhost:9090", "payments.simulated_url"),
        ("TAQUILLA__PAYMENTS__SIMULATED_URL", "ftp://localhost", "payments.simulated_url"),
        ("TAQUILLA__PAYMENTS__PROVIDER", "stripe", "payments.stripe.secret_key is not set"),
        ("TAQUILLA__TICKETS__KEY_FILE", "/dev/null", "ticket key"),
        ("TAQUILLA__AUTH__JWT_KEY", "short", "auth.jwt_key"),
    ] {
        let mut command = taquilla(&folder, &["serve"]);
        command.envs(right).env(name, wrong);
        let output = run(command);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let said = text(&output.stderr);
        assert!(said.contains(says), "{said:?} does not say {says:?}");
    }
    assert_eq!(epoch().await, before, "the running owner was fenced");
    office.hold("eva", "k", &event, &["A-1-2"]).send().await.ok(201);
}

#[test]
fn all_that_a_server_lacks_is_told_at_once() {
    let folder = folder();
    let output = run(taquilla(&folder, &["serve"]));
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    for variable in [
        "TAQUILLA__DATABASE__URL",
        "TAQUILLA__AUTH__JWT_KEY",
        "TAQUILLA__TICKETS__KEY_FILE",
        "TAQUILLA__PAYMENTS__SIMULATED_URL",
    ] {
        assert!(said.contains(&format!("is not set: give {variable}")), "{said}");
    }
    let mut command = taquilla(&folder, &["serve"]);
    command.envs([
        ("TAQUILLA__AUTH__JWT_KEY", "short"),
        ("TAQUILLA__DATABASE__URL", "postgresql://x"),
    ]);
    command.envs([("TAQUILLA__TICKETS__KEY_FILE", "nowhere.pem")]);
    command.envs([("TAQUILLA__PAYMENTS__SIMULATED_URL", "here")]);
    let said = text(&run(command).stderr);
    for wrong in [
        "auth.jwt_key has at least 32 bytes",
        "cannot read nowhere.pem: No such file",
        "payments.simulated_url is where the simulated provider listens",
    ] {
        assert!(said.contains(wrong), "{said}");
    }
    assert!(!said.contains("database") && !said.contains("is not set"), "{said}");
    let mut command = taquilla(&folder, &["serve"]);
    command.envs([
        ("TAQUILLA__PAYMENTS__PROVIDER", "stripe"),
        ("TAQUILLA__PAYMENTS__STRIPE__API_BASE", "stripe"),
        ("TAQUILLA__PAYMENTS__STRIPE__RETURN_URL", "paid"),
        ("TAQUILLA__CHALLENGE__ENABLED", "true"),
        ("TAQUILLA__MAIL__ENABLED", "true"),
        ("TAQUILLA__MAIL__FROM", "nobody"),
        ("TAQUILLA__MAIL__SMTP_URL", "mail.example.com"),
        ("TAQUILLA__TICKETS__VERIFYING_KEY_FILES", "/dev/null"),
    ]);
    let said = text(&run(command).stderr);
    for wrong in [
        "tickets.key_file is not set",
        "tickets.verifying_key_files names files of public keys",
        "challenge.key is not set",
        "mail.from is a mailbox",
        "mail.smtp_url is smtps://",
        "payments.stripe.secret_key is not set",
        "payments.stripe.api_base is a URL",
        "payments.stripe.webhook_secrets is not set",
        "payments.stripe.return_url is empty, or",
    ] {
        assert!(said.contains(wrong), "{said:?} does not say {wrong:?}");
    }
}
