//! The table at the end: of each way the median of its runs, and the median of the paired ratios.

use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::paired::{Run, Tried, Turn};

/// What is known of one way in one run.
#[derive(Clone, Copy, Debug)]
struct Figures {
    holds_a_second: f64,
    p50_ms: f64,
    p99_ms: f64,
    refused_percent: f64,
    postgres_micros: f64,
    client_micros: f64,
    generator_micros: f64,
    wal_bytes: f64,
    full_page_bytes: f64,
    holds_a_batch: f64,
    others_percent: f64,
}

/// Its name, what it says of a run, and with how many decimals.
type Line = (&'static str, fn(&Figures) -> f64, usize);

/// One way in all runs.
#[derive(Debug)]
struct Column {
    name: &'static str,
    runs: Vec<Figures>,
    /// Of each cycle: how many times as many holds the first way granted in the same time.
    ratios: Vec<f64>,
    /// Of each cycle: how many times as much processor time a hold took.
    cpu_ratios: Vec<f64>,
    tried: Vec<Tried>,
}

/// The comparison, ready to be printed.
#[derive(Debug)]
pub struct Report {
    title: String,
    /// What is counted.
    noun: &'static str,
    columns: Vec<Column>,
}

impl Report {
    /// Of these runs. Each way has its name and the numbers of connections that were tried for it;
    /// the first is compared with each of the others.
    #[must_use]
    pub fn new(title: String, runs: &[Run], ways: Vec<(&'static str, Vec<Tried>)>) -> Self {
        let columns = ways.into_iter().enumerate().map(|(at, (name, tried))| {
            let cycles = || runs.iter().flatten();
            Column {
                name,
                runs: runs.iter().map(|run| figures(run.iter().map(|cycle| &cycle[at]))).collect(),
                ratios: cycles().map(|it| it[0].slice.rate() / it[at].slice.rate()).collect(),
                cpu_ratios: cycles().map(|it| it[at].cpu_a_hold() / it[0].cpu_a_hold()).collect(),
                tried,
            }
        });
        Self { title, noun: "hold", columns: columns.collect() }
    }

    /// The same of answers that are no holds.
    #[must_use]
    pub fn counting(self, noun: &'static str) -> Self {
        Self { noun, ..self }
    }
}

fn figures<'a>(turns: impl Iterator<Item = &'a Turn>) -> Figures {
    let mut latencies = Histogram::<u64>::new(3).expect("three digits are allowed");
    let (mut granted, mut refused, mut batches, mut wal, mut full_pages) = (0, 0, 0, 0, 0);
    let [mut elapsed, mut postgres, mut client, mut generator, mut machine] = [Duration::ZERO; 5];
    for Turn { slice, cost } in turns {
        for micros in &slice.latencies {
            latencies.record(*micros).expect("the histogram grows");
        }
        granted += slice.granted;
        refused += slice.refused;
        batches += cost.batches;
        wal += cost.wal_bytes;
        full_pages += cost.full_page_bytes;
        elapsed += slice.elapsed;
        postgres += cost.postgres_cpu;
        client += cost.client_cpu;
        generator += slice.generator_cpu;
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
        generator_micros: micros_a_hold(generator),
        wal_bytes: a_hold((wal - full_pages) as f64),
        full_page_bytes: a_hold(full_pages as f64),
        holds_a_batch: granted as f64 / batches as f64,
        others_percent: 100.0 * machine.saturating_sub(postgres + client + generator).as_secs_f64()
            / machine.as_secs_f64(),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: [Line; 11] = [
            ("granted holds/s", |of| of.holds_a_second, 0),
            ("p50, ms", |of| of.p50_ms, 1),
            ("p99, ms", |of| of.p99_ms, 1),
            ("refused, %", |of| of.refused_percent, 1),
            ("Postgres CPU a hold, us", |of| of.postgres_micros, 1),
            ("our process, us", |of| of.client_micros, 1),
            ("generator apart, us", |of| of.generator_micros, 1),
            ("WAL a hold, bytes", |of| of.wal_bytes, 0),
            ("full pages a hold, bytes", |of| of.full_page_bytes, 0),
            ("holds a commit", |of| of.holds_a_batch, 1),
            ("CPU used by others, %", |of| of.others_percent, 0),
        ];
        write!(f, "{}\n{:<26}", self.title, "median of runs")?;
        for column in &self.columns {
            write!(f, "{:>12}", column.name)?;
        }
        writeln!(f)?;
        for (name, figure, digits) in lines {
            write!(f, "{:<26}", name.replace("hold", self.noun))?;
            for column in &self.columns {
                let value = median(column.runs.iter().map(figure).collect());
                // A row-lock way commits each hold by itself and has no batches.
                let value = if value.is_finite() { value } else { 1.0 };
                write!(f, "{value:>12.digits$}")?;
            }
            writeln!(f)?;
        }
        let first = self.columns.first().map_or("", |column| column.name);
        for column in self.columns.iter().skip(1) {
            let pairs = column.ratios.len();
            write!(f, "{first} beside {}, {pairs} paired slices: ", column.name)?;
            spread(f, &format!("{}s/s", self.noun), &column.ratios)?;
            write!(f, "; ")?;
            spread(f, &format!("CPU a {}", self.noun), &column.cpu_ratios)?;
            write!(f, "; connections tried")?;
            for (connections, rate) in &column.tried {
                write!(f, "  {connections}: {rate:.0}/s")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn spread(f: &mut fmt::Formatter<'_>, name: &str, ratios: &[f64]) -> fmt::Result {
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    write!(f, "{name} {:.2} times ({least:.2} to {most:.2})", median(ratios.to_vec()))
}
