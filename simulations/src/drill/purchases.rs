//! Hundreds of purchases at once by every payment method, while the provider keeps silent, fails, tells
//! twice and late, and the server dies by SIGKILL every few seconds. At the end every order has come to its
//! end, and both sides' books are equal. Then the event is called off amid kills, and all of it is given back.

mod calling_off;
mod fates;
mod settling;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::Scene;
use crate::DrillError;
use crate::box_office::Hall;
use crate::client::Buyer;
use crate::figures::{Figures, Spread};
use crate::stage::{Props, ProviderProps};
use crate::workload::purchase::Purchase;
use fates::Fates;

/// Of the long form, all of them at once.
pub const PURCHASES: u32 = 300;
/// Of the long form, at least.
pub const KILLS: u32 = 10;

/// Who is asked for money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Provider {
    /// The product's own.
    Simulated,
    /// localstripe.
    Stripe,
}

/// How many, of whom, and from which seed.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Buyers, each with one purchase.
    pub purchases: u32,
    /// Of these at once.
    pub concurrency: u32,
    /// At least so many; the server is killed for as long as anybody buys.
    pub kills: u32,
    /// Who is asked for money.
    pub provider: Provider,
    /// Of every choice: the buyers', the provider's faults, and the instants.
    pub seed: u64,
}

