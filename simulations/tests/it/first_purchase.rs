//! What the README tells a newcomer to do, done.

use std::time::Duration;

use taquilla_simulations::server::{binary, dev::DevServer};
use tokio::process::Command;

use crate::MACHINE;

const README: &str = include_str!("../../../README.md");

/// A purchase is a matter of seconds; the provider takes less than one.
const PURCHASE_MAX: Duration = Duration::from_secs(60);

/// The first block of shell below this heading.
fn block(heading: &str) -> &'static str {
    let (_, section) = README.split_once(heading).expect("the README has this heading");
    let (_, block) = section.split_once("```sh\n").expect("a block of shell follows");
    block.split_once("\n```").expect("the block ends").0
}

#[tokio::test(flavor = "multi_thread")]
async fn the_readmes_first_purchase_ends_with_a_ticket_that_verifies() {
    let _machine = MACHINE.lock().await;
    let mut dev = DevServer::start_with_demo().await.expect("the demo starts");
    let script = Command::new("sh")
        .args(["-eu", "-c", block("## A first purchase")])
        .env("TAQUILLA_API", dev.url())
        .env("TAQUILLA_BIN", binary::taquilla().expect("the binary is built"))
        .env("TAQUILLA_DATA_DIR", dev.data_dir())
        // It leaves a file where it is run.
        .current_dir(dev.data_dir())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PURCHASE_MAX, script).await;
    let output = output.expect("the purchase ends").expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    assert!(said.contains("\nseat 2"), "{said}{errors}");
    dev.went_well();
}
