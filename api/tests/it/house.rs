//! The house's rules that no compiler sees: arrows one way, one place for each foreign word.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate lies in the workspace").into()
}

/// Every Rust file below the folder, with its text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let (mut files, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the house").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("a source");
                let name = path.strip_prefix(root()).expect("below the root").display();
                files.push((name.to_string(), text));
            }
        }
    }
    assert!(!files.is_empty(), "{folder} has sources");
    files
}

/// The files that have one of these words in their code.
fn with_words(files: &[(String, String)], words: &[&str]) -> Vec<String> {
    let code = |line: &&str| !line.trim_start().starts_with("//");
    let found = |text: &str| {
        text.lines().filter(code).any(|line| words.iter().any(|word| line.contains(word)))
    };
    let mut named: Vec<String> =
        files.iter().filter(|(_, text)| found(text)).map(|(name, _)| name.clone()).collect();
    named.sort();
    named
}

#[test]
fn the_engine_knows_neither_http_nor_sql_nor_formats() {
    let manifest = fs::read_to_string(root().join("engine/Cargo.toml")).expect("a manifest");
    for word in ["axum", "postgres", "deadpool", "bincode", "serde", "hyper", "reqwest", "rand"] {
        assert!(!manifest.contains(word), "the engine depends on {word}");
    }
}

#[test]
fn inside_the_engine_only_the_runtime_names_actors_and_tokio() {
    let mut files = sources("engine/src");
    files.retain(|(name, _)| !name.starts_with("engine/src/runtime"));
    assert_eq!(with_words(&files, &["ractor", "tokio"]), [""; 0]);
}

#[test]
fn sql_is_only_in_persistence() {
    let mut files = sources("engine/src");
    files.extend(sources("api/src"));
    let words = ["SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM", "tokio_postgres"];
    assert_eq!(with_words(&files, &words), [""; 0]);
}

#[test]
fn one_file_reads_the_wall_clock_and_one_knows_bincode() {
    let mut files = sources("engine/src");
    files.extend(sources("persistence/src"));
    files.extend(sources("api/src"));
    let clock = with_words(&files, &["SystemTime::now", "Utc::now", "Local::now"]);
    assert_eq!(clock, ["persistence/src/wall_clock.rs"]);
    assert_eq!(with_words(&files, &["bincode"]), ["persistence/src/codec.rs"]);
}

#[test]
fn work_that_blocks_goes_apart_with_its_turn() {
    let files = sources("api/src");
    // A start of its own process waits for its books, and nobody can hang up on it.
    let places = ["api/src/cli/simulated_provider.rs", "api/src/turns.rs"];
    assert_eq!(with_words(&files, &["spawn_blocking"]), places);
}

#[test]
fn no_file_is_a_drawer_or_too_long() {
    for folder in ["engine", "persistence", "api", "benches", "simulations"] {
        for (name, text) in sources(folder) {
            let file = name.rsplit('/').next().expect("a name");
            let drawers = ["mod.rs", "utils.rs", "util.rs", "common.rs", "helpers.rs", "types.rs"];
            assert!(!drawers.contains(&file), "{name}");
            assert!(text.lines().count() <= 500, "{name} has two nouns");
        }
    }
}

#[test]
fn every_metric_is_on_its_page() {
    let page = fs::read_to_string(root().join("docs/metrics.md")).expect("the page");
    let mut files = sources("engine/src");
    files.extend(sources("persistence/src"));
    files.extend(sources("api/src"));
    let mut found = 0;
    for (name, text) in &files {
        for piece in text.split("\"taquilla_").skip(1) {
            let Some((metric, _)) = piece.split_once('"') else { continue };
            found += 1;
            assert!(page.contains(&format!("`taquilla_{metric}`")), "{name}: taquilla_{metric}");
        }
    }
    assert!(found > 15, "{found} metrics were found");
}

#[test]
fn the_auditor_shares_no_code_with_what_it_audits() {
    let path = root().join("simulations/auditor/Cargo.toml");
    let manifest = fs::read_to_string(path).expect("a manifest");
    let (_, dependencies) = manifest.split_once("[dependencies]").expect("dependencies");
    assert!(!dependencies.contains("taquilla-"), "{dependencies}");
}

#[test]
fn every_test_that_the_architecture_names_is_there() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    let tests = [sources("engine/tests"), sources("persistence/tests")].concat();
    let mut named = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && line.ends_with("` |")) {
        let Some(name) = line.rsplit('`').nth(1).filter(|name| name.contains('_')) else {
            continue;
        };
        named += 1;
        let there = tests.iter().any(|(_, text)| text.contains(&format!("fn {name}(")));
        assert!(there, "{name}");
    }
    assert!(named >= 10, "{named} tests are named");
}
