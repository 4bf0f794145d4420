//! Postgres goes away under load: it stands still with its connections open, is shut down, and is killed.
//! Nobody waits in the dark, and the sale goes on by itself when it is back.

mod during;

use std::fmt;
use std::time::{Duration, Instant};

use chrono::Utc;

use super::Scene;
use crate::box_office::Hall;
use crate::figures::Figures;
use crate::{DrillError, patience};
use during::{Stretch, late_or_unclear, longest};

/// How many shop, from which seed.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Shoppers at once.
    pub crowd: u32,
    /// Of the crowd's choices.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// From the end of each outage to the first grant.
    pub recoveries: Vec<Duration>,
    /// The longest wait for an answer in the dark, long polls less what they asked for.
    pub longest_answer: Duration,
    /// From the recording.
    pub figures: Figures,
}

/// Longer than the lane's patience of 5 s, so that an owner gives its batch up meanwhile.
const OUTAGE: Duration = Duration::from_secs(7);
/// Answers of the dark that show that the outage was felt.
const FELT: usize = 20;
const FELT_MAX: Duration = Duration::from_secs(15);
const HALL: Hall =
    Hall { sections: 8, rows: 20, row_seats: 25, hold_ttl_seconds: 20, buyer_seats_max: 8 };

/// Takes the database away three times, and has the rest audited.
///
/// # Errors
/// An answer that comes late or says neither what was decided nor that it is not known; a sale that
/// does not recover; whatever was lost or doubled.
pub async fn run(plan: Plan) -> Result<Outcome, DrillError> {
    println!("database-stop: seed {}, {} shoppers", plan.seed, plan.crowd);
    let mut scene = Scene::open(HALL).await?;
    let mut stretches = Vec::new();
    let mut recoveries = Vec::new();
    let passed = stop_and_start(&mut scene, plan, &mut stretches, &mut recoveries).await;
    let recorder = scene.site.recorder().clone();
    let longest_answer = recorder.read(|recorded| longest(recorded, &stretches));
    let complaint = recorder.read(|recorded| late_or_unclear(recorded, &stretches));
    let figures = scene.judge(passed, complaint).await?;
    Ok(Outcome { recoveries, longest_answer, figures })
}

async fn stop_and_start(
    scene: &mut Scene,
    plan: Plan,
    stretches: &mut Vec<Stretch>,
    recoveries: &mut Vec<Duration>,
) -> Result<(), DrillError> {
    let crowd = scene.crowd(plan.seed, plan.crowd);
    scene.sells(1).await?;

    let from = Utc::now();
    let frozen = scene.stage.freeze_postgres()?;
    is_felt(scene).await?;
    drop(frozen);
    stretches.push(Stretch { from, to: Utc::now() });
    recoveries.push(scene.sells(1).await?);

    let from = Utc::now();
    scene.stage.stop_postgres().await?;
    is_felt(scene).await?;
    scene.stage.restart_postgres().await?;
    stretches.push(Stretch { from, to: Utc::now() });
    recoveries.push(scene.sells(1).await?);

    let from = Utc::now();
    scene.stage.kill_postgres().await?;
    is_felt(scene).await?;
    scene.stage.restart_postgres().await?;
    stretches.push(Stretch { from, to: Utc::now() });
    recoveries.push(scene.sells(1).await?);

    crowd.finish().await
}

/// Waits until buyers have been told that nothing is decided, and the outage has lasted.
async fn is_felt(scene: &Scene) -> Result<(), DrillError> {
    let recorder = scene.site.recorder();
    let (from, since) = (recorder.len(), Instant::now());
    patience::until("the outage is felt", FELT_MAX, patience::SOON, async || {
        let told = recorder.count_from(from, |record| record.status == Some(503));
        Ok((told >= FELT && since.elapsed() >= OUTAGE).then_some(()))
    })
    .await
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for recovery in &self.recoveries {
            writeln!(f, "  recovered after   {:>8} ms", recovery.as_millis())?;
        }
        writeln!(f, "  longest answer    {:>8} ms", self.longest_answer.as_millis())?;
        write!(f, "{}", self.figures)
    }
}
