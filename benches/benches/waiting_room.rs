//! A waiting room of half a million: how fast they join, what each takes in memory, how long the draw takes,
//! how soon a new owner answers, and for how long its owner is busy with what it does at once.
//!
//! `-- --joins`, `--memory`, `--opening`, `--restart` or `--owner` for a part.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use taquilla_benches::crowd::{
    self, CrowdedRoom, commit, join_batch, member, room_of, room_settings,
};
use taquilla_benches::meter::{Meter, resident_bytes, settled_bytes};
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use taquilla_engine::journal::TakeFrom;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::RoomHandle;
use taquilla_engine::waiting_room::journal::QueueJournal as _;
use taquilla_engine::waiting_room::line::Standing;
use taquilla_engine::waiting_room::room::Room;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What one loop of the owner takes from its mailbox.
const BATCH: u32 = 1_024;
/// Whoever joins in the reference run is one of so many for each request of the others' benches.
const JOINERS: u32 = 4;
const TIMES: usize = 15;
/// Between two looks of a reader.
const LOOKS: Duration = Duration::from_millis(1);

/// The parts that are wanted: all, unless some are named.
fn wants(part: &str) -> bool {
    const PARTS: [&str; 5] = ["--joins", "--memory", "--opening", "--restart", "--owner"];
    let named = |wanted: &str| std::env::args().any(|argument| argument == wanted);
    named(part) || !PARTS.iter().any(|part| named(part))
}

#[tokio::main]
async fn main() {
    let scale = Scale::of_arguments();
    if wants("--memory") {
        memory(&scale);
    }
    if wants("--owner") {
        owner(&scale);
    }
    if !["--joins", "--opening", "--restart"].into_iter().any(wants) {
        return;
    }
    let stage = Stage::set(&scale).await;
    joins(&stage, &scale).await;
    if wants("--opening") {
        opening(&stage).await;
    }
    if wants("--restart") {
        restart(&stage, &scale).await;
    }
}

/// Of a room without a journal: all that its owner and its line keep.
fn memory(scale: &Scale) {
    // What is made first by whoever joins does not count.
    let _first = room_of(scale, BATCH, BATCH);
    let before = resident_bytes();
    let room = room_of(scale, scale.waiting, 16 * BATCH);
    let kept = settled_bytes().saturating_sub(before);
    let each = kept as f64 / f64::from(scale.waiting);
    println!("memory: {each:.1} bytes a member of {}", room.line().joined());
}

/// All join by the room's door, and somebody looks at his position every millisecond meanwhile.
async fn joins(stage: &Stage, scale: &Scale) {
    let (crowded, _) = CrowdedRoom::open(stage, scale).await;
    let crowded = Arc::new(crowded);
    let meter = Meter::connect(stage).await;
    stage.checkpoint().await;
    let (resident, before) = (resident_bytes(), meter.read().await);
    let reader = Reader::start(&crowded.room, scale);
    let at_once = u32::try_from(scale.in_flight).expect("a few") * JOINERS;
    let slice = crowded.fill(scale, at_once).await;
    let cost = meter.since(&before).await;
    let looks = reader.stop();
    crowded.stop().await;
    let (joins, rate) = (slice.granted as f64, slice.rate());
    let mut latencies = Histogram::<u64>::new(3).expect("three digits are allowed");
    slice.latencies.iter().for_each(|it| latencies.record(*it).expect("the histogram grows"));
    drop(slice);
    let millis_at = |quantile| latencies.value_at_quantile(quantile) as f64 / 1e3;
    let each = |time: Duration| time.as_secs_f64() * 1e6 / joins;
    println!("joins: {rate:.0}/s, {at_once} at once, {joins:.0} in all");
    println!("  p50 / p99, ms              {:.1} / {:.1}", millis_at(0.5), millis_at(0.99));
    println!("  Postgres CPU a join, us    {:.1}", each(cost.postgres_cpu));
    println!("  our process, us            {:.1}", each(cost.client_cpu));
    println!("  joins a commit             {:.0}", joins / cost.batches as f64);
    let wal = (cost.wal_bytes - cost.full_page_bytes) as f64 / joins;
    println!("  WAL a join, bytes          {wal:.0}");
    println!("  full pages a join, bytes   {:.0}", cost.full_page_bytes as f64 / joins);
    let others = cost.machine_cpu.saturating_sub(cost.postgres_cpu + cost.client_cpu);
    let others = 100.0 * others.as_secs_f64() / cost.machine_cpu.as_secs_f64();
    println!("  CPU used by others, %      {others:.0}");
    let nanos_at = |quantile| looks.value_at_quantile(quantile);
    println!(
        "  a look at one's position meanwhile, ns: p50 {}, p99 {}",
        nanos_at(0.5),
        nanos_at(0.99)
    );
    let kept = settled_bytes().saturating_sub(resident) as f64 / joins;
    println!("  this process grew by {kept:.1} bytes a member, asking clients and all");
}

