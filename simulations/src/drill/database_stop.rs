//! Postgres goes away under load: it stands still with its connections open, is shut down, and is killed.
//! Nobody waits in the dark, and the sale goes on by itself when it is back.

mod during;
mod shown;

use std::fmt;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio_util::sync::CancellationToken;

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
    /// Each outage lasts so long: longer than the lane's patience of 5 s, so that an owner gives its batch up.
    pub seconds: u32,
    /// Of the crowd's choices.
    pub seed: u64,
}

impl Plan {
    /// As `taquilla-simulate` does it unless told otherwise.
    #[must_use]
    pub fn full(seed: u64) -> Self {
        Self { crowd: 64, seconds: 60, seed }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// From the end of each outage to the first grant.
    pub recoveries: Vec<Duration>,
    /// Rounds of looks at search, the event's page and its map in the dark, all of them answered with their age.
    pub looks: u64,
    /// The longest wait for an answer in the dark, long polls less what they asked for.
    pub longest_answer: Duration,
    /// From the recording.
    pub figures: Figures,
}

/// Grants between two outages: by then whoever was left without an answer has had it.
const BETWEEN: usize = 200;
/// Answers of the dark that show that the outage was felt.
const FELT: usize = 20;
/// Beside the outage itself.
const FELT_MAX: Duration = Duration::from_secs(15);
const HALL: Hall =
    Hall { sections: 8, rows: 20, row_seats: 25, hold_ttl_seconds: 20, buyer_seats_max: 8 };

/// Takes the database away three times, and has the rest audited.
///
/// # Errors
/// An answer that comes late or says neither what was decided nor that it is not known; a sale that
/// does not recover; whatever was lost or doubled.
pub async fn run(plan: Plan) -> Result<Outcome, DrillError> {
    let Plan { crowd, seconds, seed } = plan;
    println!(
        "database-stop: seed {seed}, {crowd} shoppers, three times {seconds} s without a database"
    );
    let mut scene = Scene::open(HALL).await?;
    let mut stretches = Vec::new();
    let mut recoveries = Vec::new();
    let looks = stop_and_start(&mut scene, plan, &mut stretches, &mut recoveries).await;
    let (passed, looks) = match looks {
        Ok(looks) => (Ok(()), looks),
        Err(error) => (Err(error), 0),
    };
    let recorder = scene.site.recorder().clone();
    let longest_answer = recorder.read(|recorded| longest(recorded, &stretches));
    let complaint = recorder.read(|recorded| late_or_unclear(recorded, &stretches));
    let figures = scene.judge(passed, complaint).await?;
    Ok(Outcome { recoveries, looks, longest_answer, figures })
}

async fn stop_and_start(
    scene: &mut Scene,
    plan: Plan,
    stretches: &mut Vec<Stretch>,
    recoveries: &mut Vec<Duration>,
) -> Result<u64, DrillError> {
    let mut looks = 0;
    let crowd = scene.crowd(plan.seed, plan.crowd);
    scene.sells(1).await?;

    let from = Utc::now();
    let frozen = scene.stage.freeze_postgres()?;
    looks += is_felt(scene, plan, from).await?;
    drop(frozen);
    stretches.push(Stretch { from, to: Utc::now() });
    recoveries.push(scene.sells(1).await?);
    scene.sells(BETWEEN).await?;

    let from = Utc::now();
    scene.stage.stop_postgres().await?;
    looks += is_felt(scene, plan, from).await?;
    scene.stage.restart_postgres().await?;
    stretches.push(Stretch { from, to: Utc::now() });
    recoveries.push(scene.sells(1).await?);
    scene.sells(BETWEEN).await?;

    let from = Utc::now();
    scene.stage.kill_postgres().await?;
    looks += is_felt(scene, plan, from).await?;
    scene.stage.restart_postgres().await?;
    stretches.push(Stretch { from, to: Utc::now() });
    recoveries.push(scene.sells(1).await?);
    scene.sells(BETWEEN).await?;

    crowd.finish().await?;
    Ok(looks)
}

/// Waits until buyers have been told that nothing is decided, and the outage has lasted. How often everything that
/// may be looked at was, meanwhile.
async fn is_felt(scene: &Scene, plan: Plan, from: DateTime<Utc>) -> Result<u64, DrillError> {
    let recorder = scene.site.recorder();
    let (first, since) = (recorder.len(), Instant::now());
    let outage = Duration::from_secs(plan.seconds.into());
    let back = CancellationToken::new();
    let (url, event) = (scene.stage.url(), scene.on_sale.event_id.clone());
    let looks = tokio::spawn(shown::stays_up(url, event, from, back.clone()));
    let felt =
        patience::until("the outage is felt", outage + FELT_MAX, patience::SOON, async || {
            let told = recorder.count_from(first, |record| record.status == Some(503));
            Ok((told >= FELT && since.elapsed() >= outage).then_some(()))
        });
    let felt = felt.await;
    back.cancel();
    let looks = looks.await.map_err(|error| DrillError::Broken(format!("the looks: {error}")))?;
    felt.and(looks)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for recovery in &self.recoveries {
            writeln!(f, "  recovered after   {:>8} ms", recovery.as_millis())?;
        }
        writeln!(f, "  looks in the dark {:>8}", self.looks)?;
        writeln!(f, "  longest answer    {:>8} ms", self.longest_answer.as_millis())?;
        write!(f, "{}", self.figures)
    }
}
