//! Row locks as one function: `function.sql`, one prepared call a hold in autocommit, on so many
//! connections that requests wait for. Nobody asks it for more than the engine does, nor for less.

use taquilla_engine::event::Terms;
use tokio_postgres::Client;

use crate::asked::Asked;
use crate::connections::Connections;
use crate::load::{Placed, Way};
use crate::stage::Stage;
use crate::workload::Wanted;

/// The schema of both row-lock ways.
pub const SCHEMA: &str = "row_lock";

const SCRIPT: &str = include_str!("function.sql");

const PLACE_HOLD: &str = "/* row_lock */ \
    SELECT place_hold($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// Connections that place holds by themselves.
#[derive(Debug)]
pub struct FunctionWay {
    events: Vec<Terms>,
    connections: Connections,
}

/// Makes the tables and the function, once a stage.
pub async fn prepare(stage: &Stage) {
    stage.connect("").await.batch_execute(SCRIPT).await.expect("the script is right");
}

impl FunctionWay {
    /// The way on so many connections.
    pub async fn connect(stage: &Stage, connections: usize) -> Self {
        let connections = Connections::open(stage, connections, &[PLACE_HOLD]).await;
        Self { events: stage.events.clone(), connections }
    }

    /// The way on this one connection.
    pub async fn over(stage: &Stage, client: Client) -> Self {
        let connections = Connections::over(vec![client], &[PLACE_HOLD]).await;
        Self { events: stage.events.clone(), connections }
    }
}

impl Way for FunctionWay {
    async fn place(&self, wanted: Wanted) -> Placed {
        let asked = Asked::new(&self.events[wanted.event], &wanted);
        loop {
            let lent = self.connections.borrow().await;
            let Asked { event, hold, buyer, seat_keys, prices, fees, total, .. } = &asked;
            let row = lent
                .client
                .query_one(
                    &lent.statements[0],
                    &[
                        event,
                        hold,
                        buyer,
                        &asked.fingerprint.as_slice(),
                        seat_keys,
                        prices,
                        fees,
                        total,
                        &asked.ttl_micros,
                        &asked.limit,
                    ],
                )
                .await
                .expect("no deadlock, no breach");
            match row.get(0) {
                "granted" => return Placed::Granted,
                "seats-unavailable" | "buyer-limit-exceeded" => return Placed::Refused,
                "again" => {}
                other => panic!("a new key is not {other}"),
            }
        }
    }
}
