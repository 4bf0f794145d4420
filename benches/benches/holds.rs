//! Granted holds a second: the engine beside the row-lock ways, in turns, with one event and with four.
//! `README.md` tells how to read the tables.
//!
//! `holds` takes `--one`, `--four` or `--plans` to do one part only.

use std::sync::Arc;

use taquilla_benches::engine_way::EngineWay;
use taquilla_benches::function_way::{self, FunctionWay};
use taquilla_benches::load::Load;
use taquilla_benches::report::Report;
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use taquilla_benches::statements_way::StatementsWay;
use taquilla_benches::{paired, plans, table_reads};

/// As in the server; the system's allocator cost a fifth there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rounds of the workload: no two loads on one event share one.
const ENGINE: u64 = 1;
const FUNCTION: u64 = 2;
const STATEMENTS: u64 = 3;
const FUNCTION_SWEEP: u64 = 10;
const STATEMENTS_SWEEP: u64 = 20;
const PLANS: u64 = 30;

/// Tables of the row-lock ways that a request reads.
const ROW_LOCK_TABLES: [&str; 4] =
    ["row_lock.buyers", "row_lock.holds", "row_lock.outbox", "row_lock.seats"];

/// For each row that is written: looked at, locked, looked at under the lock, written, and its dead
/// versions passed by.
const ROWS_READ_MAX: i64 = 12;
/// A run so tiny is no statistic.
const UPDATES_MIN: i64 = 10_000;

#[tokio::main]
async fn main() {
    let given = |part: &str| std::env::args().any(|argument| argument == part);
    let all = !["--one", "--four", "--plans"].into_iter().any(given);
    let scale = Scale::of_arguments();
    if all || given("--plans") {
        let stage = Stage::set(&scale).await;
        function_way::prepare(&stage).await;
        for plan in plans::of_row_lock_ways(&stage, &scale, PLANS).await {
            println!("{plan}\n");
        }
    }
    if all || given("--one") {
        compare(&scale).await;
    }
    if all || given("--four") {
        compare(&scale.side_by_side(4)).await;
    }
}

async fn compare(scale: &Scale) {
    let stage = Stage::set(scale).await;
    function_way::prepare(&stage).await;
    stage.checkpoint().await;
    let (connections, functions_tried) =
        paired::best_connections(&stage, scale, FUNCTION_SWEEP, async |connections| {
            FunctionWay::connect(&stage, connections).await
        })
        .await;
    let function = FunctionWay::connect(&stage, connections).await;
    let (connections, statements_tried) =
        paired::best_connections(&stage, scale, STATEMENTS_SWEEP, async |connections| {
            StatementsWay::connect(&stage, connections).await
        })
        .await;
    let statements = StatementsWay::connect(&stage, connections).await;
    let engine = Arc::new(EngineWay::start(&stage).await);

    let mut ways = (
        Load::new(Arc::clone(&engine), scale, ENGINE),
        Load::new(Arc::new(function), scale, FUNCTION),
        Load::new(Arc::new(statements), scale, STATEMENTS),
    );
    table_reads::reset(&stage).await;
    let runs = paired::compare(&stage, scale, &mut [&mut ways.0, &mut ways.1, &mut ways.2]).await;
    engine.stop().await;
    drop((engine, ways));
    // Figures of a sale that does not add up are worse than none: nothing is told before all is checked.
    let reads = table_reads::count(&stage).await;
    for table in &reads {
        let hot = ROW_LOCK_TABLES.contains(&table.table.as_str());
        assert!(!hot || table.scans == 0, "{} is read from end to end", table.table);
        // The reading of all buyers of an event, one by one, is not a scan to the server.
        let kept = table.fetched <= ROWS_READ_MAX * table.updated.max(UPDATES_MIN);
        assert!(!hot || kept, "{} is read for rows that nobody asked for", table.table);
    }
    stage.check_books("public").await;
    stage.check_books(function_way::SCHEMA).await;
    println!(
        "\n{}",
        Report::new(
            format!("{} event(s), {} requests in flight", scale.events, scale.in_flight),
            &runs,
            vec![
                ("engine", Vec::new()),
                ("function", functions_tried),
                ("statements", statements_tried)
            ],
        )
    );
    println!("read in these runs, by the server's count:");
    reads.iter().for_each(|table| println!("  {table}"));
}
