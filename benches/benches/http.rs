//! Granted holds a second over HTTP with tokens: the engine behind the product's router beside the
//! row-lock function behind the same connections, tokens, bodies and views. Both servers are in this
//! process; who asks is a process of its own.

use std::sync::Arc;

use taquilla_benches::engine_way::EngineWay;
use taquilla_benches::function_way::{self, FunctionWay};
use taquilla_benches::generator::{self, Generator};
use taquilla_benches::http_servers::{serve_engine, serve_function};
use taquilla_benches::paired;
use taquilla_benches::report::Report;
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ENGINE: &str = "1";
const FUNCTION: &str = "2";
const SWEEP: u64 = 10;

#[tokio::main]
async fn main() {
    let scale = Scale::of_arguments();
    if let Some([address, event, round]) = generator::told() {
        let round = round.parse().expect("a number");
        return generator::generate(&scale, address, event, round).await;
    }
    let stage = Stage::set(&scale).await;
    function_way::prepare(&stage).await;
    let (connections, tried) =
        paired::best_connections(&stage, &scale, SWEEP, async |connections| {
            FunctionWay::connect(&stage, connections).await
        })
        .await;
    let function = Arc::new(FunctionWay::connect(&stage, connections).await);
    let engine = EngineWay::start(&stage).await;
    let event = stage.ids[0].to_string();
    let address = serve_engine(&stage, &engine).await.to_string();
    let mut engine_load = Generator::start(&[&address, &event, ENGINE]);
    let address = serve_function(&stage, function).await.to_string();
    let mut function_load = Generator::start(&[&address, &event, FUNCTION]);
    let runs = paired::compare(&stage, &scale, &mut [&mut engine_load, &mut function_load]).await;
    drop((engine_load, function_load));
    engine.stop().await;
    stage.check_books("public").await;
    stage.check_books(function_way::SCHEMA).await;
    let title = format!("over HTTP, {} requests in flight", scale.in_flight);
    println!("\n{}", Report::new(title, &runs, vec![("engine", Vec::new()), ("function", tried)]));
}
