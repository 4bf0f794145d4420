//! Whole purchases a second over HTTP, from the hold to the captured money: the whole product in this
//! process, its provider and its buyers each a process of its own, all on the same cores.
//!
//! `-- --statements` prints what each statement took, by the server's own ledger, which costs a little.

use std::process::ExitCode;
use std::time::Duration;

use hdrhistogram::Histogram;
use taquilla_benches::generator::Generator;
use taquilla_benches::load::{Clients, Slice, Until};
use taquilla_benches::meter::{Meter, Reading, processor_time};
use taquilla_benches::product::Product;
use taquilla_benches::roles;
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use taquilla_benches::statement_ledger;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const METHOD: &str = "sim_ok";

/// A purchase takes long beside a hold, and so has a turn: what begins and ends with it hardly counts.
const SLICES_A_TURN: u32 = 16;

fn main() -> ExitCode {
    let scale = Scale::of_arguments();
    let at_once =
        std::env::var("AT_ONCE").ok().and_then(|it| it.parse().ok()).unwrap_or(scale.in_flight);
    let scale = Scale { in_flight: at_once, ..scale };
    roles::play(&scale, measure)
}

async fn measure(scale: &Scale) {
    let with_ledger = std::env::args().any(|argument| argument == "--statements");
    let also = if with_ledger { statement_ledger::SERVER } else { &[] };
    let product = Product::start(Stage::set_with(scale, also).await).await;
    let stage = &product.stage;
    let (address, event) = (product.address().to_string(), stage.ids[0].to_string());
    let mut buyers = Generator::start(&[&address, &event, METHOD]);
    let meter = Meter::connect(stage).await;
    buyers.run(Until::Elapsed(scale.warm_up)).await;
    println!("whole purchases, {} at once, each of two seats:", scale.in_flight);
    for _ in 0..scale.runs {
        stage.checkpoint().await;
        buyers.run(Until::Elapsed(scale.warm_up)).await;
        let ledger = if with_ledger { Some(statement_ledger::start(stage).await) } else { None };
        let (before, at) = (meter.read().await, processor_time(product.provider.pid()));
        let slice = buyers.run(Until::Elapsed(scale.slice * SLICES_A_TURN)).await;
        let provider_cpu = processor_time(product.provider.pid()) - at;
        print(&slice, &meter.since(&before).await, provider_cpu);
        if let Some(ledger) = ledger {
            statement_ledger::read(&ledger).await.iter().for_each(|line| println!("{line}"));
        }
    }
    drop(buyers);
    product.stop().await;
}

fn print(slice: &Slice, cost: &Reading, provider_cpu: Duration) {
    let mut latencies = Histogram::<u64>::new(3).expect("three digits are allowed");
    for micros in &slice.latencies {
        latencies.record(*micros).expect("the histogram grows");
    }
    let millis_at = |quantile| latencies.value_at_quantile(quantile) as f64 / 1e3;
    let each = |cpu: Duration| cpu.as_secs_f64() * 1e6 / slice.granted as f64;
    let ours = cost.postgres_cpu + cost.client_cpu + slice.generator_cpu + provider_cpu;
    println!(
        "{:.0} purchases/s, p50 {:.0} ms, p99 {:.0} ms, {} turned away; CPU a purchase, us: server {:.0}, Postgres {:.0}, \
         buyers {:.0}, provider {:.0}; {:.1} batches and {:.0} bytes of WAL a purchase, and {:.0} of full \
         pages; CPU used by others {:.0} %, by us {:.2} of the cores",
        slice.rate(),
        millis_at(0.5),
        millis_at(0.99),
        slice.refused,
        each(cost.client_cpu),
        each(cost.postgres_cpu),
        each(slice.generator_cpu),
        each(provider_cpu),
        cost.batches as f64 / slice.granted as f64,
        (cost.wal_bytes - cost.full_page_bytes) as f64 / slice.granted as f64,
        cost.full_page_bytes as f64 / slice.granted as f64,
        100.0 * cost.machine_cpu.saturating_sub(ours).as_secs_f64()
            / cost.machine_cpu.as_secs_f64(),
        ours.as_secs_f64() / slice.elapsed.as_secs_f64(),
    );
}
