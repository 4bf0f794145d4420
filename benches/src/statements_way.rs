//! Row locks as a transaction of several prepared statements, `statements.sql`: six round trips a hold,
//! seven where the buyer is new. What a program does that keeps its rules in its own language.

use std::time::SystemTime;

use taquilla_engine::event::Terms;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

use crate::asked::Asked;
use crate::connections::{Connections, Prepared};
use crate::load::{Placed, Way};
use crate::stage::Stage;
use crate::workload::Wanted;

const SCRIPT: &str = include_str!("statements.sql");

/// In the script's order.
#[derive(Clone, Copy)]
enum Step {
    Begin,
    Look,
    AddBuyer,
    LockBuyers,
    LockSeats,
    Write,
    Commit,
    Rollback,
}

/// Connections that place holds by themselves.
#[derive(Debug)]
pub struct StatementsWay {
    events: Vec<Terms>,
    connections: Connections,
}

/// What was seen before anything was locked.
struct Seen {
    at: SystemTime,
    taken: bool,
    had: Option<i32>,
    over: Vec<Uuid>,
    over_buyers: Vec<String>,
    over_quantities: Vec<i32>,
    over_seat_keys: Vec<i64>,
}

/// What a transaction found.
enum Found {
    Granted,
    Refused,
    /// A seat changed hands between the look and the lock.
    Again,
}

/// Each ends a line with a semicolon; what is said about one is a comment to the server, too.
fn statements() -> Vec<&'static str> {
    SCRIPT.split(";\n").filter(|statement| !statement.trim().is_empty()).collect()
}

impl StatementsWay {
    /// The way on so many connections.
    pub async fn connect(stage: &Stage, connections: usize) -> Self {
        let connections = Connections::open(stage, connections, &statements()).await;
        Self { events: stage.events.clone(), connections }
    }

    /// The way on this one connection.
    pub async fn over(stage: &Stage, client: Client) -> Self {
        let connections = Connections::over(vec![client], &statements()).await;
        Self { events: stage.events.clone(), connections }
    }
}

impl Way for StatementsWay {
    async fn place(&self, wanted: Wanted) -> Placed {
        let asked = Asked::new(&self.events[wanted.event], &wanted);
        loop {
            let lent = self.connections.borrow().await;
            run(&lent, Step::Begin, &[]).await;
            let found = decide(&lent, &asked).await;
            let end = if matches!(found, Found::Granted) { Step::Commit } else { Step::Rollback };
            run(&lent, end, &[]).await;
            match found {
                Found::Granted => return Placed::Granted,
                Found::Refused => return Placed::Refused,
                Found::Again => {}
            }
        }
    }
}

/// All between the transaction's begin and its end.
async fn decide(on: &Prepared, asked: &Asked) -> Found {
    let Asked { event, hold, buyer, seat_keys, limit, .. } = asked;
    let seen = look(on, asked).await;
    if seen.taken {
        return Found::Refused;
    }
    if seen.had.is_none() {
        run(on, Step::AddBuyer, &[event, buyer, limit]).await;
    }
    let row = query(on, Step::LockBuyers, &[event, &seen.over_buyers, buyer]).await;
    let had: i32 = row.get(0);
    let row =
        query(on, Step::LockSeats, &[&seen.over_seat_keys, seat_keys, &seen.over, hold]).await;
    let (not_ours, still_over): (i64, i64) = (row.get(0), row.get(1));
    let known: Option<&[u8]> = row.get(2);
    assert!(known.is_none(), "a new key has no hold");
    if not_ours > 0 || still_over != seen.over_seat_keys.len() as i64 {
        return Found::Again;
    }
    let over = seen.over_buyers.iter().zip(&seen.over_quantities);
    let own: i32 = over.filter(|(of, _)| *of == buyer).map(|(_, quantity)| quantity).sum();
    let left = had - own;
    let wanted = i32::try_from(seat_keys.len()).expect("a few seats");
    if left + wanted > *limit {
        return Found::Refused;
    }
    write(on, asked, &seen, left).await;
    Found::Granted
}

async fn look(on: &Prepared, asked: &Asked) -> Seen {
    let Asked { event, buyer, seat_keys, limit, .. } = asked;
    let row = query(on, Step::Look, &[event, seat_keys, buyer, limit]).await;
    Seen {
        at: row.get(0),
        taken: row.get(1),
        had: row.get(2),
        over: row.get(3),
        over_buyers: row.get(4),
        over_quantities: row.get(5),
        over_seat_keys: row.get(6),
    }
}

async fn write(on: &Prepared, asked: &Asked, seen: &Seen, left: i32) {
    let parameters: [&(dyn ToSql + Sync); 16] = [
        &asked.event,
        &asked.buyer,
        &asked.seat_keys,
        &seen.over_seat_keys,
        &seen.over,
        &seen.over_buyers,
        &seen.over_quantities,
        &asked.hold,
        &asked.fingerprint.as_slice(),
        &asked.prices,
        &asked.fees,
        &asked.total,
        &seen.at,
        &asked.limit,
        &asked.ttl_micros,
        &left,
    ];
    run(on, Step::Write, &parameters).await;
}

async fn run(on: &Prepared, step: Step, parameters: &[&(dyn ToSql + Sync)]) {
    let done = on.client.execute(&on.statements[step as usize], parameters).await;
    done.expect("no deadlock, no breach");
}

async fn query(on: &Prepared, step: Step, parameters: &[&(dyn ToSql + Sync)]) -> Row {
    let row = on.client.query_one(&on.statements[step as usize], parameters).await;
    row.expect("no deadlock, no breach")
}
