//! The evening in its order: people gather, the sale opens, it sells, it is sold out; and what is done to the
//! server and its database on the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::Utc;
use serde_json::Value;
use tokio::time::sleep;

use super::chart::Mark;
use super::draw::Draw;
use super::gathering::{self, everybody, finish, spread};
use super::hall::open_at;
use super::people::Person;
use super::sale::Sale;
use super::tally;
use super::tricks::{self, Trick};
use super::watch::{Watch, Watched};
use crate::client::Buyer;
use crate::stage::Stage;
use crate::{DrillError, patience};

/// Half a million joins, on a machine that does other things.
const JOINED_MAX: Duration = Duration::from_secs(1_800);
const SOLD_MAX: Duration = Duration::from_secs(3_600);
const DRAWN_MAX: Duration = Duration::from_secs(60);
/// From the word that the sale opens until it does.
const ANNOUNCED: Duration = Duration::from_secs(4);
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Of the seats, in percent: when the database becomes slow, at the earliest, and when the server dies.
const SLOW_AT: u32 = 10;
const KILL_AT: u32 = 60;

/// What was noted of it.
#[derive(Debug)]
pub(super) struct Evening {
    pub(super) began: Instant,
    pub(super) marks: Vec<Mark>,
    pub(super) watched: Watched,
    pub(super) restarts: Vec<Duration>,
    pub(super) joined_after: Duration,
    pub(super) sold_after: Duration,
    pub(super) told_after: Duration,
    pub(super) slow: Option<Mark>,
    /// The second kill, in seconds.
    pub(super) killed_at: f64,
}

impl Evening {
    pub(super) fn new(began: Instant) -> Self {
        Self {
            began,
            marks: Vec::new(),
            watched: Watched::default(),
            restarts: Vec::new(),
            joined_after: Duration::ZERO,
            sold_after: Duration::ZERO,
            told_after: Duration::ZERO,
            slow: None,
            killed_at: 0.0,
        }
    }

    /// Everything, in its order.
    ///
    /// # Errors
    /// A request that is never settled, a server that does not come back, a sale without end.
    pub(super) async fn play(
        &mut self,
        stage: &mut Stage,
        sale: &Arc<Sale>,
        operator: &Buyer,
    ) -> Result<(), DrillError> {
        let over = Arc::new(AtomicBool::new(false));
        let watch = Watch::new(Arc::clone(sale), self.began).until(Arc::clone(&over));
        let watching = tokio::spawn(watch);
        let played = self.acts(stage, sale, operator).await;
        over.store(true, Ordering::Relaxed);
        // So that those inside go home.
        sale.is_over();
        let ended = watching.await.map_err(|error| DrillError::Broken(error.to_string()))?;
        self.watched = ended.0;
        played.and(ended.1)
    }

    async fn acts(
        &mut self,
        stage: &mut Stage,
        sale: &Arc<Sale>,
        operator: &Buyer,
    ) -> Result<(), DrillError> {
        let commitment = proof(stage, sale).await?["commitment"].clone();
        self.people_gather(stage, sale).await?;
        let mut errands = self.the_sale_opens(stage, sale, operator, &commitment).await?;
        errands.spawn(play_inside(Arc::clone(sale)));
        self.it_sells(stage, sale).await?;
        sale.is_over();
        self.sold_after = self.began.elapsed();
        finish(errands).await?;
        let told = Instant::now();
        finish(everybody(sale, gathering::hears_the_end)).await?;
        self.told_after = told.elapsed();
        Ok(())
    }

    /// Most join before the opening; when half of them have, the server dies.
    async fn people_gather(
        &mut self,
        stage: &mut Stage,
        sale: &Arc<Sale>,
    ) -> Result<(), DrillError> {
        let joining = everybody(sale, gathering::joins_early);
        let half = sale.plan.buyers / 2;
        let for_what = "half of the buyers to have joined";
        patience::until(for_what, JOINED_MAX, patience::SOON, async || {
            Ok((tally::of(&sale.tally.joined) >= half).then_some(()))
        })
        .await?;
        self.kill(stage).await?;
        patience::within("all buyers to have joined", JOINED_MAX, finish(joining)).await??;
        self.joined_after = self.began.elapsed();
        Ok(())
    }

