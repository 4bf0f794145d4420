//! `taquilla import-plan`: checked, mended, made.

use std::fs;
use std::path::Path;
use std::process::Command;

use secrecy::ExposeSecret;
use serde_json::{Value, json};
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use tempfile::TempDir;

use super::{folder, run, taquilla, text};

const TWO_FLOORS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/pretix-plan-two-floors.json");

/// Exit code, standard output, standard error.
fn import(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(taquilla(folder, &[&["import-plan"], arguments].concat()));
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn file(folder: &TempDir, name: &str, content: &Value) -> String {
    let path = folder.path().join(name);
    fs::write(&path, content.to_string()).expect("a file");
    path.display().to_string()
}

fn venue() -> Value {
    json!({
        "name": "Teatro", "slug": "teatro", "city": "Sevilla", "country": "ES",
        "lat": 37.4, "lon": -5.9, "timezone": "Europe/Madrid",
        "plan": {"format": "rows", "sections": [
            {"section": "A", "kind": "seated", "rows": [{"row": "1", "seats": 4}]}]}
    })
}

#[test]
fn a_dry_run_names_every_defect_and_needs_no_database() {
    let folder = folder();
    let (code, out, _) = import(&folder, &[TWO_FLOORS, "--dry-run"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        out.lines().filter(|line| line.starts_with("DEFECT duplicate-seat /zones/")).count(),
        546
    );

    let (code, out, _) = import(&folder, &[TWO_FLOORS, "--dry-run", "--repair"]);
    assert_eq!(code, Some(0), "{out}");
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 420 + 2);
    assert!(
        lines[0].starts_with("rename-duplicate-seat /zones/0/rows/6/seats/0/seat_guid: "),
        "{}",
        lines[0]
    );
    assert_eq!(lines[420], "420 repairs");
    assert_eq!(
        lines[421],
        "ok: 2 sections, 738 seats, 0 places without number; nothing was written"
    );
}

#[test]
fn a_whole_venue_is_checked_as_the_interface_does() {
    let folder = folder();
    let good = file(&folder, "good.json", &venue());
    assert_eq!(import(&folder, &[&good, "--dry-run"]).0, Some(0));
    let mut bad = venue();
    bad["slug"] = json!("Teatro Real");
    bad["plan"]["sections"][0]["rows"][0]["chairs"] = json!(4);
    let bad = file(&folder, "bad.json", &bad);
    let (code, out, _) = import(&folder, &[&bad, "--dry-run"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("MALFORMED /slug: "), "{out}");
    assert!(out.contains("MALFORMED /plan/sections/0/rows/0/chairs: "), "{out}");
}

#[test]
fn what_cannot_be_read_or_used_so_is_wrong_use() {
    let folder = folder();
    let (code, _, said) = import(&folder, &["nothing.json"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("nothing.json"), "{said}");
    let good = file(&folder, "good.json", &venue());
    let (code, _, said) = import(&folder, &[&good, "--dry-run", "--city", "Madrid"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("venue of its own"), "{said}");
    assert_eq!(import(&folder, &[TWO_FLOORS, "--general", "FLOOR"]).0, Some(2));
    let (code, _, said) = import(&folder, &[&good]);
    assert_eq!(code, Some(2), "no database is configured");
    assert!(said.contains("TAQUILLA__DATABASE__URL"), "{said}");
    let brackets = folder.path().join("deep.json");
    fs::write(&brackets, "[".repeat(50_000)).expect("a file");
    let (code, out, _) = import(&folder, &[&brackets.display().to_string(), "--dry-run"]);
    assert_eq!((code, out.contains("DEFECT too-deep")), (Some(1), true), "{out}");
}

#[test]
fn only_what_nothing_says_of_a_venue_is_made_up_and_told() {
    let folder = folder();
    let plan = file(&folder, "plan.json", &venue()["plan"]);
    let told = |arguments: &[&str]| {
        let (code, _, said) = import(&folder, &[&[&*plan, "--dry-run"], arguments].concat());
        assert_eq!(code, Some(0), "{said}");
        said
    };
    let place = ["--country", "ES", "--lat", "37.4", "--lon", "-5.9"];
    let said = told(&place);
    for made_up in ["--name \"Imported venue\"", "--city \"Nowhere\"", "--timezone \"UTC\""] {
        assert!(said.contains(made_up), "{said}");
    }
    for given in ["--country", "--lat", "--lon"] {
        assert!(!said.contains(given), "{said}");
    }
    let rest = ["--name", "Sala", "--city", "Sevilla", "--timezone", "Europe/Madrid"];
    assert_eq!(told(&[&place[..], &rest].concat()), "");
}

#[tokio::test]
async fn the_commands_of_the_page_about_plans_do_what_it_says() {
    const PAGE: &str = include_str!("../../../../docs/plans.md");
    let durable = [("fsync", "on"), ("full_page_writes", "on")];
    let cluster = ScratchCluster::start(&durable).await.expect("a cluster");
    let settings = cluster.migrated_database("plans_page").await.expect("a database");
    let binary = Path::new(env!("CARGO_BIN_EXE_taquilla"));
    let path = std::env::join_paths(
        [binary.parent().expect("a folder").to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.expect("a path");
    let shell = |command: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        shell.env("PATH", &path).env("TAQUILLA__DATABASE__URL", settings.url.expose_secret());
        let output = run(shell);
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let (_, section) = PAGE.split_once("## Importing a file").expect("a heading");
    let (_, block) = section.split_once("```sh\n").expect("a block");
    let block = block.split_once("```").expect("it ends").0.replace("\\\n", "");
    let commands = block.lines().filter(|line| line.starts_with("taquilla "));
    let outcomes: Vec<_> = commands.map(shell).collect();
    let [checked, defects, mended, made] = outcomes.as_slice() else { panic!("{outcomes:?}") };
    assert!(checked.0 == Some(0) && checked.1.contains("nothing was written"), "{checked:?}");
    let named = defects.1.lines().filter(|line| line.starts_with("DEFECT ")).count();
    assert_eq!((defects.0, named), (Some(1), 4), "one defect has two places: {}", defects.1);
    assert!(mended.0 == Some(0) && mended.1.contains("\n3 repairs\n"), "{mended:?}");
    assert!(made.0 == Some(0) && made.1.contains("\nmade sala-chica"), "{made:?}");
}

#[tokio::test]
async fn a_mended_plan_becomes_a_venue_of_all_its_seats() {
    let folder = folder();
    // The command takes no storage that forgets, as the shared cluster's is.
    let durable = [("fsync", "on"), ("full_page_writes", "on")];
    let cluster = ScratchCluster::start(&durable).await.expect("a cluster");
    let settings = cluster.migrated_database("import_plan").await.expect("a database");
    let url = settings.url.expose_secret().to_owned();
    let import = |arguments: &[&str]| {
        let mut command = taquilla(&folder, &[&["import-plan"], arguments].concat());
        command.env("TAQUILLA__DATABASE__URL", &url);
        let output = run(command);
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let venue = [
        "--slug",
        "two-floors",
        "--city",
        "Sevilla",
        "--country",
        "ES",
        "--lat",
        "37.4",
        "--lon",
        "-5.9",
        "--timezone",
        "Europe/Madrid",
        "--general",
        "FLOOR=500",
    ];
    let with = |more: &[&str]| import(&[&[TWO_FLOORS][..], more, &venue].concat());
    let (code, said) = with(&[]);
    assert_eq!(code, Some(1), "{said}");
    let (code, said) = with(&["--repair"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("3 sections, 738 seats, 500 places"), "{said}");
    let (code, said) = with(&["--repair"]);
    assert_eq!((code, said.lines().count()), (Some(2), 1), "no list of repairs: {said}");
    assert!(said.contains("two-floors already"), "{said}");

    let (client, connection) =
        tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("the database");
    tokio::spawn(connection);
    let count = "SELECT count(*), count(DISTINCT label), count(DISTINCT (x, y)) FROM plan_seats";
    let row = client.query_one(count, &[]).await.expect("a count");
    let counts: [i64; 3] = std::array::from_fn(|column| row.get(column));
    assert_eq!(counts, [738; 3]);
    let who = client.query_one("SELECT who FROM operator_actions", &[]).await.expect("one row");
    assert_eq!(who.get::<_, &str>(0), "taquilla import-plan");
}
