//! The decision core alone, on one thread: door, sections, ledger and the making of batches, without
//! actors, without a journal.

use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, Throughput};
use taquilla_benches::desk::Desk;
use taquilla_benches::hall;
use taquilla_benches::scale::Scale;
use taquilla_benches::workload::Requests;
use taquilla_engine::command::Request;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A desk remembers all keys, so it is replaced before that is all one measures.
const DESK_DECISIONS_MAX: u64 = 500_000;
/// Enough for every seat of the hall to have been held once.
const WARM_UP_LOTS: usize = 100;

/// A desk with the clients in front of it.
struct Counter {
    desk: Desk,
    clients: Vec<Requests>,
    decided: u64,
}

impl Counter {
    fn open(scale: &Scale) -> Self {
        let clients = Requests::of_clients(scale, 0);
        let mut counter = Self { desk: Desk::open(hall::terms(scale)), clients, decided: 0 };
        for _ in 0..WARM_UP_LOTS {
            counter.serve(u64::MAX);
        }
        counter
    }

    /// One request of each client, at most so many; the time that deciding took.
    fn serve(&mut self, requests_max: u64) -> (u64, Duration) {
        let deadline = self.desk.now() + Duration::from_secs(1);
        let clients =
            self.clients.iter_mut().take(usize::try_from(requests_max).unwrap_or(usize::MAX));
        let lot: Vec<Request> =
            clients.map(|client| Request { command: client.draw().command(), deadline }).collect();
        let requests = lot.len() as u64;
        self.decided += requests;
        let started = Instant::now();
        std::hint::black_box(self.desk.decide(lot));
        (requests, started.elapsed())
    }
}

fn main() {
    let scale = Scale::of_arguments();
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(1_500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let mut group = criterion.benchmark_group("decisions");
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(1));
    group.bench_function("place_hold", |bencher| {
        let mut counter = Counter::open(&scale);
        bencher.iter_custom(|decisions| {
            let (mut left, mut took) = (decisions, Duration::ZERO);
            while left > 0 {
                if counter.decided > DESK_DECISIONS_MAX {
                    counter = Counter::open(&scale);
                }
                let (decided, time) = counter.serve(left);
                left -= decided;
                took += time;
            }
            took
        });
    });
    group.finish();
    criterion.final_summary();
}