impl Plan {
    /// The long form.
    #[must_use]
    pub fn full(provider: Provider, seed: u64) -> Self {
        Self { purchases: PURCHASES, concurrency: PURCHASES, kills: KILLS, provider, seed }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    kills: u32,
    restarts: Spread,
    /// From the last purchase to the last attempt's end.
    settled_after: Duration,
    fates: Fates,
    /// Of the kills, those that fell while the event was called off.
    kills_called_off: usize,
    /// From its cancellation to the last refund's end.
    given_back_after: Duration,
    fates_called_off: Fates,
    figures: Figures,
}

/// A fifth of everything goes wrong.
const FAULTS: &str = "timeout=0.2,error=0.2,duplicate=0.2,reorder=0.2";
/// Longer than the provider's usual answers, and shorter than its slow one.
const PATIENCE_MS: u64 = 1_000;
/// A kill falls so many milliseconds after the server is back.
const INSTANT_MS: std::ops::Range<u64> = 500..4_000;
/// Holds that end while payments are under way.
const HALL: Hall =
    Hall { sections: 6, rows: 20, row_seats: 20, hold_ttl_seconds: 15, buyer_seats_max: 4 };

/// Lets everybody buy, kills the server meanwhile, and has the rest audited.
///
/// # Errors
/// Money or seats lost or doubled; an order or attempt without end; a server that does not come back.
pub async fn run(plan: Plan) -> Result<Outcome, DrillError> {
    let Plan { purchases, concurrency, kills, provider, seed } = plan;
    println!(
        "purchases: seed {seed}, {purchases} by {provider:?}, {concurrency} at once, {kills} kills \
         at least"
    );
    let props = Props {
        provider: match provider {
            Provider::Simulated => ProviderProps::Simulated(
                ["--faults", FAULTS, "--seed", &seed.to_string()].map(Into::into).into(),
            ),
            Provider::Stripe => ProviderProps::Stripe(seed),
        },
        configuration: vec![("TAQUILLA__PAYMENTS__PATIENCE_MS", PATIENCE_MS.to_string())],
    };
    let mut scene = Scene::open_with(HALL, props).await?;
    let mut told = Told::default();
    let passed = play(&mut scene, plan, &mut told).await;
    let complaint = told.fates.complaint().or_else(|| told.fates_called_off.complaint());
    let figures = scene.judge(passed, complaint).await?;
    let Told { restarts, settled_after, fates, .. } = told;
    let Told { kills_called_off, given_back_after, fates_called_off, .. } = told;
    let kills = u32::try_from(restarts.len()).unwrap_or(u32::MAX);
    let restarts = Spread::of(restarts)
        .ok_or_else(|| DrillError::Broken("a plan without kills shows nothing".into()))?;
    Ok(Outcome {
        kills,
        restarts,
        settled_after,
        fates,
        kills_called_off,
        given_back_after,
        fates_called_off,
        figures,
    })
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Told {
    restarts: Vec<Duration>,
    settled_after: Duration,
    fates: Fates,
    kills_called_off: usize,
    given_back_after: Duration,
    fates_called_off: Fates,
}

async fn play(scene: &mut Scene, plan: Plan, told: &mut Told) -> Result<(), DrillError> {
    let mut draw = StdRng::seed_from_u64(plan.seed);
    let orders = buy_and_kill(scene, plan, &mut draw, told).await?;
    let bought = Instant::now();
    settling::wait(&scene.stage).await?;
    told.settled_after = bought.elapsed();
    told.fates = Fates::of(&orders).await?;

    let cancelled = Instant::now();
    let restarts = calling_off::call_off(scene, &mut draw).await?;
    told.kills_called_off = restarts.len();
    told.restarts.extend(restarts);
    settling::wait(&scene.stage).await?;
    told.given_back_after = cancelled.elapsed();
    told.fates_called_off = Fates::of_called_off(&orders).await?;
    calling_off::look(scene).await
}

async fn buy_and_kill(
    scene: &mut Scene,
    plan: Plan,
    draw: &mut StdRng,
    told: &mut Told,
) -> Result<Vec<Bought>, DrillError> {
    let started = Instant::now();
    let mut buyers = begin(scene, plan, draw)?;
    let mut orders = Vec::new();
    while !buyers.is_empty() || told.restarts.len() < plan.kills as usize {
        // The instant of the fault, not a wait for anything.
        let kill_after = Duration::from_millis(draw.random_range(INSTANT_MS));
        tokio::time::sleep(kill_after).await;
        scene.stage.kill_server().await?;
        told.restarts.push(scene.stage.start_server().await?);
        while let Some(ended) = buyers.try_join_next() {
            let bought = ended.map_err(|error| DrillError::Broken(format!("a buyer: {error}")))?;
            orders.push(bought?);
        }
        let (kills, done, left) = (told.restarts.len(), orders.len(), buyers.len());
        println!("  {:>3} s: {kills} kills, {done} done, {left} left", started.elapsed().as_secs());
    }
    Ok(orders.into_iter().flatten().collect())
}

/// A buyer and the order that was made.
type Bought = (Buyer, String);

fn begin(
    scene: &Scene,
    plan: Plan,
    draw: &mut StdRng,
) -> Result<JoinSet<Result<Option<Bought>, DrillError>>, DrillError> {
    let bank = scene.stage.bank()?;
    let turns = Arc::new(Semaphore::new(plan.concurrency as usize));
    let mut buyers = JoinSet::new();
    for number in 0..plan.purchases {
        let (site, tokens, on_sale) =
            (scene.site.clone(), scene.tokens.clone(), scene.on_sale.clone());
        let (operator, bank, turns) = (scene.operator.clone(), bank.clone(), Arc::clone(&turns));
        let seed = draw.random();
        buyers.spawn(async move {
            let _turn = turns.acquire_owned().await.expect("the turns are never closed");
            let name = format!("buyer-{number}");
            let token = tokens.mint(&name, None).await?;
            let buyer = Buyer::new(site, name, token);
            let purchase = Purchase { buyer: buyer.clone(), operator, bank, on_sale, number, seed };
            Ok(purchase.make().await?.map(|order| (buyer, order)))
        });
    }
    Ok(buyers)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  kills             {:>8}", self.kills)?;
        writeln!(f, "  restart           {}", self.restarts)?;
        writeln!(f, "  settled after     {:>6} s", self.settled_after.as_secs())?;
        write!(f, "{}", self.fates)?;
        writeln!(f, "  called off, kills {:>8}", self.kills_called_off)?;
        writeln!(f, "  given back after  {:>6} s", self.given_back_after.as_secs())?;
        write!(f, "{}{}", self.fates_called_off, self.figures)
    }
}
