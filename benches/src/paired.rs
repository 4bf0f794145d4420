//! Both ways in turns. A shared machine drifts by more than the difference of two good runs, so each
//! slice is compared with its neighbour only; who goes first changes with each cycle.

use std::sync::Arc;
use std::time::Duration;

use crate::engine_way::EngineWay;
use crate::load::{Load, Slice, Until, Way};
use crate::meter::{Meter, Reading};
use crate::row_lock_way::RowLockWay;
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

/// A turn of each.
#[derive(Debug)]
pub struct Cycle {
    /// The engine's.
    pub engine: Turn,
    /// The row-lock way's.
    pub row_lock: Turn,
}

impl Cycle {
    /// How many times as many holds the engine grants in the same time.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.engine.slice.rate() / self.row_lock.slice.rate()
    }

    /// How many times as much processor time a hold of the row-lock way takes, server and client
    /// together: unlike the rates it hardly depends on who else uses the machine.
    #[must_use]
    pub fn cpu_ratio(&self) -> f64 {
        let a_hold = |turn: &Turn| {
            let cpu = turn.cost.postgres_cpu + turn.cost.client_cpu;
            cpu.as_secs_f64() / turn.slice.granted as f64
        };
        a_hold(&self.row_lock) / a_hold(&self.engine)
    }
}

/// Cycles after one warm-up.
pub type Run = Vec<Cycle>;

/// The number of connections with which the row-lock way grants the most, and all that were tried.
///
/// Before, every seat is held once, or the first to be tried would find an empty hall; each has two
/// turns, there and back, of which the better one counts.
pub async fn best_connections(
    stage: &Stage,
    scale: &Scale,
    first_round: u64,
) -> (usize, Vec<(usize, f64)>) {
    let mut loads = Vec::with_capacity(scale.connections.len());
    for (round, connections) in (first_round..).zip(scale.connections) {
        let way = Arc::new(RowLockWay::connect(stage, *connections).await);
        loads.push(Load::new(way, scale, round));
    }
    loads[0].run(Until::Granted(u64::from(scale.seats() / 2))).await;
    let mut rates = vec![0.0_f64; loads.len()];
    for at in (0..loads.len()).chain((0..loads.len()).rev()) {
        let rate = loads[at].run(Until::Elapsed(scale.slice)).await.rate();
        rates[at] = rates[at].max(rate);
    }
    let tried: Vec<(usize, f64)> = scale.connections.iter().copied().zip(rates).collect();
    let best = tried.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("some are tried");
    (best.0, tried)
}

/// All runs.
pub async fn compare(
    stage: &Stage,
    scale: &Scale,
    engine: &mut Load<EngineWay>,
    row_lock: &mut Load<RowLockWay>,
) -> Vec<Run> {
    let meter = Meter::connect(stage).await;
    let mut runs = Vec::with_capacity(scale.runs);
    for _ in 0..scale.runs {
        stage.checkpoint().await;
        let mut warm_up = Duration::ZERO;
        while warm_up < scale.warm_up {
            engine.run(Until::Elapsed(scale.slice)).await;
            row_lock.run(Until::Elapsed(scale.slice)).await;
            warm_up += scale.slice;
        }
        let mut run = Vec::with_capacity(scale.cycles);
        for cycle in 0..scale.cycles {
            run.push(if cycle % 2 == 0 {
                let engine = turn(&meter, engine, scale).await;
                Cycle { engine, row_lock: turn(&meter, row_lock, scale).await }
            } else {
                let row_lock = turn(&meter, row_lock, scale).await;
                Cycle { engine: turn(&meter, engine, scale).await, row_lock }
            });
        }
        runs.push(run);
    }
    runs
}

async fn turn<W: Way>(meter: &Meter, load: &mut Load<W>, scale: &Scale) -> Turn {
    let before = meter.read().await;
    let slice = load.run(Until::Elapsed(scale.slice)).await;
    let cost = meter.read().await.since(&before);
    Turn { slice, cost }
}
