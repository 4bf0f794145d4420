//! What the README and the pages tell a newcomer to do, done.

use std::time::Duration;

use taquilla_simulations::server::{binary, dev::DevServer};
use tokio::process::Command;

use crate::MACHINE;

const README: &str = include_str!("../../../README.md");
const OPERATORS: &str = include_str!("../../../docs/operators.md");
const EXPLAIN: &str = include_str!("../../../docs/explain.md");

/// A purchase is a matter of seconds; the provider takes less than one.
const PURCHASE_MAX: Duration = Duration::from_secs(60);

/// The first block of shell below this heading.
fn block(heading: &str) -> &'static str {
    let (_, section) = README.split_once(heading).expect("the README has this heading");
    let (_, block) = section.split_once("```sh\n").expect("a block of shell follows");
    block.split_once("\n```").expect("the block ends").0
}

/// The README's purchase, its answer and what it said; with these variables besides the usual.
async fn purchase(dev: &DevServer, variables: &[(&str, &str)]) -> (bool, String, String) {
    let script = Command::new("sh")
        .args(["-eu", "-c", block("## A first purchase")])
        .env("TAQUILLA_API", dev.url())
        .env("TAQUILLA_BIN", binary::taquilla().expect("the binary is built"))
        .env("TAQUILLA_DATA_DIR", dev.data_dir())
        .envs(variables.iter().copied())
        // It leaves a file where it is run.
        .current_dir(dev.data_dir())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PURCHASE_MAX, script).await;
    let output = output.expect("the purchase ends").expect("there is a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// All blocks of shell of a page, in its order; what they print.
async fn follow(dev: &DevServer, page: &str) -> String {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("\n```"));
    let calls: String = blocks.map(|(block, _)| format!("{block}\n")).collect();
    let binary = binary::taquilla().expect("the binary is built");
    let folder = binary.parent().expect("it lies in a folder").display();
    // The page's own line is for the repository's folder.
    let here = "PATH=$PWD/target/debug:$PATH";
    assert!(calls.contains(here), "{calls}");
    let calls = calls.replace(here, &format!("PATH={folder}:$PATH"));
    let script = Command::new("sh")
        .args(["-eu", "-c", &calls])
        .env("TAQUILLA_API", dev.url())
        .env("TAQUILLA_DATA_DIR", dev.data_dir())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PURCHASE_MAX, script).await;
    let output = output.expect("the calls end").expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn what_readme_and_pages_tell_to_do_does_what_they_say() {
    let _machine = MACHINE.lock().await;
    let mut dev = DevServer::start_with_demo().await.expect("the demo starts");
    let (ok, said, errors) = purchase(&dev, &[]).await;
    assert!(ok, "{said}{errors}");
    for step in [": active\n", ": pending_payment\n", ": captured\n", "\nseat 2"] {
        assert!(said.contains(step), "{step}: {said}{errors}");
    }
    for (variable, value, says) in [
        (
            "PAYMENT_METHOD",
            "sim_decline",
            "the order is declined, \"failure\":{\"code\":\"card_declined\"",
        ),
        ("PAYMENT_METHOD", "sim_nothing", "stopped: "),
        ("TAQUILLA_API", "http://127.0.0.1:9", "no server at http://127.0.0.1:9"),
        ("TAQUILLA_BIN", "./nowhere", "there is no ./nowhere"),
        ("TAQUILLA_DATA_DIR", "nowhere", "no token"),
    ] {
        let (ok, said, errors) = purchase(&dev, &[(variable, value)]).await;
        assert!(!ok && errors.contains(says), "{value}: {said}{errors}");
    }
    let said = follow(&dev, OPERATORS).await;
    assert!(said.contains("\"blocked\":2") && said.contains("\"ok\":true"), "{said}");
    let said = follow(&dev, EXPLAIN).await;
    assert!(said.contains("\"story\":[{"), "{said}");
    let log = std::fs::read_to_string(dev.folder().join("dev.log")).expect("its log");
    let (before, _) = log.split_once("TAQUILLA READY ").expect("it is ready");
    assert!(before.contains("demo-open") && before.contains("demo-onsale"), "{log}");
    dev.went_well();
}
