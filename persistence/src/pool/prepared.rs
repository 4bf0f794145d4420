//! Statements of the pool's connections, each prepared when a connection first runs it.
//!
//! Planning one anew takes the server twice as long as running it. One plan is kept for all parameters,
//! by index as far as there is one; what has a better plan for some than for others, or reads much of a
//! table, is asked by [`PooledClient::query_planned`]. What is prepared ends with its connection. One
//! whose table has changed since fails, and takes the connection with it.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row, Statement};

use super::PooledClient;

/// A parameter and its type.
type Typed<'a> = (&'a (dyn ToSql + Sync), Type);

/// What is prepared on one connection, by its text. Bounded: texts are the program's own.
#[derive(Debug, Default)]
pub(super) struct Prepared(Mutex<HashMap<&'static str, Statement>>);

impl Prepared {
    async fn get(
        &self,
        client: &Client,
        sql: &'static str,
        params: &[Typed<'_>],
    ) -> Result<Statement, Error> {
        if let Some(statement) = self.0.lock().get(sql) {
            return Ok(statement.clone());
        }
        let types: Vec<Type> = params.iter().map(|(_, it)| it.clone()).collect();
        let statement = client.prepare_typed(sql, &types).await?;
        self.0.lock().insert(sql, statement.clone());
        Ok(statement)
    }
}

/// Prepared, where the driver's own methods of these names are not.
impl PooledClient {
    /// All rows.
    ///
    /// # Errors
    /// The server's, or the connection's.
    pub async fn query_typed(
        &self,
        sql: &'static str,
        params: &[Typed<'_>],
    ) -> Result<Vec<Row>, Error> {
        let statement = self.prepared().get(self, sql, params).await?;
        self.query(&statement, &values(params)).await
    }

    /// The row, if there is one.
    ///
    /// # Errors
    /// The server's, or the connection's; more than one row.
    pub async fn query_typed_opt(
        &self,
        sql: &'static str,
        params: &[Typed<'_>],
    ) -> Result<Option<Row>, Error> {
        let statement = self.prepared().get(self, sql, params).await?;
        self.query_opt(&statement, &values(params)).await
    }

    /// The one row.
    ///
    /// # Errors
    /// The server's, or the connection's; no row, or more than one.
    pub async fn query_typed_one(
        &self,
        sql: &'static str,
        params: &[Typed<'_>],
    ) -> Result<Row, Error> {
        let statement = self.prepared().get(self, sql, params).await?;
        self.query_one(&statement, &values(params)).await
    }

    /// How many rows were written.
    ///
    /// # Errors
    /// The server's, or the connection's.
    pub async fn execute_typed(
        &self,
        sql: &'static str,
        params: &[Typed<'_>],
    ) -> Result<u64, Error> {
        let statement = self.prepared().get(self, sql, params).await?;
        self.execute(&statement, &values(params)).await
    }

    /// Prepares it, if it is not. From then on asking sends at once: what is asked for together is
    /// answered in its order.
    pub(crate) async fn prepare_once(
        &self,
        sql: &'static str,
        params: &[Typed<'_>],
    ) -> Result<(), Error> {
        self.prepared().get(self, sql, params).await.map(drop)
    }

    /// All rows of what is not prepared: planned each time, with its parameters. Three messages, sent at
    /// once.
    ///
    /// # Errors
    /// The server's, or the connection's.
    pub async fn query_planned(
        &self,
        sql: &'static str,
        params: &[Typed<'_>],
    ) -> Result<Vec<Row>, Error> {
        let ((), rows, ()) = tokio::try_join!(
            biased;
            self.batch_execute(BY_PARAMETERS),
            Client::query_typed(self, sql, params),
            self.batch_execute(AS_KEPT),
        )?;
        Ok(rows)
    }

    /// From now on until the transaction ends everything is planned with its parameters.
    pub(crate) async fn plan_by_parameters(&self) -> Result<(), Error> {
        self.batch_execute(BY_PARAMETERS_HERE).await
    }
}

/// Of the settings that the pool's sessions begin with. Where the statement fails within a transaction,
/// the server undoes these with it.
macro_rules! planning {
    ($set:literal, $mode:literal, $switch:literal) => {
        concat!(
            "/* planning */ ",
            $set,
            " plan_cache_mode = ",
            $mode,
            "; ",
            $set,
            " enable_seqscan = ",
            $switch,
            "; ",
            $set,
            " enable_hashjoin = ",
            $switch,
            "; ",
            $set,
            " enable_mergejoin = ",
            $switch
        )
    };
}

const BY_PARAMETERS: &str = planning!("SET", "auto", "on");
const BY_PARAMETERS_HERE: &str = planning!("SET LOCAL", "auto", "on");
const AS_KEPT: &str = planning!("SET", "force_generic_plan", "off");

fn values<'a>(params: &[Typed<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|(value, _)| *value).collect()
}
