//! An owner's start: a new epoch, durable, and then the event's rows, read under it.
//!
//! Both on one connection of its own, which nobody uses before or after: a caller that waits no
//! longer closes it, whatever it was in the middle of.

use std::collections::HashMap;
use std::time::Duration;

use taquilla_engine::event::{Amendment, Snapshot, Terms};
use taquilla_engine::id::{Epoch, EventNumber, HoldId, OrderId};
use taquilla_engine::journal::{TakeFrom, TakeOverError};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, IsolationLevel, Row, Transaction};

use super::{PostgresJournal, failure, snapshot_rows as rows};
use crate::catalogue::terms_within;
use crate::connect;
use crate::database_clock::Sent;
use crate::keys;
use crate::stamp::Stamp;

/// A million holds take some ten seconds on a small machine; beyond this something is wrong.
const READ_MAX: Duration = Duration::from_secs(60);
const READ_MAX_HERE: &str = "/* read_at_length */ SET LOCAL statement_timeout = '60s'";

/// Rows in memory twice, as received and as read.
const PAGE_ROWS: i32 = 10_000;

/// All that is read of an event's plan is of one moment.
const BEGIN_READING: &str = "/* read_terms */ BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// In autocommit: waits behind a batch in flight, for `lock_timeout` at most, and shuts out the next.
/// `$3`: from anybody, or only from `$2`, who is this process. The head that is there and was not
/// matched is another's.
const RAISE_EPOCH: &str = "/* raise_epoch */ WITH raised AS (\
        UPDATE event_heads SET epoch = epoch + 1, owner = $2 \
         WHERE event_no = $1 AND ($3 OR owner = $2) RETURNING epoch) \
    SELECT (SELECT epoch FROM raised) AS epoch FROM event_heads WHERE event_no = $1";

impl PostgresJournal {
    pub(super) async fn read_under_new_epoch(
        &self,
        event: EventNumber,
        from: TakeFrom,
        keys_kept: Duration,
        also: &[HoldId],
    ) -> Result<Snapshot, TakeOverError> {
        let connected = connect::connect(&self.settings, &self.session).await;
        let driven = connected.map_err(|error| failure::unavailable(&error))?;
        let (mut client, _driver) = (driven.client, driven.driver);
        let epoch = self.raise_epoch(&client, event, from).await?;
        let read = self.read(&mut client, event, epoch, keys_kept, also);
        tokio::time::timeout(READ_MAX, read).await.map_err(|it| failure::unavailable(&it))?
    }

    /// On a connection of its own, too, which ends with it.
    pub(super) async fn read_terms(&self, event: EventNumber) -> Result<Terms, TakeOverError> {
        let connected = connect::connect(&self.settings, &self.session).await;
        let driven = connected.map_err(|error| failure::unavailable(&error))?;
        let (client, _driver) = (driven.client, driven.driver);
        let read = async {
            client.batch_execute(BEGIN_READING).await?;
            client.batch_execute(READ_MAX_HERE).await?;
            terms_within(&client, event).await
        };
        let read = tokio::time::timeout(READ_MAX, read).await;
        let terms = read
            .map_err(|it| failure::unavailable(&it))?
            .map_err(|it| failure::unavailable(&it))?
            .map_err(|broken| TakeOverError::Broken(broken.to_string()))?;
        terms.ok_or(TakeOverError::NoSuchEvent)
    }

    /// An outcome that is not known is no epoch: whoever tries again raises it once more.
    async fn raise_epoch(
        &self,
        client: &Client,
        event: EventNumber,
        from: TakeFrom,
    ) -> Result<Epoch, TakeOverError> {
        let from_anyone = from == TakeFrom::Anyone;
        let parameters: &[(&(dyn ToSql + Sync), Type)] =
            &[(&event.0, Type::INT4), (&self.process, Type::UUID), (&from_anyone, Type::BOOL)];
        let bump = client.query_typed(RAISE_EPOCH, parameters);
        let answer = tokio::time::timeout(self.settings.answer_timeout, bump).await;
        let raised = answer
            .map_err(|error| failure::unavailable(&error))?
            .map_err(|error| failure::unavailable(&error))?;
        raised.first().map(rows::raised_epoch).ok_or(TakeOverError::NoSuchEvent)?
    }

