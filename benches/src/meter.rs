//! What a slice of time cost: processor time by `/proc` (Linux), bytes of WAL and batches by the
//! database.

use std::fs;
use std::hint::black_box;
use std::thread;
use std::time::Duration;

use tokio_postgres::Client;

use crate::stage::Stage;

const COUNTERS: &str = "/* counters */ \
    SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint, sum(seq)::bigint \
      FROM (SELECT seq FROM event_heads UNION ALL SELECT seq FROM queue_heads) AS heads";

/// Where little is written, the earlier reading may be ahead of what is on the disk, which is all that the
/// function reads.
const FULL_PAGES: &str = "/* full_pages */ \
    SELECT CASE WHEN it.start < pg_current_wal_flush_lsn() \
           THEN (SELECT coalesce(sum(fpi_size), 0)::bigint \
                   FROM pg_get_wal_stats_till_end_of_wal(it.start)) \
           ELSE 0 END \
      FROM (SELECT '0/0'::pg_lsn + $1::bigint::numeric AS start) AS it";

/// Three seconds of an allocator that is asked for something.
const SETTLES: u32 = 30;
const SETTLE_PAUSE: Duration = Duration::from_millis(100);
const SETTLE_BYTES: usize = 1 << 20;

/// Reads the counters of one stage and of this process.
#[derive(Debug)]
pub struct Meter {
    client: Client,
    server: u32,
}

/// Counters at one instant, or the difference of two.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Of all processes of the server.
    pub postgres_cpu: Duration,
    /// Of this process: the clients, and the engine where it is measured.
    pub client_cpu: Duration,
    /// Of the whole machine, whoever used it.
    pub machine_cpu: Duration,
    /// Written to the log; at one instant, its end.
    pub wal_bytes: u64,
    /// Of these, images of whole pages, which follow a checkpoint.
    pub full_page_bytes: u64,
    /// Batches of all lanes, of events and of waiting rooms.
    pub batches: u64,
}

impl Meter {
    /// A meter with a connection of its own.
    pub async fn connect(stage: &Stage) -> Self {
        let client = stage.connect("").await;
        Self { client, server: stage.server_pid() }
    }

    /// The counters now.
    pub async fn read(&self) -> Reading {
        let row = self.client.query_one(COUNTERS, &[]).await.expect("events' heads");
        let count = |column| u64::try_from(row.get::<_, i64>(column)).expect("not negative");
        Reading {
            postgres_cpu: family(self.server).map(cpu_of).sum(),
            client_cpu: cpu_of(std::process::id()),
            machine_cpu: machine_cpu(),
            wal_bytes: count(0),
            full_page_bytes: 0,
            batches: count(1),
        }
    }
}

impl Meter {
    /// What has been added since an earlier reading of this meter.
    pub async fn since(&self, earlier: &Reading) -> Reading {
        let now = self.read().await;
        let start = i64::try_from(earlier.wal_bytes).expect("a short log");
        let row = self.client.query_one(FULL_PAGES, &[&start]).await;
        let bytes: i64 = row.expect("the log is still there").get(0);
        let full_page_bytes = u64::try_from(bytes).expect("not negative");
        Reading { full_page_bytes, ..now.since(earlier) }
    }
}

impl Reading {
    /// What has been added since an earlier reading.
    fn since(&self, earlier: &Self) -> Self {
        Self {
            // A server process that has ended takes its time along.
            postgres_cpu: self.postgres_cpu.saturating_sub(earlier.postgres_cpu),
            client_cpu: self.client_cpu.saturating_sub(earlier.client_cpu),
            machine_cpu: self.machine_cpu.saturating_sub(earlier.machine_cpu),
            wal_bytes: self.wal_bytes - earlier.wal_bytes,
            full_page_bytes: self.full_page_bytes,
            batches: self.batches - earlier.batches,
        }
    }
}

/// The process and its children.
fn family(parent: u32) -> impl Iterator<Item = u32> {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    let children = children.unwrap_or_default();
    let children: Vec<u32> = children.split(' ').filter_map(|pid| pid.parse().ok()).collect();
    children.into_iter().chain([parent])
}

/// Of a process, until now.
#[must_use]
pub fn processor_time(process: u32) -> Duration {
    cpu_of(process)
}

/// Bytes of this process in memory.
#[must_use]
pub fn resident_bytes() -> usize {
    let line = status("VmRSS:");
    let kilobytes = line.trim_end_matches(" kB").parse::<usize>().expect("a number");
    kilobytes * 1024
}

/// The same once freed memory has gone back. The allocator keeps it for a second, and then looks at it only
/// when it is asked for something, as it is in a server all the time.
#[must_use]
pub fn settled_bytes() -> usize {
    for _ in 0..SETTLES {
        thread::sleep(SETTLE_PAUSE);
        drop(black_box(vec![0_u8; SETTLE_BYTES]));
    }
    resident_bytes()
}

/// Threads of this process.
#[must_use]
pub fn threads() -> usize {
    status("Threads:").parse().expect("a number")
}

fn status(of: &str) -> String {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let figure = status.lines().find_map(|line| line.strip_prefix(of)).expect("a figure");
    figure.trim().to_owned()
}

/// Time on a processor, all threads together; nothing for a process that has just ended.
fn cpu_of(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let nanos = threads.filter_map(|thread| {
        let stat = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

/// `user nice system idle iowait irq softirq steal` in hundredths of a second, idle and waiting left
/// out; what other guests stole counts, since it was not ours either.
fn machine_cpu() -> Duration {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let fields = line.split_whitespace().skip(1).take(8).enumerate();
    let busy = fields.filter(|(place, _)| !matches!(place, 3 | 4));
    Duration::from_millis(busy.filter_map(|(_, field)| field.parse::<u64>().ok()).sum::<u64>() * 10)
}
