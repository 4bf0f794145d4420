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
use taquilla_benches::{statement_ledger, table_reads};
use tokio_postgres::Client;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const METHOD: &str = "sim_ok";

/// A purchase takes long beside a hold, and so has a turn: what begins and ends with it hardly counts.
const SLICES_A_TURN: u32 = 16;

/// What has come from the provider and was not looked into yet.
const WAITING: &str =
    "/* waiting */ SELECT count(*) FROM provider_notices WHERE settled_at IS NULL";

/// The bench, once it is set up.
struct Bench {
    product: Product,
    meter: Meter,
    client: Client,
    turn: Duration,
    with_ledger: bool,
}

fn main() -> ExitCode {
    roles::play(&Scale::of_arguments(), measure)
}

async fn measure(scale: &Scale) {
    let with_ledger = std::env::args().any(|argument| argument == "--statements");
    let also = if with_ledger { statement_ledger::SERVER } else { &[] };
    let product = Product::start(Stage::set_with(scale, also).await).await;
    let meter = Meter::connect(&product.stage).await;
    let client = product.stage.connect("").await;
    let bench = Bench { product, meter, client, turn: scale.slice * SLICES_A_TURN, with_ledger };
    // A few leave the machine room, so that a purchase takes what it takes; many fill it.
    let in_flight = u32::try_from(scale.in_flight).expect("a few");
    let (few, many) = ((in_flight / 128).max(1), in_flight / 4);
    let pairs = scale.seats() / 2;
    let mut loads = [(few, pairs - pairs / 10), (many, 0)].map(|(at_once, first)| {
        (at_once, roles::start_buyers(&bench.product, METHOD, at_once, first))
    });
    if with_ledger {
        table_reads::reset(&bench.product.stage).await;
    }
    // The first ones find connections that are not open, and tables that nobody has analysed.
    loads[0].1.run(Until::Elapsed(scale.warm_up)).await;
    for _ in 0..scale.runs {
        bench.product.stage.checkpoint().await;
        for (at_once, buyers) in &mut loads {
            buyers.run(Until::Elapsed(scale.warm_up)).await;
            println!("{at_once} purchases at once, each of two seats:");
            bench.turn(buyers).await;
        }
    }
    drop(loads);
    drop(bench.client);
    drop(bench.meter);
    let stage = bench.product.stop().await;
    if with_ledger {
        table_reads::count(&stage).await.iter().for_each(|it| println!("{it}"));
    }
}

impl Bench {
    async fn turn(&self, buyers: &mut Generator) {
        if self.with_ledger {
            statement_ledger::start(&self.client).await;
        }
        let provider = self.product.provider.pid();
        let (before, at) = (self.meter.read().await, processor_time(provider));
        let slice = buyers.run(Until::Elapsed(self.turn)).await;
        let provider_cpu = processor_time(provider) - at;
        print(&slice, &self.meter.since(&before).await, provider_cpu);
        let waiting = self.client.query_one(WAITING, &[]).await.expect("notices can be counted");
        println!("  notices of the provider that wait      {:>8}", waiting.get::<_, i64>(0));
        if self.with_ledger {
            statement_ledger::read(&self.client).await.iter().for_each(|it| println!("{it}"));
        }
    }
}

fn print(slice: &Slice, cost: &Reading, provider_cpu: Duration) {
    let mut latencies = Histogram::<u64>::new(3).expect("three digits are allowed");
    for micros in &slice.latencies {
        latencies.record(*micros).expect("the histogram grows");
    }
    let millis_at = |quantile| latencies.value_at_quantile(quantile) as f64 / 1e3;
    let each = |total: f64| total / slice.granted as f64;
    let micros = |cpu: Duration| each(cpu.as_secs_f64() * 1e6);
    let ours = cost.postgres_cpu + cost.client_cpu + slice.generator_cpu + provider_cpu;
    let others = cost.machine_cpu.saturating_sub(ours).as_secs_f64();
    let wal = (cost.wal_bytes - cost.full_page_bytes) as f64;
    let lines = [
        ("whole purchases/s", slice.rate()),
        ("p50, ms", millis_at(0.5)),
        ("p99, ms", millis_at(0.99)),
        ("asked again, the server being too busy", slice.refused as f64),
        ("Postgres CPU a purchase, us", micros(cost.postgres_cpu)),
        ("server, us", micros(cost.client_cpu)),
        ("provider, us", micros(provider_cpu)),
        ("buyers, us", micros(slice.generator_cpu)),
        ("batches of the lane a purchase", each(cost.batches as f64)),
        ("WAL a purchase, bytes", each(wal)),
        ("full pages a purchase, bytes", each(cost.full_page_bytes as f64)),
        ("cores in use by all of these", ours.as_secs_f64() / slice.elapsed.as_secs_f64()),
        ("CPU used by others, %", 100.0 * others / cost.machine_cpu.as_secs_f64()),
    ];
    for (name, figure) in lines {
        let digits = if figure < 10.0 { 1 } else { 0 };
        println!("  {name:<39}{figure:>8.digits$}");
    }
}
