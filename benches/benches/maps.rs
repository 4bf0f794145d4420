//! The map of a stadium as it is shown: how long a snapshot and a delta of it take to be encoded and how large they are
//! (criterion); and how soon ten thousand who follow it in this process have a change, whether others read slowly or not,
//! with the memory that they take.
//!
//! `-- --followers` for the second alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::Request;
use criterion::Criterion;
use futures_util::StreamExt as _;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use taquilla_api::live_maps::{LiveMaps, Shown};
use taquilla_api::routes;
use taquilla_benches::engine_way::EngineWay;
use taquilla_benches::hall;
use taquilla_benches::http_servers::app;
use taquilla_benches::meter::resident_bytes;
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use taquilla_benches::workload::numbered;
use taquilla_engine::event::Availability;
use taquilla_engine::event::availability::{History, SectionCount};
use taquilla_engine::id::Sequence;
use taquilla_engine::moment::Moment;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tower::Service as _;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CHANGES: usize = 15;
/// Far more than a change takes.
const PATIENCE: Duration = Duration::from_secs(30);

fn main() {
    let scale = Scale::of_arguments();
    if !std::env::args().any(|argument| argument == "--followers") {
        encoded(&scale);
    }
    Runtime::new().expect("threads").block_on(followed(&scale));
}

/// A stadium of which a third is taken here and there, and the same with a second's holds.
fn two_maps(scale: &Scale) -> (Arc<Availability>, Arc<Availability>) {
    let mut random = StdRng::seed_from_u64(19);
    let seats = scale.seats() as usize;
    let sections = vec![SectionCount::default(); usize::from(scale.sections)];
    let packed: Vec<u8> = (0..seats.div_ceil(4)).map(|_| random.random::<u8>() & 0b0101).collect();
    let mut next = packed.clone();
    for _ in 0..1_000.min(seats / 30) {
        next[random.random_range(0..seats / 4)] ^= 0b11;
    }
    let map = |version, packed| {
        let (as_of, changed_at) = (Moment(version), Moment(version));
        let (version, sections) = (Sequence(version), sections.clone());
        Arc::new(Availability { version, as_of, changed_at, packed, sections })
    };
    (map(1, packed), map(2, next))
}

fn encoded(scale: &Scale) {
    let terms = hall::terms(scale);
    let (before, after) = two_maps(scale);
    let history = History::new(before);
    let shown = || Shown::new(history.advance(Arc::clone(&after)), Moment(2), &terms);
    let one = shown();
    println!(
        "a snapshot: {} bytes of JSON, {} packed; a delta of {} seats: {} bytes",
        one.json().len(),
        one.binary().len(),
        history.advance(Arc::clone(&after)).changes(1).len(),
        one.changes_since(Sequence(1)).expect("in reach").len()
    );
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let mut group = criterion.benchmark_group("maps");
    group.bench_function("advance", |bencher| {
        bencher.iter(|| history.advance(Arc::clone(&after)));
    });
    group.bench_function("snapshot", |bencher| bencher.iter(|| shown().json()));
    group.bench_function("packed", |bencher| bencher.iter(|| shown().binary()));
    group.bench_function("delta", |bencher| bencher.iter(|| shown().changes_since(Sequence(1))));
    group.finish();
}

/// One who follows says each time that he has been sent something.
async fn follow(mut frames: axum::body::BodyDataStream, heard: mpsc::UnboundedSender<Bytes>) {
    while let Some(frame) = frames.next().await {
        if heard.send(frame.expect("a frame")).is_err() {
            return;
        }
    }
}

async fn followed(scale: &Scale) {
    let followers = if scale.waiting > 100_000 { 10_000 } else { 50 };
    let stage = Stage::set(scale).await;
    let engine = EngineWay::start(&stage).await;
    let mut app = app(&stage, &engine).await;
    app.live_maps = Arc::new(LiveMaps::for_followers(2 * followers));
    let mut front = routes::front(app);
    let path = format!("/events/{}/availability/stream", stage.ids[0]);
    let mut open = async || {
        let request = Request::get(&path).body(Body::empty()).expect("a request");
        let Ok(response) = front.call(request).await;
        assert_eq!(response.status(), 200);
        response.into_body().into_data_stream()
    };
    let before = resident_bytes();
    let (heard, mut hears) = mpsc::unbounded_channel();
    for _ in 0..followers {
        tokio::spawn(follow(open().await, heard.clone()));
    }
    // Both what opens a stream and the whole map.
    take(&mut hears, 2 * followers).await;
    let kilobytes = (resident_bytes().saturating_sub(before)) as f64 / 1e3 / followers as f64;
    println!(
        "{followers} who follow: {kilobytes:.1} kB each, tasks and channel of the bench included"
    );
    let mut number = 0;
    report("all read", &changes(&engine, &mut hears, followers, &mut number).await);

    // As many again, who have taken in the map and read no more.
    let mut asleep = Vec::with_capacity(followers);
    for _ in 0..followers {
        let mut frames = open().await;
        for _ in 0..2 {
            frames.next().await.expect("an open stream").expect("a frame");
        }
        asleep.push(frames);
    }
    let before = resident_bytes();
    report("half of all do not read", &changes(&engine, &mut hears, followers, &mut number).await);
    let grown = resident_bytes().saturating_sub(before) / followers;
    println!("{CHANGES} changes that nobody of them read took {grown} bytes for each");
    let mut late = asleep.pop().expect("one of them");
    let frame = late.next().await.expect("an open stream").expect("a frame");
    println!("who reads then has {} bytes for all of them", frame.len());
    drop((asleep, late));
    engine.stop().await;
}

/// From a durable hold's answer until all have the change: the map's tick, up to half a second, and the fanning out,
/// which is told apart by the first who has it.
async fn changes(
    engine: &EngineWay,
    hears: &mut mpsc::UnboundedReceiver<Bytes>,
    followers: usize,
    number: &mut u32,
) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..CHANGES {
        engine.place_living(numbered(*number, "map")).await;
        *number += 1;
        take(hears, 1).await;
        let first = Instant::now();
        take(hears, followers - 1).await;
        times.push(first.elapsed());
    }
    times.sort_unstable();
    times
}

async fn take(hears: &mut mpsc::UnboundedReceiver<Bytes>, count: usize) {
    for _ in 0..count {
        let heard = tokio::time::timeout(PATIENCE, hears.recv()).await;
        heard.expect("the map moves").expect("they follow");
    }
}

fn report(what: &str, times: &[Duration]) {
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{what}: from the first who has a change to the last, median {:.1} ms, longest {:.1} ms of {}",
        millis(times[times.len() / 2]),
        millis(times[times.len() - 1]),
        times.len()
    );
}