    /// Some join at this very instant. Then the draw is public, and everybody computes where he stands.
    async fn the_sale_opens(
        &mut self,
        stage: &Stage,
        sale: &Arc<Sale>,
        operator: &Buyer,
        commitment: &Value,
    ) -> Result<gathering::Errands, DrillError> {
        let (opening, opens_at) = (tokio::time::Instant::now() + ANNOUNCED, Utc::now() + ANNOUNCED);
        open_at(operator, &sale.event, opens_at).await?;
        let mut errands = gathering::Errands::new();
        errands.spawn(tricks::races_the_opening(Arc::clone(sale), opening));
        tokio::time::sleep_until(opening).await;
        self.mark("open", opening.elapsed());
        let commitment = commitment.as_str().unwrap_or_default();
        let draw = patience::until("the draw", DRAWN_MAX, LOOK_AGAIN, async || {
            let proof = proof(stage, sale).await?;
            Draw::from_proof(&proof, commitment).map_err(DrillError::Broken)
        });
        sale.book.draw(draw.await?);
        let person = |buyer: &u32| Person::of(&sale.plan, *buyer);
        let busy = (0..sale.plan.buyers)
            .filter(|buyer| gathering::has_something_to_do(person(buyer)))
            .collect();
        let seconds = sale.plan.spread_seconds();
        let acting = spread(Arc::clone(sale), busy, seconds, gathering::acts_after_the_draw);
        errands.spawn(acting);
        Ok(errands)
    }

    async fn it_sells(&mut self, stage: &mut Stage, sale: &Arc<Sale>) -> Result<(), DrillError> {
        let plan = sale.plan;
        sleep(Duration::from_secs(plan.quiet_seconds())).await;
        sold(sale, plan.seats * SLOW_AT / 100).await?;
        let slow = stage.slow_postgres()?;
        let since = Instant::now();
        sleep(Duration::from_secs(plan.slow_seconds())).await;
        drop(slow);
        self.slow = Some(self.mark("slow database", since.elapsed()));
        sold(sale, plan.seats * KILL_AT / 100).await?;
        self.killed_at = self.began.elapsed().as_secs_f64();
        self.kill(stage).await?;
        sold(sale, plan.seats).await
    }

    async fn kill(&mut self, stage: &mut Stage) -> Result<(), DrillError> {
        let since = Instant::now();
        stage.kill_server().await?;
        self.restarts.push(stage.start_server().await?);
        self.mark("killed", since.elapsed());
        Ok(())
    }

    /// What took so long and ends now.
    fn mark(&mut self, name: &'static str, took: Duration) -> Mark {
        let to = self.began.elapsed().as_secs_f64();
        let mark = Mark { name, from: to - took.as_secs_f64(), to };
        println!("  {to:>5.0} s: {name}, {:.1} s", took.as_secs_f64());
        self.marks.push(mark.clone());
        mark
    }
}

async fn sold(sale: &Sale, seats: u32) -> Result<(), DrillError> {
    let for_what = format!("{seats} seats to be sold");
    patience::until(&for_what, SOLD_MAX, LOOK_AGAIN, async || {
        Ok((tally::of(&sale.tally.sold) >= seats).then_some(()))
    })
    .await
}

/// Some megabytes: not by the buyers' connections.
async fn proof(stage: &Stage, sale: &Sale) -> Result<Value, DrillError> {
    let url = format!("{}/events/{}/queue/proof", stage.url(), sale.event);
    let asked = async { reqwest::get(url).await?.error_for_status()?.json().await };
    Ok(patience::within("the proof", DRAWN_MAX, asked).await??)
}

/// Those who have only admissions to try do so once somebody has one.
async fn play_inside(sale: Arc<Sale>) -> Result<(), DrillError> {
    // Whoever watches the sale does not let it go on for ever.
    while tally::of(&sale.tally.admitted) < 5 && !sale.is_sold_out() {
        sleep(LOOK_AGAIN).await;
    }
    let tricks = [Trick::OthersAdmission, Trick::Forges, Trick::OtherEvent];
    let players = tricks.iter().flat_map(|trick| trick.players_of(sale.plan.buyers)).collect();
    let seconds = sale.plan.spread_seconds();
    spread(sale, players, seconds, plays_inside).await
}

async fn plays_inside(sale: Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    match Trick::of(sale.plan.buyers, buyer) {
        Some(trick) => tricks::plays_during_the_sale(&sale, buyer, trick).await,
        None => Ok(()),
    }
}
