//! The plans of the row-lock ways, as the server itself tells them (`auto_explain`).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use tokio_postgres::Client;

use crate::connections::SESSION;
use crate::function_way::FunctionWay;
use crate::load::{Load, Until, Way};
use crate::scale::Scale;
use crate::stage::Stage;
use crate::statements_way::StatementsWay;
use crate::workload::Requests;

const EXPLAIN: &str = "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; \
    SET auto_explain.log_nested_statements = on; SET client_min_messages = log";

/// Enough for holds that end others, and for buyers who come again.
const REQUESTS: u64 = 2_000;

type Told = Arc<Mutex<Vec<String>>>;

/// Every plan of both ways, each once.
///
/// # Panics
/// If one of them reads a table from end to end.
pub async fn of_row_lock_ways(stage: &Stage, scale: &Scale, round: u64) -> Vec<String> {
    // Plans are made for what the tables have in them.
    let filled = Arc::new(FunctionWay::connect(stage, scale.connections[0]).await);
    let seats = Until::Granted(u64::from(scale.seats() / 2));
    Load::new(filled, scale, round + 2).run(seats).await;
    stage.checkpoint().await;
    let mut plans = BTreeSet::new();
    let (client, told) = explained(stage).await;
    run(&FunctionWay::over(stage, client).await, scale, round).await;
    plans.extend(taken(&told));
    let (client, told) = explained(stage).await;
    run(&StatementsWay::over(stage, client).await, scale, round + 1).await;
    plans.extend(taken(&told));
    for plan in &plans {
        assert!(!plan.contains("Seq Scan"), "a table is read from end to end: {plan}");
    }
    plans.into_iter().collect()
}

async fn explained(stage: &Stage) -> (Client, Told) {
    let (client, told) = stage.connect_told(SESSION).await;
    client.batch_execute(EXPLAIN).await.expect("the server comes with its extensions");
    (client, told)
}

async fn run(way: &impl Way, scale: &Scale, round: u64) {
    let mut requests = Requests::of_clients(scale, round).swap_remove(0);
    for _ in 0..REQUESTS {
        way.place(requests.draw()).await;
    }
}

/// Without the time that it took.
fn taken(told: &Told) -> Vec<String> {
    let told = std::mem::take(&mut *told.lock().expect("never poisoned"));
    let plan = |said: String| said.split_once("plan:\n").map(|(_, plan)| plan.to_owned());
    told.into_iter().filter_map(plan).collect()
}
