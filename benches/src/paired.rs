//! All ways in turns. A shared machine drifts by more than the difference of two good runs, so each
//! slice is compared with those of its cycle only; who goes first changes with each cycle.

use std::sync::Arc;
use std::time::Duration;

use crate::load::{Clients, Load, Slice, Until, Way};
use crate::meter::{Meter, Reading};
use crate::scale::Scale;
use crate::stage::Stage;

/// One turn of one way.
#[derive(Debug)]
pub struct Turn {
    /// What its clients saw.
    pub slice: Slice,
    /// What it cost.
    pub cost: Reading,
}

impl Turn {
    /// Processor time a hold, server and client together, in seconds: unlike rates it hardly depends
    /// on who else uses the machine.
    #[must_use]
    pub fn cpu_a_hold(&self) -> f64 {
        let cpu = self.cost.postgres_cpu + self.cost.client_cpu;
        cpu.as_secs_f64() / self.slice.granted as f64
    }
}

/// A turn of each way, in the order in which the ways were given.
pub type Cycle = Vec<Turn>;

/// Cycles after one warm-up.
pub type Run = Vec<Cycle>;

/// A number of connections with the rate that a way had on it.
pub type Tried = (usize, f64);

/// The number of connections on which a way grants the most, and all that were tried.
///
/// Before, half of the seats are held once, or the first to be tried would find an empty hall, and the
/// tables are analysed, or plans would be kept that were made for empty ones; each number has two
/// turns, there and back, of which the better one counts.
pub async fn best_connections<W: Way>(
    stage: &Stage,
    scale: &Scale,
    first_round: u64,
    connect: impl AsyncFn(usize) -> W,
) -> (usize, Vec<Tried>) {
    let mut loads = Vec::with_capacity(scale.connections.len());
    for (round, connections) in (first_round..).zip(scale.connections) {
        loads.push(Load::new(Arc::new(connect(*connections).await), scale, round));
    }
    loads[0].run(Until::Granted(u64::from(scale.seats() / 2))).await;
    stage.checkpoint().await;
    let mut rates = vec![0.0_f64; loads.len()];
    for at in (0..loads.len()).chain((0..loads.len()).rev()) {
        let rate = loads[at].run(Until::Elapsed(scale.slice)).await.rate();
        rates[at] = rates[at].max(rate);
    }
    let tried: Vec<Tried> = scale.connections.iter().copied().zip(rates).collect();
    let best = tried.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("some are tried");
    (best.0, tried)
}

/// All runs.
pub async fn compare(stage: &Stage, scale: &Scale, ways: &mut [&mut dyn Clients]) -> Vec<Run> {
    let meter = Meter::connect(stage).await;
    let mut runs = Vec::with_capacity(scale.runs);
    for _ in 0..scale.runs {
        stage.checkpoint().await;
        let mut warm_up = Duration::ZERO;
        while warm_up < scale.warm_up {
            for way in ways.iter_mut() {
                way.run(Until::Elapsed(scale.slice)).await;
            }
            warm_up += scale.slice;
        }
        let mut run = Vec::with_capacity(scale.cycles);
        for cycle in 0..scale.cycles {
            let mut turns: Vec<Option<Turn>> = ways.iter().map(|_| None).collect();
            for place in 0..ways.len() {
                let at = (cycle + place) % ways.len();
                turns[at] = Some(turn(&meter, &mut *ways[at], scale).await);
            }
            run.push(turns.into_iter().flatten().collect());
        }
        runs.push(run);
    }
    runs
}

async fn turn(meter: &Meter, way: &mut dyn Clients, scale: &Scale) -> Turn {
    let before = meter.read().await;
    let slice = way.run(Until::Elapsed(scale.slice)).await;
    let cost = meter.since(&before).await;
    Turn { slice, cost }
}
