//! Confirmations at the engine's door, beside holds of the same size in the same run: as many orders,
//! each with an authorised attempt, are confirmed as were held. A confirmation sells seats, moves order
//! and attempt, and issues tickets, in the lane's one statement.

use std::sync::Arc;
use std::time::{Duration, Instant};

use taquilla_benches::engine_way::EngineWay;
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use taquilla_benches::workload;
use taquilla_engine::id::AttemptId;
use tokio::task::JoinSet;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Longer than the bench runs.
const HOLD_TTL: Duration = Duration::from_secs(3_000);

/// An attempt an order, as the money workflow leaves one whose money is reserved.
const AUTHORISE: &str = "/* authorise_all */ \
    INSERT INTO payment_attempts (attempt_id, order_id, event_no, buyer, fingerprint, method, provider, \
           amount, currency, status, reference, reserved, reserved_in) \
    SELECT it.attempt_id, it.order_id, o.event_no, o.buyer, sha256(''), 'bench', 'bench', o.total, \
           'EUR', 'authorized', 'bench', o.total, 'EUR' \
      FROM unnest($1::uuid[], $2::uuid[]) AS it (attempt_id, order_id) JOIN orders o USING (order_id)";

#[tokio::main]
async fn main() {
    let scale = Scale::of_arguments();
    let mut stage = Stage::set(&scale).await;
    stage.events.truncate(1);
    stage.events[0].sale.hold_ttl = HOLD_TTL;
    let engine = Arc::new(EngineWay::start(&stage).await);
    let count = scale.seats() / 3;

    let held = each(&engine, &scale, count, Step::Hold).await;
    let ordered = each(&engine, &scale, count, Step::Order).await;
    let (attempts, orders): (Vec<_>, Vec<_>) = (0..count)
        .map(|number| {
            let order = engine.order_of(&workload::numbered(number, "living"));
            (attempt_of(&engine, number).uuid(), order.uuid())
        })
        .unzip();
    let client = stage.connect("").await;
    client.execute(AUTHORISE, &[&attempts, &orders]).await.expect("orders are there");
    stage.checkpoint().await;

    let confirmed = each(&engine, &scale, count, Step::Confirm).await;
    engine.stop().await;
    let rate = |took: Duration| f64::from(count) / took.as_secs_f64();
    println!(
        "{count} of two seats each: {:.0} holds/s, {:.0} orders/s, {:.0} confirmations/s, \
         {:.2} of the holds",
        rate(held),
        rate(ordered),
        rate(confirmed),
        rate(confirmed) / rate(held)
    );
}

fn attempt_of(engine: &EngineWay, number: u32) -> AttemptId {
    let wanted = workload::numbered(number, "paid");
    AttemptId::derive(engine.event(), &wanted.buyer, &wanted.key)
}

/// What is done for each number.
#[derive(Clone, Copy)]
enum Step {
    Hold,
    Order,
    Confirm,
}

impl Step {
    async fn take(self, engine: &EngineWay, number: u32) {
        let wanted = workload::numbered(number, "living");
        match self {
            Self::Hold => drop(engine.place_living(wanted).await),
            Self::Order => engine.order(&wanted).await,
            Self::Confirm => {
                engine.confirm(engine.order_of(&wanted), attempt_of(engine, number)).await;
            }
        }
    }
}

/// Takes the step for each number, so many at once, and says how long it took.
async fn each(engine: &Arc<EngineWay>, scale: &Scale, count: u32, step: Step) -> Duration {
    let started = Instant::now();
    let mut clients = JoinSet::new();
    let in_flight = u32::try_from(scale.in_flight).expect("a few");
    for client in 0..in_flight {
        let engine = Arc::clone(engine);
        clients.spawn(async move {
            for number in (client..count).step_by(in_flight as usize) {
                step.take(&engine, number).await;
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client.expect("a client does not panic");
    }
    started.elapsed()
}
