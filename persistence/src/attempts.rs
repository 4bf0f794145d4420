//! Payment attempts in rows: the engine's [`Attempts`] on Postgres.
//!
//! What is told of an attempt is durable when it is told: the transaction ends with a commit that is
//! acknowledged as the sale requires, even if it only read. No row that the event's lane writes is
//! locked. From `authorized` only the lane moves an attempt; the table of steps knows none from there.

mod charge_back;
mod find;
mod open;
mod retry;
pub(crate) mod row;
mod step;

use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::payment::{
    Attempt, Attempts, NewAttempt, NotOpened, Opened, Step, StoreUnavailable,
};
use taquilla_engine::refund::SoldOrder;

use crate::database::{Database, DatabaseError};
use crate::orders::Orders;

/// How many attempts an order may have in all, unless configured otherwise: enough for a mistyped
/// card, too few to try stolen ones.
pub const ATTEMPTS_MAX: u32 = 5;

/// The store. Clones share the connections.
#[derive(Clone, Debug)]
pub struct PostgresAttempts {
    database: Database,
    attempts_max: u32,
}

impl PostgresAttempts {
    /// On this database; an order may have `attempts_max` attempts, such as [`ATTEMPTS_MAX`].
    #[must_use]
    pub fn new(database: Database, attempts_max: u32) -> PostgresAttempts {
        PostgresAttempts { database, attempts_max }
    }
}

impl Attempts for PostgresAttempts {
    fn open<'a>(&'a self, new: &'a NewAttempt) -> Later<'a, Result<Opened, NotOpened>> {
        Box::pin(async {
            // An open whose outcome is unknown is not tried again here: it would come back as a
            // replay, and its caller would take the attempt for somebody else's to drive.
            let again = DatabaseError::wrote_nothing;
            let opened = retry::passing(again, || self.open_attempt(new)).await;
            opened.map_err(|error| match error.wrote_nothing() {
                true if error.is_overload() => NotOpened::Overloaded,
                true => NotOpened::ForCertain(error.into()),
                false => NotOpened::Perhaps(error.into()),
            })
        })
    }

    fn step<'a>(
        &'a self,
        attempt: AttemptId,
        step: &'a Step,
    ) -> Later<'a, Result<Attempt, StoreUnavailable>> {
        Box::pin(async move {
            let moved = retry::passing(|_| true, || self.take_step(attempt, step)).await;
            let found = moved.map_err(StoreUnavailable::from)?;
            found.ok_or_else(|| StoreUnavailable(format!("there is no {attempt:?}")))
        })
    }

    fn find(&self, attempt: AttemptId) -> Later<'_, Result<Option<Attempt>, StoreUnavailable>> {
        Box::pin(async move {
            retry::passing(|_| true, || self.find_attempt(attempt))
                .await
                .map_err(StoreUnavailable::from)
        })
    }

    fn unfinished(
        &self,
        after: Option<(Moment, AttemptId)>,
        max: u32,
    ) -> Later<'_, Result<Vec<Attempt>, StoreUnavailable>> {
        Box::pin(async move {
            let page = || self.unfinished_attempts(after, max);
            retry::passing(|_| true, page).await.map_err(StoreUnavailable::from)
        })
    }

    fn capture_failed(
        &self,
        before: Moment,
        max: u32,
    ) -> Later<'_, Result<Vec<Attempt>, StoreUnavailable>> {
        Box::pin(async move {
            let failed = || self.failed_captures(before, max);
            retry::passing(|_| true, failed).await.map_err(StoreUnavailable::from)
        })
    }

    fn sold(&self, order: OrderId) -> Later<'_, Result<Option<SoldOrder>, StoreUnavailable>> {
        Box::pin(async move {
            let orders = Orders::new(self.database.clone());
            retry::passing(|_| true, || orders.sold(order)).await.map_err(StoreUnavailable::from)
        })
    }

    fn charge_back<'a>(
        &'a self,
        attempt: AttemptId,
        notice: &'a str,
        money: Money,
    ) -> Later<'a, Result<Option<i64>, StoreUnavailable>> {
        Box::pin(async move {
            let book = || self.book_charge_back(attempt, notice, money);
            retry::passing(|_| true, book).await.map_err(StoreUnavailable::from)
        })
    }

    fn reinstate<'a>(
        &'a self,
        attempt: AttemptId,
        notice: &'a str,
        money: Money,
    ) -> Later<'a, Result<bool, StoreUnavailable>> {
        Box::pin(async move {
            let book = || self.book_reinstated(attempt, notice, money);
            retry::passing(|_| true, book).await.map_err(StoreUnavailable::from)
        })
    }

    fn lapsing(&self, before: Moment) -> Later<'_, Result<u64, StoreUnavailable>> {
        Box::pin(async move {
            let count = || self.count_lapsing(before);
            retry::passing(|_| true, count).await.map_err(StoreUnavailable::from)
        })
    }
}
