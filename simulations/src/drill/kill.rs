//! The server dies by SIGKILL again and again under a crowd that never pauses, at least half of the
//! time when Postgres has a statement whose answer the server will never see.

mod moment;

use std::fmt;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::Scene;
use crate::DrillError;
use crate::box_office::Hall;
use crate::figures::{Figures, Spread};
use moment::Moment;

/// How often, how many, and from which seed.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Kills; at least half of them land with a statement in flight.
    pub kills: u32,
    /// Shoppers at once.
    pub crowd: u32,
    /// Of every choice: the crowd's, and the instants.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// Of the plan.
    pub kills: u32,
    /// Kills that left a statement of the server's without its answer.
    pub in_flight: u32,
    /// From each start to the first 200 of `/readyz`.
    pub restarts: Spread,
    /// From the recording.
    pub figures: Figures,
}

/// A kill falls between 0 and so many milliseconds after the server sells again.
const INSTANT_MAX_MS: u64 = 1_500;
/// Grants that show that the server sells again.
const SELLING: usize = 5;
/// Seats for a minute's sale at a few hundred orders a second.
const HALL: Hall =
    Hall { sections: 20, rows: 20, row_seats: 50, hold_ttl_seconds: 12, buyer_seats_max: 8 };

/// Kills a server as planned, and has the rest audited.
///
/// # Errors
/// Whatever was lost or doubled; a server that does not come back; too few kills in flight.
pub async fn run(plan: Plan) -> Result<Outcome, DrillError> {
    println!("kill: seed {}, {} kills, {} shoppers", plan.seed, plan.kills, plan.crowd);
    let mut scene = Scene::open(HALL).await?;
    let mut restarts = Vec::new();
    let mut in_flight = 0;
    let passed = kill_all(&mut scene, plan, &mut restarts, &mut in_flight).await;
    let complaint = (in_flight * 2 < plan.kills)
        .then(|| format!("{in_flight} of {} kills with a statement in flight", plan.kills));
    let figures = scene.judge(passed, complaint).await?;
    let restarts = Spread::of(restarts)
        .ok_or_else(|| DrillError::Broken("a plan without kills shows nothing".into()))?;
    Ok(Outcome { kills: plan.kills, in_flight, restarts, figures })
}

async fn kill_all(
    scene: &mut Scene,
    plan: Plan,
    restarts: &mut Vec<Duration>,
    in_flight: &mut u32,
) -> Result<(), DrillError> {
    let mut instants = StdRng::seed_from_u64(plan.seed);
    let crowd = scene.crowd(plan.seed, plan.crowd);
    for done in 0..plan.kills {
        scene.sells(SELLING).await?;
        // The instant of the fault, not a wait for anything.
        tokio::time::sleep(Duration::from_millis(instants.random_range(0..INSTANT_MAX_MS))).await;
        // A moment may pass before the signal arrives; a stall of answers does not.
        let behind = *in_flight * 2 < done;
        let moment = if behind { Moment::AnswersStalled } else { Moment::nth(done) };
        moment.wait_for(&scene.stage, &mut instants).await?;
        *in_flight += u32::from(scene.stage.kill_server().await? > 0);
        moment.clear(&scene.stage);
        restarts.push(scene.stage.start_server().await?);
    }
    scene.sells(SELLING).await?;
    crowd.finish().await
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  kills             {:>8}", self.kills)?;
        writeln!(f, "  in flight         {:>8}", self.in_flight)?;
        writeln!(f, "  restart           {}", self.restarts)?;
        write!(f, "{}", self.figures)
    }
}
