//! Thousands watch the map of a sale through nginx, each following his own version in his own rhythm, while others buy:
//! the cache answers nearly all of them, nobody sees what is old, and what each has put together is the map.

mod nginx;
mod watcher;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::nginx::Nginx;
use self::watcher::{Seen, Watcher};
use super::Scene;
use crate::DrillError;
use crate::box_office::Hall;
use crate::client::{Buyer, Request};
use crate::figures::Figures;

/// Whoever polls does so once a second.
const EVERY: Duration = Duration::from_secs(1);

/// What may be seen at the oldest: a second in the cache, a second by which it counts, half a second of a tick, and the
/// way there.
pub const AGE_MAX: Duration = Duration::from_secs(3);

/// At the most at the origin, however many watch.
pub const ORIGIN_READS_MAX: f64 = 500.0;

/// How many watch, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Each polls once a second.
    pub watchers: u32,
    /// Each holds and lets go, again and again.
    pub buyers: u32,
    /// In rows of forty.
    pub seats: u32,
    /// Seconds.
    pub lasting: u32,
    /// Of who wants which, and in which rhythm.
    pub seed: u64,
}

impl Plan {
    /// As `taquilla-simulate` does it unless told otherwise.
    #[must_use]
    pub fn full(seed: u64) -> Self {
        Self { watchers: 2_000, buyers: 64, seats: 60_000, lasting: 30, seed }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// From the recording of those who bought.
    pub figures: Figures,
    /// How many answers those who watched had.
    pub answers: u64,
    /// Of them, whole maps.
    pub whole: u64,
    /// The oldest map that any of them saw.
    pub age_max: Duration,
    /// Answers by the cache, in one hundred.
    pub cached_percent: f64,
    /// At the origin, a second.
    pub origin_reads: f64,
}

/// Lets them watch.
///
/// # Errors
/// Somebody saw what was too old or put together another map; the origin was asked too often; the audit found something.
pub async fn run(plan: Plan) -> Result<Outcome, DrillError> {
    let Plan { watchers, buyers, seats, lasting, seed } = plan;
    println!("watchers: seed {seed}, {watchers} watch {buyers} buy {seats} seats for {lasting} s");
    let hall = Hall {
        sections: seats.div_ceil(1_000),
        rows: 25,
        row_seats: 40,
        hold_ttl_seconds: 120,
        buyer_seats_max: 6,
    };
    let scene = Scene::open(hall).await?;
    let watched = watch(&scene, plan).await;
    let (passed, seen) = match watched {
        Ok(seen) => (Ok(()), Some(seen)),
        Err(error) => (Err(error), None),
    };
    let complaint =
        seen.as_ref().and_then(|(seen, reads, cached)| complaint(plan, seen, *reads, *cached));
    let figures = scene.judge(passed, complaint).await?;
    let (seen, origin_reads, cached_percent) = seen.expect("it passed");
    let Seen { answers, whole, age_max } = seen;
    Ok(Outcome { figures, answers, whole, age_max, cached_percent, origin_reads })
}

/// A short run says nothing of time: it may share its machine.
fn complaint(plan: Plan, seen: &Seen, origin_reads: f64, cached_percent: f64) -> Option<String> {
    if cached_percent < 50.0 {
        return Some(format!("the cache answered {cached_percent:.1} %"));
    }
    if plan.lasting < Plan::full(plan.seed).lasting {
        return None;
    }
    if seen.age_max > AGE_MAX {
        return Some(format!("a map was {:?} old when it was seen", seen.age_max));
    }
    (origin_reads > ORIGIN_READS_MAX)
        .then(|| format!("the origin was asked {origin_reads:.0} times a second"))
}

/// What they saw, how often a second the origin was asked, and what part the cache answered.
async fn watch(scene: &Scene, plan: Plan) -> Result<(Seen, f64, f64), DrillError> {
    let nginx = Nginx::start(scene.stage.folder(), &scene.stage.url()).await?;
    let http = reqwest::Client::builder().timeout(Duration::from_secs(10)).build()?;
    let path = format!("/events/{}/availability", scene.on_sale.event_id);
    let stop = CancellationToken::new();
    let mut random = StdRng::seed_from_u64(plan.seed);
    let mut watching = JoinSet::new();
    for _ in 0..plan.watchers {
        let phase = EVERY.mul_f64(random.random());
        let watcher = Watcher::new(http.clone(), format!("{}{path}", nginx.url()));
        watching.spawn(watcher.watch(phase, EVERY, stop.clone()));
    }
    let mut buying = JoinSet::new();
    for number in 0..plan.buyers {
        let name = format!("buyer-{number}");
        let token = scene.tokens.mint(&name, None).await?;
        let buyer = Buyer::new(scene.site.clone(), name, token);
        let seed = plan.seed.wrapping_add(u64::from(number));
        let event = scene.on_sale.event_id.clone();
        let hall = Arc::new(scene.on_sale.hall);
        buying.spawn(hold_and_let_go(buyer, event, hall, seed, stop.clone()));
    }
    // The first second's answers fill the cache.
    sleep(EVERY).await;
    let (before, begun) = (nginx.answers()?, Instant::now());
    sleep(Duration::from_secs(plan.lasting.into())).await;
    let (after, took) = (nginx.answers()?, begun.elapsed());
    stop.cancel();
    while let Some(bought) = buying.join_next().await {
        bought.map_err(|error| DrillError::Broken(format!("a buyer: {error}")))??;
    }
    let last = http.get(format!("{}{path}", scene.stage.url())).send().await?.json().await?;
    let mut seen = Seen::default();
    while let Some(watched) = watching.join_next().await {
        let watcher = watched.map_err(|error| DrillError::Broken(format!("a watcher: {error}")))?;
        seen.add(&watcher?.catch_up(&last).await?);
    }
    nginx.stop().await?;
    let (all, at_origin) = (after.all - before.all, after.at_origin - before.at_origin);
    let cached = 100.0 * (all - at_origin) as f64 / (all as f64).max(1.0);
    Ok((seen, at_origin as f64 / took.as_secs_f64(), cached))
}

/// One buyer, who takes a few seats for a moment, again and again.
async fn hold_and_let_go(
    buyer: Buyer,
    event: String,
    hall: Arc<Hall>,
    seed: u64,
    stop: CancellationToken,
) -> Result<(), DrillError> {
    let mut random = StdRng::seed_from_u64(seed);
    for turn in 0.. {
        if stop.is_cancelled() {
            break;
        }
        let (section, row) =
            (random.random_range(0..hall.sections), random.random_range(0..hall.rows));
        let first = random.random_range(0..hall.row_seats - 2);
        let seats = [first, first + 1].map(|seat| hall.label(section, row, seat));
        let wish = json!({"event_id": event, "seats": seats});
        let held = buyer.ask(&Request::post("/holds", format!("hold-{turn}"), wish)).await?;
        sleep(Duration::from_millis(random.random_range(100..400))).await;
        if held.is_success() {
            buyer.ask(&Request::delete(format!("/holds/{}", held.text("hold_id")))).await?;
        }
    }
    Ok(())
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  answers to those who watch   {}, {} of them whole maps",
            self.answers, self.whole
        )?;
        writeln!(f, "  answered by the cache        {:.1} %", self.cached_percent)?;
        writeln!(f, "  asked at the origin          {:.1} a second", self.origin_reads)?;
        writeln!(f, "  the oldest that was seen     {:.2} s", self.age_max.as_secs_f64())?;
        write!(f, "{}", self.figures)
    }
}
