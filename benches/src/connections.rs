//! Connections that requests wait for, each with the same prepared statements.

use std::sync::Mutex;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::{Client, Statement};

use crate::stage::Stage;

/// As the engine's writers: no compiled statements, plans kept, keys looked up by their index.
pub const SESSION: &str = "-c search_path=row_lock,public -c jit=off \
    -c plan_cache_mode=force_generic_plan \
    -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off";

/// A connection with its statements, in the order in which they were given.
#[derive(Debug)]
pub struct Prepared {
    /// The connection.
    pub client: Client,
    /// Prepared on it.
    pub statements: Vec<Statement>,
}

/// So many of them.
#[derive(Debug)]
pub struct Connections {
    turns: Semaphore,
    idle: Mutex<Vec<Prepared>>,
}

/// One of them, until it is given back.
#[derive(Debug)]
pub struct Lent<'a> {
    /// `None` only while it is given back.
    prepared: Option<Prepared>,
    from: &'a Connections,
    _turn: SemaphorePermit<'a>,
}

impl Connections {
    /// Opens so many and prepares these statements on each.
    pub async fn open(stage: &Stage, connections: usize, statements: &[&str]) -> Self {
        let mut clients = Vec::with_capacity(connections);
        for _ in 0..connections {
            clients.push(stage.connect(SESSION).await);
        }
        Self::over(clients, statements).await
    }

    /// Prepares these statements on each of these connections.
    pub async fn over(clients: Vec<Client>, statements: &[&str]) -> Self {
        let turns = Semaphore::new(clients.len());
        let mut idle = Vec::with_capacity(clients.len());
        for client in clients {
            let mut prepared = Vec::with_capacity(statements.len());
            for statement in statements {
                prepared.push(client.prepare(statement).await.expect("its tables are there"));
            }
            idle.push(Prepared { client, statements: prepared });
        }
        Self { turns, idle: Mutex::new(idle) }
    }

    /// Waits for one, in order of asking.
    pub async fn borrow(&self) -> Lent<'_> {
        let turn = self.turns.acquire().await.expect("never closed");
        let prepared = self.idle.lock().expect("never poisoned").pop();
        assert!(prepared.is_some(), "as many connections as turns");
        Lent { prepared, from: self, _turn: turn }
    }
}

impl std::ops::Deref for Lent<'_> {
    type Target = Prepared;

    fn deref(&self) -> &Prepared {
        self.prepared.as_ref().expect("present until it is given back")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.from.idle.lock().expect("never poisoned").extend(self.prepared.take());
    }
}
