//! Hundreds of buyers, a few seats, one instant: each seat gets one owner, who pays and has the
//! ticket; everyone else is told no, clearly, and by name.

use std::fmt;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::Scene;
use crate::DrillError;
use crate::box_office::Hall;
use crate::client::{Answer, Buyer, Request};
use crate::figures::Figures;

/// How many race for how many.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Each asks for one seat.
    pub buyers: u32,
    /// Of the one row that there is.
    pub seats: u32,
    /// Of who wants which.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// From the recording.
    pub figures: Figures,
}

/// A winner polls until the order is captured: a declined card is not among the methods used.
const POLLS_MAX: u32 = 20;

/// Lets them race, and has the result audited.
///
/// # Errors
/// A seat without an owner, or with two; an answer that is neither yes nor a clear no.
pub async fn run(plan: Plan) -> Result<Outcome, DrillError> {
    println!("race: seed {}, {} buyers, {} seats", plan.seed, plan.buyers, plan.seats);
    let hall = Hall {
        sections: 1,
        rows: 1,
        row_seats: plan.seats,
        hold_ttl_seconds: 120,
        buyer_seats_max: 1,
    };
    let scene = Scene::open(hall).await?;
    let passed = race(&scene, plan).await;
    Ok(Outcome { figures: scene.judge(passed, None).await? })
}

async fn race(scene: &Scene, plan: Plan) -> Result<(), DrillError> {
    let mut draw = StdRng::seed_from_u64(plan.seed);
    let start = Arc::new(Barrier::new(plan.buyers as usize));
    let mut racers = JoinSet::new();
    for number in 0..plan.buyers {
        // Every seat is wanted by someone, whatever the seed.
        let seat = if number < plan.seats { number } else { draw.random_range(0..plan.seats) };
        let name = format!("racer-{number}");
        let label = scene.on_sale.hall.label(0, 0, seat);
        let (site, tokens) = (scene.site.clone(), scene.tokens.clone());
        let (event_id, start) = (scene.on_sale.event_id.clone(), Arc::clone(&start));
        racers.spawn(async move {
            let token = tokens.mint(&name, None).await;
            // Before anyone gives up: the others wait for this one too.
            start.wait().await;
            let buyer = Buyer::new(site, name, token?);
            run_for(&buyer, &event_id, &label).await
        });
    }
    let mut owned = 0;
    while let Some(raced) = racers.join_next().await {
        let raced = raced.map_err(|error| DrillError::Broken(format!("a racer: {error}")))?;
        owned += u32::from(raced?);
    }
    if owned == plan.seats {
        return Ok(());
    }
    Err(DrillError::Broken(format!("{owned} owners of {} seats", plan.seats)))
}

/// Whether the buyer has the seat in the end, paid.
async fn run_for(buyer: &Buyer, event_id: &str, label: &str) -> Result<bool, DrillError> {
    let wish = json!({"event_id": event_id, "seats": [label]});
    let answer = buyer.ask(&Request::post("/holds", "the-seat", wish)).await?;
    match (answer.status, answer.slug()) {
        (Some(201), _) => buy(buyer, answer.text("hold_id")).await.map(|()| true),
        (Some(409), Some("seats-unavailable")) if answer.body["seats"] == json!([label]) => {
            Ok(false)
        }
        _ => Err(DrillError::Broken(format!("neither yes nor a clear no: {answer:?}"))),
    }
}

async fn buy(buyer: &Buyer, hold: &str) -> Result<(), DrillError> {
    let order = buyer.ask(&Request::order(hold, "the-order")).await?.text("order_id").to_owned();
    buyer.ask(&Request::payment(&order, "the-money", "sim_ok")).await?;
    let captured = |seen: &Answer| seen.text("status") == "captured";
    if captured(&buyer.watch(&order, POLLS_MAX, captured).await?) {
        return Ok(());
    }
    Err(DrillError::Broken(format!("order {order} was not captured")))
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.figures)
    }
}
