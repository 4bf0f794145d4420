use std::ffi::OsString;
use std::fs::{DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;

use taquilla_persistence::private_postgres::PrivatePostgres;
use taquilla_persistence::private_postgres::scratch::{self, ScratchCluster};
use taquilla_persistence::settings::DatabaseSettings;

use crate::plain::{self, in_time};

/// Set for the process that is to be killed.
const REPORT_TO: &str = "HOLD_A_CLUSTER_AND_REPORT_TO";

async fn start(folder: &Path) -> PrivatePostgres {
    in_time(PrivatePostgres::start(folder, &[])).await.expect("the server starts")
}

async fn notes_of(server: &PrivatePostgres) -> i64 {
    plain::count_notes(&plain::client(&DatabaseSettings::new(server.url("postgres"))).await).await
}

#[tokio::test]
async fn data_below_a_closed_folder_survives_stop_kill_and_take_up() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let closed = root.path().join("closed");
    DirBuilder::new().mode(0o700).create(&closed).expect("a new folder");
    let folder = closed.join("between/data");
    let mut first = start(&folder).await;
    plain::with_notes(&DatabaseSettings::new(first.url("postgres")))
        .await
        .batch_execute("INSERT INTO notes VALUES (1)")
        .await
        .expect("a new table");

    // What `taquilla dev` leaves when it is killed hard: the server goes on, and is found again.
    let (pid, port) = (first.pid(), first.port());
    let mut taken_up = start(&folder).await;
    assert_eq!((taken_up.pid(), taken_up.port()), (pid, port));
    assert_eq!(notes_of(&taken_up).await, 1);

    assert!(taken_up.is_alive());
    taken_up.kill().await.expect("killed");
    assert!(!taken_up.is_alive(), "though it may not be reaped yet");
    let mut recovered = start(&folder).await;
    assert_ne!(recovered.pid(), pid);
    assert_eq!(recovered.port(), port, "the port is kept");
    assert_eq!(notes_of(&recovered).await, 1);

    recovered.restart().await.expect("restarted");
    assert_eq!(notes_of(&recovered).await, 1);
    recovered.stop().await.expect("stopped");
    let mut again = start(&folder).await;
    assert_eq!(notes_of(&again).await, 1);
    again.stop().await.expect("stopped");
    drop(first.stop().await);
}

#[tokio::test]
async fn two_starts_on_a_fresh_folder_share_one_server() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let (mut one, two) = tokio::join!(start(root.path()), start(root.path()));
    assert_eq!(one.pid(), two.pid());
    one.stop().await.expect("stopped");
}

#[tokio::test]
async fn a_lock_file_that_names_a_stranger_does_not_stop_the_start() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let mut server = start(root.path()).await;
    let lock = root.path().join("postgres/postmaster.pid");
    let file = std::fs::read_to_string(&lock).expect("the server runs");
    let stranger = file.replacen(&server.pid().to_string(), &std::process::id().to_string(), 1);
    server.stop().await.expect("stopped");
    std::fs::write(&lock, stranger).expect("the folder is ours");

    let mut again = start(root.path()).await;
    again.stop().await.expect("stopped");
}

#[tokio::test]
async fn the_server_is_reached_by_its_password_on_loopback_alone() {
    let cluster = scratch::shared().await;
    let settings = cluster.settings("postgres");
    let client = plain::client(&settings).await;
    for (setting, expected) in [
        ("listen_addresses", "127.0.0.1"),
        ("unix_socket_directories", ""),
        ("password_encryption", "scram-sha-256"),
        ("data_checksums", "on"),
        ("server_encoding", "UTF8"),
    ] {
        let found: String =
            client.query_one(&format!("SHOW {setting}"), &[]).await.expect("a setting").get(0);
        assert_eq!(found, expected, "{setting}");
    }
    let mut guess = settings.config().expect("our own URL");
    guess.password("guess");
    guess.connect(tokio_postgres::NoTls).await.map(drop).expect_err("a wrong password");
}

/// So that Ctrl-C ends `taquilla dev` in its own order: first what uses the database.
#[tokio::test]
async fn a_signal_to_the_terminals_processes_does_not_reach_the_server() {
    let group = |process: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it lives");
        let after_name = stat.rsplit_once(") ").expect("the name is in parentheses").1;
        after_name.split(' ').nth(2).expect("state, parent, group").to_owned()
    };
    let server = scratch::shared().await.postgres.pid().to_string();
    assert_ne!(group(&server), group("self"));
}

#[tokio::test]
async fn the_password_is_readable_by_its_owner_alone() {
    let root = tempfile::tempdir().expect("a temporary folder");
    std::fs::set_permissions(root.path(), Permissions::from_mode(0o755)).expect("our own folder");
    let mut server = start(root.path()).await;
    for name in ["postgres.password", "postgres.log"] {
        let mode = root.path().join(name).metadata().expect("made by the start").permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
    }
    server.stop().await.expect("stopped");
}

#[tokio::test]
async fn a_dropped_scratch_cluster_leaves_nothing_behind() {
    let cluster = ScratchCluster::start(&[]).await.expect("a cluster");
    let (pid, folder) = (cluster.postgres.pid(), cluster.postgres.folder().to_owned());
    assert!(folder.exists());
    drop(cluster);
    assert!(!folder.exists());
    let cwd = std::fs::metadata(format!("/proc/{pid}/cwd"));
    assert!(cwd.is_err(), "ended, if perhaps not reaped");
}

/// The other half of the next test: a process that holds a scratch cluster until it is killed.
async fn hold_a_cluster_until_killed(report: OsString) {
    let cluster = ScratchCluster::start(&[]).await.expect("a cluster");
    let folder = cluster.postgres.folder().display().to_string();
    std::fs::write(&report, format!("{folder}\n{}\n", cluster.postgres.pid())).expect("a report");
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_scratch_cluster_ends_with_a_process_that_is_killed() {
    if let Some(report) = std::env::var_os(REPORT_TO) {
        return hold_a_cluster_until_killed(report).await;
    }
    let root = tempfile::tempdir().expect("a temporary folder");
    let report = root.path().join("report");
    let mut holder = tokio::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "private_server::a_scratch_cluster_ends_with_a_process_that_is_killed"])
        .env(REPORT_TO, &report)
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("this test runs");
    let (folder, pid) = plain::eventually("the holder's report", async || {
        let told = std::fs::read_to_string(&report).unwrap_or_default();
        // Complete once its last line is.
        let (folder, pid) = told.strip_suffix('\n')?.split_once('\n')?;
        Some((folder.to_owned(), pid.to_owned()))
    })
    .await;
    assert!(Path::new(&folder).exists());

    holder.kill().await.expect("our own child");
    plain::eventually("neither server nor folder", async || {
        let server = format!("/proc/{pid}/cwd");
        (!Path::new(&folder).exists() && !Path::new(&server).exists()).then_some(())
    })
    .await;
}
