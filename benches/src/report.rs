//! The table at the end: of each way the median of its runs, and the median of the paired ratios.

use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::paired::{Cycle, Run, Turn};

/// What is known of one way in one run.
#[derive(Clone, Copy, Debug)]
struct Figures {
    holds_a_second: f64,
    p50_ms: f64,
    p99_ms: f64,
    refused_percent: f64,
    postgres_micros: f64,
    client_micros: f64,
    wal_bytes: f64,
    holds_a_batch: f64,
    others_percent: f64,
}

/// Its name, what it says of a run, and with how many decimals.
type Line = (&'static str, fn(&Figures) -> f64, usize);

/// The comparison, ready to be printed.
#[derive(Debug)]
pub struct Report {
    engine: Vec<Figures>,
    row_lock: Vec<Figures>,
    /// Of the rates, cycle by cycle.
    ratios: Vec<f64>,
    /// Of the processor time a hold.
    cpu_ratios: Vec<f64>,
    connections: usize,
    tried: Vec<(usize, f64)>,
}

impl Report {
    /// Of these runs; the row-lock way had `connections`, chosen among those `tried`.
    #[must_use]
    pub fn new(runs: &[Run], connections: usize, tried: Vec<(usize, f64)>) -> Self {
        let of_cycles = |ratio: fn(&Cycle) -> f64| runs.iter().flatten().map(ratio).collect();
        Self {
            engine: runs.iter().map(|run| figures(run.iter().map(|cycle| &cycle.engine))).collect(),
            row_lock: runs
                .iter()
                .map(|run| figures(run.iter().map(|cycle| &cycle.row_lock)))
                .collect(),
            ratios: of_cycles(Cycle::ratio),
            cpu_ratios: of_cycles(Cycle::cpu_ratio),
            connections,
            tried,
        }
    }
}

fn figures<'a>(turns: impl Iterator<Item = &'a Turn>) -> Figures {
    let mut latencies = Histogram::<u64>::new(3).expect("three digits are allowed");
    let (mut granted, mut refused, mut batches, mut wal) = (0, 0, 0, 0);
    let [mut elapsed, mut postgres, mut client, mut machine] = [Duration::ZERO; 4];
    for Turn { slice, cost } in turns {
        for micros in &slice.latencies {
            latencies.record(*micros).expect("the histogram grows");
        }
        granted += slice.granted;
        refused += slice.refused;
        batches += cost.batches;
        wal += cost.wal_bytes;
        elapsed += slice.elapsed;
        postgres += cost.postgres_cpu;
        client += cost.client_cpu;
        machine += cost.machine_cpu;
    }
    let a_hold = |total: f64| total / granted as f64;
    let micros_a_hold = |cpu: Duration| a_hold(cpu.as_secs_f64() * 1e6);
    let millis_at = |quantile| latencies.value_at_quantile(quantile) as f64 / 1e3;
    Figures {
        holds_a_second: granted as f64 / elapsed.as_secs_f64(),
        p50_ms: millis_at(0.5),
        p99_ms: millis_at(0.99),
        refused_percent: 100.0 * refused as f64 / (granted + refused) as f64,
        postgres_micros: micros_a_hold(postgres),
        client_micros: micros_a_hold(client),
        wal_bytes: a_hold(wal as f64),
        holds_a_batch: granted as f64 / batches as f64,
        others_percent: 100.0 * machine.saturating_sub(postgres + client).as_secs_f64()
            / machine.as_secs_f64(),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: [Line; 9] = [
            ("granted holds/s", |of| of.holds_a_second, 0),
            ("p50, ms", |of| of.p50_ms, 1),
            ("p99, ms", |of| of.p99_ms, 1),
            ("refused, %", |of| of.refused_percent, 1),
            ("Postgres CPU a hold, us", |of| of.postgres_micros, 1),
            ("client CPU a hold, us", |of| of.client_micros, 1),
            ("WAL a hold, bytes", |of| of.wal_bytes, 0),
            ("holds a commit", |of| of.holds_a_batch, 1),
            ("CPU used by others, %", |of| of.others_percent, 0),
        ];
        writeln!(f, "{:<26}{:>12}{:>12}", "median of runs", "engine", "row locks")?;
        for (name, figure, digits) in lines {
            let of = |runs: &[Figures]| median(runs.iter().map(figure).collect());
            let (engine, row_lock) = (of(&self.engine), of(&self.row_lock));
            // The row-lock way commits each hold by itself and has no batches.
            let row_lock = if row_lock.is_finite() { row_lock } else { 1.0 };
            writeln!(f, "{name:<26}{engine:>12.digits$}{row_lock:>12.digits$}")?;
        }
        for (name, ratios) in [("holds/s", &self.ratios), ("CPU a hold", &self.cpu_ratios)] {
            let (middle, pairs) = (median(ratios.clone()), ratios.len());
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let most = ratios.iter().copied().fold(0.0, f64::max);
            writeln!(
                f,
                "ratio of {name}: {middle:.2}, median of {pairs} paired slices \
                 ({least:.2} to {most:.2})"
            )?;
        }
        write!(f, "row locks on {} connections; tried", self.connections)?;
        for (connections, rate) in &self.tried {
            write!(f, "  {connections}: {rate:.0}/s")?;
        }
        writeln!(f)
    }
}
