//! How soon a new owner serves: from the moment it is told to take an event until its first answer,
//! which rests on a commit under the new epoch. The event has 20,000 living holds, and as many keys
//! that are remembered of holds that have ended.

use std::sync::Arc;
use std::time::Duration;

use taquilla_benches::engine_way::{EngineWay, take_over};
use taquilla_benches::load::{Load, Until};
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use taquilla_benches::workload;
use tokio::task::JoinSet;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Longer than the bench runs.
const HOLD_TTL: Duration = Duration::from_secs(3_000);
const TAKE_OVERS: usize = 15;
const LOAD_ROUND: u64 = 1;

#[tokio::main]
async fn main() {
    let scale = Scale::of_arguments().side_by_side(2);
    let holds = scale.seats() / 3;
    let mut stage = Stage::set(&scale).await;
    let (crowded, busy) = (stage.events[0].clone(), stage.events.split_off(1));
    let mut crowded = crowded;
    crowded.sale.hold_ttl = HOLD_TTL;
    stage.events = vec![crowded.clone()];
    let first = Arc::new(EngineWay::start(&stage).await);
    fill(&first, &scale, holds).await;
    first.stop().await;
    stage.checkpoint().await;

    let idle = times(&stage).await;
    print("idle", &idle);

    stage.events = busy;
    let engine = Arc::new(EngineWay::start(&stage).await);
    stage.events = vec![crowded];
    let mut load = Load::new(Arc::clone(&engine), &scale.side_by_side(1), LOAD_ROUND);
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let running = tokio::spawn(async move {
        while !*stopped.borrow() {
            load.run(Until::Elapsed(Duration::from_millis(500))).await;
        }
    });
    let loaded = times(&stage).await;
    stop.send(true).expect("the load runs");
    running.await.expect("no load fails");
    engine.stop().await;
    print("beside another event under full load", &loaded);
}

/// Each hold takes two seats; it is placed and released under one key, and placed under another.
async fn fill(engine: &Arc<EngineWay>, scale: &Scale, holds: u32) {
    let mut clients = JoinSet::new();
    let in_flight = u32::try_from(scale.in_flight).expect("a few");
    for client in 0..in_flight {
        let engine = Arc::clone(engine);
        clients.spawn(async move {
            for number in (client..holds).step_by(in_flight as usize) {
                engine.place_and_release(workload::numbered(number, "released")).await;
                engine.place_living(workload::numbered(number, "living")).await;
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client.expect("a client does not panic");
    }
}

async fn times(stage: &Stage) -> Vec<Duration> {
    let mut times = Vec::with_capacity(TAKE_OVERS);
    for _ in 0..TAKE_OVERS {
        let taken = take_over(stage).await;
        times.push(taken.0);
        taken.1.stop().await;
    }
    times.sort();
    times
}

fn print(when: &str, times: &[Duration]) {
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, most) = (times[times.len() / 2], times[times.len() - 1]);
    println!(
        "serves again, {when}: median {:.0} ms, longest {:.0} ms of {}",
        millis(median),
        millis(most),
        times.len()
    );
}
