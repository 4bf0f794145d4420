//! Granted holds a second: the engine, the row-lock way, and both in turns. `docs/benchmarks.md`
//! tells how to read the table.

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use taquilla_benches::engine_way::EngineWay;
use taquilla_benches::load::{Load, Way};
use taquilla_benches::paired;
use taquilla_benches::report::Report;
use taquilla_benches::row_lock_way::{self, RowLockWay};
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use tokio::runtime::Runtime;

/// As in the server; the system's allocator cost a fifth there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rounds of the workload: no two loads on one event share one.
const ALONE: u64 = 1;
const PAIRED: u64 = 2;
const SWEEP: u64 = 3;

fn main() {
    let scale = Scale::of_arguments();
    let runtime = Runtime::new().expect("a runtime");
    let stage = runtime.block_on(Stage::set(&scale));
    runtime.block_on(row_lock_way::prepare(&stage));
    runtime.block_on(stage.checkpoint());
    let (connections, tried) = runtime.block_on(paired::best_connections(&stage, &scale, SWEEP));
    let engine = Arc::new(runtime.block_on(EngineWay::start(&stage)));
    let row_lock = Arc::new(runtime.block_on(RowLockWay::connect(&stage, connections)));

    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1_500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    measure(&mut criterion, &runtime, "engine", &scale, &engine);
    measure(&mut criterion, &runtime, "row_locks", &scale, &row_lock);
    criterion.final_summary();

    let runs = runtime.block_on(async {
        let mut engine_load = Load::new(Arc::clone(&engine), &scale, PAIRED);
        let mut row_lock_load = Load::new(row_lock, &scale, PAIRED);
        let runs = paired::compare(&stage, &scale, &mut engine_load, &mut row_lock_load).await;
        engine.stop().await;
        stage.check_books("public").await;
        stage.check_books(row_lock_way::SCHEMA).await;
        runs
    });
    print!("\n{}", Report::new(&runs, connections, tried));
}

fn measure<W: Way>(
    criterion: &mut Criterion,
    runtime: &Runtime,
    name: &str,
    scale: &Scale,
    way: &Arc<W>,
) {
    let mut load = Load::new(Arc::clone(way), scale, ALONE);
    let mut group = criterion.benchmark_group("granted_holds");
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(1));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|holds| runtime.block_on(load.time_of(holds)));
    });
    group.finish();
}
