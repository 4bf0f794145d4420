//! Row locks: `row_lock.sql`, one prepared call a hold in autocommit, on so many connections that
//! requests wait for. Nobody asks it for more than the engine does, nor for less.

use std::sync::Mutex;

use taquilla_engine::event::Terms;
use taquilla_engine::id::HoldId;
use taquilla_engine::pricing::quote;
use tokio::sync::Semaphore;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

use crate::load::{Placed, Way};
use crate::stage::Stage;
use crate::workload::Wanted;

/// The schema of the row-lock way.
pub const SCHEMA: &str = "row_lock";

const SCRIPT: &str = include_str!("row_lock.sql");

const PLACE_HOLD: &str = "/* row_lock */ \
    SELECT place_hold($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// As the engine's writers: no compiled statements, plans kept, keys looked up by their index.
const SESSION: &str = "-c search_path=row_lock -c jit=off -c plan_cache_mode=force_generic_plan \
    -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off";

/// Connections that place holds by themselves.
#[derive(Debug)]
pub struct RowLockWay {
    terms: Terms,
    turns: Semaphore,
    idle: Mutex<Vec<(Client, Statement)>>,
}

/// Makes the tables and the function, once a stage.
pub async fn prepare(stage: &Stage) {
    stage.connect("").await.batch_execute(SCRIPT).await.expect("the script is right");
}

impl RowLockWay {
    /// The way on so many connections.
    pub async fn connect(stage: &Stage, connections: usize) -> Self {
        let mut idle = Vec::with_capacity(connections);
        for _ in 0..connections {
            let client = stage.connect(SESSION).await;
            let statement = client.prepare(PLACE_HOLD).await.expect("the function is there");
            idle.push((client, statement));
        }
        let turns = Semaphore::new(connections);
        Self { terms: stage.terms.clone(), turns, idle: Mutex::new(idle) }
    }

    async fn call(&self, parameters: &[&(dyn ToSql + Sync)]) -> String {
        let _turn = self.turns.acquire().await.expect("never closed");
        let connection = self.idle.lock().expect("never poisoned").pop();
        let (client, statement) = connection.expect("as many connections as turns");
        let row = client.query_one(&statement, parameters).await.expect("no deadlock, no breach");
        self.idle.lock().expect("never poisoned").push((client, statement));
        row.get(0)
    }
}

impl Way for RowLockWay {
    async fn place(&self, wanted: Wanted) -> Placed {
        let Terms { event, plan, fees, sale, .. } = &self.terms;
        let prices: Vec<i64> =
            wanted.seats.iter().map(|seat| plan.seat_tier(*seat).price).collect();
        let quote = quote(fees, prices.iter().map(|price| (*price, 1))).expect("small amounts");
        let first = i64::from(event.0) << 20;
        let seat_keys: Vec<i64> =
            wanted.seats.iter().map(|seat| first + i64::from(seat.0)).collect();
        let ttl = i64::try_from(sale.hold_ttl.as_micros()).expect("a short life");
        let limit = i32::try_from(sale.buyer_seats_max).expect("a few");
        let hold = HoldId::derive(*event, &wanted.buyer, &wanted.key).uuid();
        let parameters: [&(dyn ToSql + Sync); 10] = [
            &event.0,
            &hold,
            &wanted.buyer.as_str(),
            &wanted.fingerprint.as_slice(),
            &seat_keys,
            &prices,
            &quote.fees,
            &quote.total,
            &ttl,
            &limit,
        ];
        loop {
            match self.call(&parameters).await.as_str() {
                "granted" => return Placed::Granted,
                "seats-unavailable" | "buyer-limit-exceeded" => return Placed::Refused,
                "again" => {}
                other => panic!("a new key is not {other}"),
            }
        }
    }
}