/// Somebody who looks at positions.
struct Reader {
    stop: Arc<AtomicBool>,
    looks: thread::JoinHandle<Histogram<u64>>,
}

impl Reader {
    fn start(room: &RoomHandle, scale: &Scale) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (room, scale, stopped) = (room.clone(), *scale, Arc::clone(&stop));
        let looks = thread::spawn(move || {
            let mut looks = Histogram::new(3).expect("three digits are allowed");
            let mut number = 0;
            while !stopped.load(Ordering::Relaxed) {
                thread::sleep(LOOKS);
                let line = room.line().expect("it has been taken over");
                number = (number + 7_919) % line.joined();
                let buyer = member(&scale, number);
                let looked = Instant::now();
                let found = line.number(line.ticket(&buyer));
                let standing = found.map(|found| line.standing(found, Moment(0)));
                let took = looked.elapsed();
                // Some come later than those behind them in the order of members.
                if standing == Some(Standing::PreSale) {
                    looks.record(u64::try_from(took.as_nanos()).expect("short")).expect("it grows");
                }
            }
            looks
        });
        Self { stop, looks }
    }

    fn stop(self) -> Histogram<u64> {
        self.stop.store(true, Ordering::Relaxed);
        self.looks.join().expect("the reader finds everybody")
    }
}

/// From the instant until positions can be read, without the commit and with it.
async fn opening(stage: &Stage) {
    let (journal, clock) = crowd::journal(stage).await;
    let event = stage.ids[0];
    let (mut decided, mut drawn, mut committed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let taken = journal.take_over(event.event(), TakeFrom::Anyone).await;
        let mut snapshot = taken.expect("a room");
        // What opened it the last time is not known to it.
        snapshot.opening = None;
        let terms = crowd::terms(event, Moment(0));
        let mut room = Room::<()>::new(terms, room_settings().patience, snapshot);
        let line = Arc::clone(room.line());
        let opens = Instant::now();
        let now = clock.now();
        room.open_in_time(now);
        let batch = room.send(now).expect("an opening").clone();
        let sent = Instant::now();
        journal.append(&batch).await.expect("a yes");
        let yes = Instant::now();
        room.committed();
        let first = line.standing(0, now);
        let after = Instant::now();
        assert!(matches!(first, Standing::Waiting { .. }), "{first:?}");
        decided.push(sent - opens);
        drawn.push(sent - opens + (after - yes));
        committed.push(after - opens);
    }
    print("opening: the number of those present is frozen and hashed", decided);
    print("opening: the first position, without the commit", drawn);
    print("opening: the first position, with the commit", committed);
}

/// A new owner: until the line can be read, and until its first durable answer.
async fn restart(stage: &Stage, scale: &Scale) {
    let (mut readable, mut durable) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let (crowded, times) = CrowdedRoom::open(stage, scale).await;
        crowded.stop().await;
        readable.push(times[0]);
        durable.push(times[1]);
    }
    print("restart: the line can be read", readable);
    print("restart: the first durable answer", durable);
}

/// For how long the owner is busy with one thing, without a journal.
fn owner(scale: &Scale) {
    let settings = room_settings();
    let half = scale.waiting / 2;
    let mut room = room_of(scale, half, BATCH);
    let mut next = half;
    let size = BATCH.min(half / 16);
    let batches = (0..TIMES).map(|_| {
        let started = Instant::now();
        join_batch(scale, &mut room, next..next + size);
        next += size;
        started.elapsed()
    });
    print(&format!("owner: {size} join, sent and committed"), batches.collect());
    room.set_opening(Moment(0));
    room.open_in_time(Moment(0));
    commit(&mut room, Moment(0));
    let active = settings.rate.active_max.min(half / 2) / 100 * 100;
    let calls = (1..=active / 100).map(|second| {
        let now = Moment(0) + Duration::from_millis(u64::from(second));
        let started = Instant::now();
        room.call(100, now);
        commit(&mut room, now);
        started.elapsed()
    });
    print("owner: 100 are called", calls.collect());
    let (line, now) = (Arc::clone(room.line()), Moment(0) + Duration::from_secs(60));
    let looks = (0..TIMES).map(|_| {
        let started = Instant::now();
        assert_eq!(black_box(line.active(now)), active);
        started.elapsed()
    });
    print(&format!("owner: {active} who were called are counted"), looks.collect());
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, most) = (times[times.len() / 2], times[times.len() - 1]);
    let (median, most, times) = (millis(median), millis(most), times.len());
    println!("{what}: median {median:.3} ms, longest {most:.3} ms of {times}");
}
