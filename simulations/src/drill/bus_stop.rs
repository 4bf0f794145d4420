//! The bus is killed under load and stays away, and the server is killed while it catches up: buyers notice nothing of
//! the first, and a consumer that knows a message by its id has everything once, each event in its order.

mod bus;
mod heard;

use std::fmt;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use self::bus::Bus;
use self::heard::Heard;
use super::Scene;
use crate::box_office::Hall;
use crate::client::Request;
use crate::figures::Figures;
use crate::stage::Props;
use crate::{DrillError, patience};

/// Beside what was told while the bus was away: a lease of 20 s that the killed server left.
const CAUGHT_UP_MAX: Duration = Duration::from_secs(90);

/// Between two looks at how far behind the bus is.
const LOOK: Duration = Duration::from_millis(500);

const HALL: Hall =
    Hall { sections: 8, rows: 20, row_seats: 25, hold_ttl_seconds: 20, buyer_seats_max: 8 };

/// How many shop, and for how long without a bus.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Shoppers at once.
    pub crowd: u32,
    /// How long the bus is away.
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
    /// Messages that a consumer has which knows them by their ids.
    pub messages: usize,
    /// Of these, on the bus more than once.
    pub repeated: usize,
    /// Grants while the bus was away.
    pub grants: usize,
    /// From the bus's return until the consumer had everything, the server's death included.
    pub caught_up_after: Duration,
    /// From the recording.
    pub figures: Figures,
}

/// Takes the bus away, brings it back, kills the server, and compares what was heard with the rows.
///
/// # Errors
/// A sale that noticed the bus; whatever was lost, told of nothing, or told in another order.
pub async fn run(plan: Plan) -> Result<Outcome, DrillError> {
    let Plan { crowd, seconds, seed } = plan;
    println!("bus-stop: seed {seed}, {crowd} shoppers, {seconds} s without a bus");
    let folder = tempfile::tempdir()?;
    let mut bus = Bus::start(folder.path()).await?;
    let configuration = vec![("TAQUILLA__NATS__URL", bus.url())];
    let mut scene = Scene::open_with(HALL, Props { configuration, ..Props::default() }).await?;
    let passed = stop_and_start(&mut scene, &mut bus, plan).await;
    let (passed, told) = match passed {
        Ok(told) => (Ok(()), Some(told)),
        Err(error) => (Err(error), None),
    };
    let figures = scene.judge(passed, None).await?;
    let (heard, grants, caught_up_after) = told.expect("it passed");
    Ok(Outcome {
        messages: heard.messages(),
        repeated: heard.repeated(),
        grants,
        caught_up_after,
        figures,
    })
}

async fn stop_and_start(
    scene: &mut Scene,
    bus: &mut Bus,
    plan: Plan,
) -> Result<(Heard, usize, Duration), DrillError> {
    let crowd = scene.crowd(plan.seed, plan.crowd);
    scene.sells(20).await?;
    bus.kill().await?;
    let from = scene.site.recorder().len();
    sleep(Duration::from_secs(plan.seconds.into())).await;
    let is_grant =
        |record: &taquilla_auditor::Recorded| record.path == "/holds" && record.status == Some(201);
    let grants = scene.site.recorder().count_from(from, is_grant);
    bus.start_again().await?;
    let back = Instant::now();
    scene.sells(20).await?;
    scene.stage.kill_server().await?;
    scene.stage.start_server().await?;
    scene.sells(1).await?;
    crowd.finish().await?;
    let rows = scene.stage.settled_rows().await?;
    everything_is_told(scene).await?;
    let caught_up_after = back.elapsed();
    let heard = Heard::of(bus.everything().await?)?;
    match heard.missing(&rows).or_else(|| heard.wrong(&rows)) {
        None => Ok((heard, grants, caught_up_after)),
        Some(wrong) => Err(DrillError::Broken(wrong)),
    }
}

/// As operators see it.
async fn everything_is_told(scene: &Scene) -> Result<(), DrillError> {
    patience::until("everything is told", CAUGHT_UP_MAX, LOOK, async || {
        let answer = scene.operator.send(&Request::get("/admin/outbox")).await;
        let sink = &answer.body["items"][0];
        let told = |stream: &str| sink[stream]["behind"] == 0;
        Ok((told("events") && told("money")).then_some(()))
    })
    .await
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  messages          {:>8}", self.messages)?;
        writeln!(f, "  kept twice        {:>8}", self.repeated)?;
        writeln!(f, "  grants meanwhile  {:>8}", self.grants)?;
        writeln!(f, "  caught up after   {:>8} ms", self.caught_up_after.as_millis())?;
        write!(f, "{}", self.figures)
    }
}