    async fn read(
        &self,
        client: &mut Client,
        event: EventNumber,
        epoch: Epoch,
        keys_kept: Duration,
        also: &[HoldId],
    ) -> Result<Snapshot, TakeOverError> {
        let begun = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await;
        let view = View(begun.map_err(|error| failure::unavailable(&error))?);
        view.0.batch_execute(READ_MAX_HERE).await.map_err(|it| failure::unavailable(&it))?;

        // The first query takes the transaction's snapshot, so no row is older than this head.
        let sent = Sent::now();
        let head = view.all(rows::HEAD, &[&event.0], rows::head).await?;
        let head = head.into_iter().next().ok_or(TakeOverError::NoSuchEvent)?;
        self.writers.clock.answered(sent, head.database_time);
        if head.epoch != epoch {
            return Err(TakeOverError::Overtaken);
        }

        let kept_from = Stamp(head.decided_at - keys_kept);
        let (seats_from, seats_to) = keys::seat_keys(event);
        let (ids_from, ids_to) = keys::ids(event);
        let also: Vec<_> = also.iter().map(|hold| hold.uuid()).collect();
        let areas = view.all(rows::GENERAL_AREAS, &[&event.0], rows::general_area).await?;
        let amendment = Amendment {
            sale: view.all(rows::SALE, &[&event.0], rows::sale).await?.pop(),
            prices: view.all(rows::PRICES, &[&event.0], rows::price).await?,
            capacities: areas.iter().map(|(section, _, capacity)| (*section, *capacity)).collect(),
        };
        let mut snapshot = Snapshot {
            plan: view.all(rows::PLAN, &[&event.0], rows::plan).await?.pop(),
            amendment,
            sequence: head.sequence,
            decided_at: head.decided_at,
            seats: view.all(rows::SEATS, &[&seats_from, &seats_to], rows::seat).await?,
            places: areas.into_iter().map(|(section, places, _)| (section, places)).collect(),
            buyers: view.all(rows::BUYERS, &[&event.0], rows::buyer).await?,
            receipts: view.all(rows::RECEIPTS, &[&event.0, &kept_from], rows::receipt).await?,
            ..Snapshot::empty(epoch)
        };
        let wanted: &[&(dyn ToSql + Sync)] = &[&ids_from, &ids_to, &event.0, &kept_from, &also];
        view.each(rows::HOLDS, wanted, |row| {
            let (hold, order) = rows::hold(row)?;
            snapshot.holds.push(hold);
            snapshot.orders.extend(order);
            Ok(())
        })
        .await?;
        // A buyer's holds are restored in the order in which he made them.
        snapshot.holds.sort_by_key(|hold| (hold.created_at, hold.id));

        let places = (0..).zip(&snapshot.orders).map(|(place, order)| (order.id, place));
        let places: HashMap<OrderId, usize> = places.collect();
        view.each(rows::VERDICTS, &[&ids_from, &ids_to], |row| {
            let (order, attempt, verdict) = rows::verdict(row)?;
            if let Some(place) = places.get(&order) {
                snapshot.orders[*place].verdicts.push((attempt, verdict));
            }
            Ok(())
        })
        .await?;
        view.each(rows::REFUNDS, &[&event.0], |row| {
            let refund = rows::refund(row)?;
            if let Some(place) = places.get(&refund.order) {
                snapshot.orders[*place].refunds.push(refund);
            }
            Ok(())
        })
        .await?;
        Ok(snapshot)
    }
}

/// What one transaction sees. Nothing was written in it, so its end needs no answer.
struct View<'a>(Transaction<'a>);

impl View<'_> {
    async fn all<T>(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
        read: impl Fn(&Row) -> Result<T, TakeOverError>,
    ) -> Result<Vec<T>, TakeOverError> {
        let mut all = Vec::new();
        self.each(sql, parameters, |row| {
            all.push(read(row)?);
            Ok(())
        })
        .await?;
        Ok(all)
    }

    /// Runs one query and takes its rows page by page.
    async fn each(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
        mut take: impl FnMut(&Row) -> Result<(), TakeOverError>,
    ) -> Result<(), TakeOverError> {
        let unavailable = |error| failure::unavailable(&error);
        let statement = self.0.prepare(sql).await.map_err(unavailable)?;
        let portal = self.0.bind(&statement, parameters).await.map_err(unavailable)?;
        loop {
            let page = self.0.query_portal(&portal, PAGE_ROWS).await.map_err(unavailable)?;
            page.iter().try_for_each(&mut take)?;
            if page.len() < PAGE_ROWS as usize {
                return Ok(());
            }
        }
    }
}
