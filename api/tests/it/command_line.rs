//! The command as a person or a script calls it.

mod dev;
mod draws;
mod import_plan;
mod reconcile;
mod serve;
mod tickets;

use std::process::{Command, Output};

use secrecy::ExposeSecret;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use tempfile::TempDir;

const KEY: &str = "a key of tests that has at least 32 bytes";

fn taquilla(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taquilla"));
    command.args(arguments).current_dir(folder).env_remove("TAQUILLA_DATA_DIR");
    command
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

fn run(mut command: Command) -> Output {
    command.output().expect("the binary is there")
}

#[test]
fn a_token_is_printed_alone_and_needs_no_database() {
    let folder = folder();
    let mut command = taquilla(&folder, &["token", "--sub", "ann", "--scope", "operator"]);
    let output = run({
        command.env("TAQUILLA__AUTH__JWT_KEY", KEY);
        command
    });
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert_eq!(printed.lines().count(), 1);
    assert_eq!(printed.trim().split('.').count(), 3, "{printed}");
}

#[test]
fn wrong_use_is_2_and_says_what_would_be_right() {
    let folder = folder();
    let wrong = |arguments: &[&str]| {
        let output = run(taquilla(&folder, arguments));
        (output.status.code(), text(&output.stderr))
    };
    let (code, said) = wrong(&["token"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--sub"), "{said}");
    let (code, said) = wrong(&["token", "--sub", "ann"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("TAQUILLA__AUTH__JWT_KEY"), "{said}");
    let (code, said) = wrong(&["audit"]);
    assert_eq!(code, Some(2), "an audit that could not be made has found nothing");
    assert!(said.contains("TAQUILLA__DATABASE__URL"), "{said}");
    let mut command = taquilla(&folder, &["token", "--sub", ""]);
    command.env("TAQUILLA__AUTH__JWT_KEY", KEY);
    let output = run(command);
    assert_eq!(output.status.code(), Some(2), "no server takes such a token");
    assert!(text(&output.stderr).contains("--sub is 1 to 255 bytes"), "{}", text(&output.stderr));
    let (code, _) = wrong(&["sell"]);
    assert_eq!(code, Some(2));
    let mut command = taquilla(&folder, &["serve"]);
    command.env("TAQUILLA__HTTP__LISTN", "127.0.0.1:1");
    let output = run(command);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("TAQUILLA__HTTP__LISTN"));
}

#[test]
fn where_no_dev_instance_is_it_is_said_and_how_another_is_named() {
    let folder = folder();
    for arguments in [
        &["token", "--sub", "ann"][..],
        &["audit"],
        &["migrate"],
        &["reconcile"],
        &["verify-ticket", "x.y.z"],
        &["audit", "--data-dir", "elsewhere"],
    ] {
        let output = run(taquilla(&folder, arguments));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = text(&output.stderr);
        let looked_in =
            if arguments.len() == 3 && arguments[0] == "audit" { "elsewhere" } else { ".taquilla" };
        let looked_in = folder.path().join(looked_in);
        assert!(said.contains(&format!("no dev instance in {}", looked_in.display())), "{said}");
        for word in ["--data-dir", "TAQUILLA_DATA_DIR", " is not set: give TAQUILLA__"] {
            assert!(said.contains(word), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn help_and_version_are_0() {
    let folder = folder();
    for argument in ["--help", "--version"] {
        let output = run(taquilla(&folder, &[argument]));
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.is_empty());
    }
}

#[tokio::test]
async fn a_database_is_migrated_once_and_an_audit_names_what_is_broken() {
    let folder = folder();
    // The command takes no storage that forgets, as the shared cluster's is.
    let durable = [("fsync", "on"), ("full_page_writes", "on")];
    let cluster = ScratchCluster::start(&durable).await.expect("a cluster");
    let settings = cluster.database("command_line").await.expect("a database");
    let url = settings.url.expose_secret().to_owned();
    let with = |arguments: &[&str]| {
        let mut command = taquilla(&folder, arguments);
        command.env("TAQUILLA__DATABASE__URL", &url);
        let output = run(command);
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let (code, said) = with(&["migrate"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("applied"), "{said}");
    assert_eq!(with(&["migrate"]), (Some(0), "the schema is up to date\n".into()));
    let (code, said) = with(&["audit"]);
    assert_eq!(code, Some(0), "{said}");

    let (client, connection) =
        tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("the database");
    tokio::spawn(connection);
    let plant = "INSERT INTO seats (seat_key, state, hold_id) \
        VALUES (1048576, 1, '00000000-0000-0000-0000-000000000001')";
    client.execute(plant, &[]).await.expect("a seat that nobody holds");
    let (code, said) = with(&["audit"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("BROKEN"), "{said}");
    let (code, said) = with(&["audit", "--event", "nothing"]);
    assert_eq!(code, Some(2), "{said}");
}
