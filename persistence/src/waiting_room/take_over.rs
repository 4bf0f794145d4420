//! A room's owner's start: a new epoch, durable, and then the room's rows, read under it.

use std::time::Duration;

use rand::random;
use taquilla_engine::id::{Epoch, EventNumber, QueueTicketId, Sequence};
use taquilla_engine::journal::{TakeFrom, TakeOverError};
use taquilla_engine::waiting_room::batch::Opening;
use taquilla_engine::waiting_room::calls::Call;
use taquilla_engine::waiting_room::control::Control;
use taquilla_engine::waiting_room::draw::{PublicValue, Secret};
use taquilla_engine::waiting_room::snapshot::{Kept, OldPlace, QueueSnapshot};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, IsolationLevel, Row};

use super::PostgresQueueJournal;
use crate::columns::{self, BrokenRow};
use crate::connect;
use crate::journal::failure;

/// Half a million places take a second or two.
const READ_MAX: Duration = Duration::from_secs(30);
const READ_MAX_HERE: &str = "/* read_at_length */ SET LOCAL statement_timeout = '30s'";
/// Rows in memory twice, as received and as read.
const PAGE_ROWS: i32 = 20_000;

/// Once a room, before anybody can join: what is drawn is there from then on.
const FIRST: &str = "/* new_queue_head */ INSERT INTO queue_heads (event_no, salt, secret) \
    SELECT event_no, $2, $3 FROM events WHERE event_no = $1 ON CONFLICT (event_no) DO NOTHING";

/// As the events' `raise_epoch`.
const RAISE_EPOCH: &str = "/* raise_queue_epoch */ WITH raised AS (\
        UPDATE queue_heads SET epoch = epoch + 1, owner = $2 \
         WHERE event_no = $1 AND ($3 OR owner = $2) RETURNING epoch) \
    SELECT (SELECT epoch FROM raised) AS epoch FROM queue_heads WHERE event_no = $1";

const HEAD: &str = "/* queue_head */ \
    SELECT epoch, seq, salt, secret, round, joined, present, value, \
           opened_at, paused, ceiling FROM queue_heads \
     WHERE event_no = $1";
const CALLS: &str = "/* queue_calls */ \
    SELECT served, at FROM queue_calls WHERE event_no = $1 ORDER BY served";
const PLACES: &str = "/* queue_places */ \
    SELECT number, ticket_id, turn, turned_at, until FROM queue_tickets WHERE event_no = $1 \
     ORDER BY number";

impl PostgresQueueJournal {
    pub(super) async fn read_under_new_epoch(
        &self,
        event: EventNumber,
        from: TakeFrom,
    ) -> Result<QueueSnapshot, TakeOverError> {
        let connected = connect::connect(&self.settings, &self.session).await;
        let driven = connected.map_err(|error| failure::unavailable(&error))?;
        let (mut client, _driver) = (driven.client, driven.driver);
        let raise = self.raise_epoch(&client, event, from);
        let raised = tokio::time::timeout(self.settings.answer_timeout, raise).await;
        let epoch = raised.map_err(|late| failure::unavailable(&late))??;
        let read = tokio::time::timeout(READ_MAX, read(&mut client, event, epoch)).await;
        read.map_err(|late| failure::unavailable(&late))?
    }

    async fn raise_epoch(
        &self,
        client: &Client,
        event: EventNumber,
        from: TakeFrom,
    ) -> Result<Epoch, TakeOverError> {
        let unavailable = |error| failure::unavailable(&error);
        let (salt, secret): ([u8; 32], [u8; 32]) = (random(), random());
        let drawn: [(&(dyn ToSql + Sync), Type); 3] = [
            (&event.0, Type::INT4),
            (&salt.as_slice(), Type::BYTEA),
            (&secret.as_slice(), Type::BYTEA),
        ];
        client.execute_typed(FIRST, &drawn).await.map_err(unavailable)?;
        let from_anyone = from == TakeFrom::Anyone;
        let parameters: [(&(dyn ToSql + Sync), Type); 3] =
            [(&event.0, Type::INT4), (&self.process, Type::UUID), (&from_anyone, Type::BOOL)];
        let rows = client.query_typed(RAISE_EPOCH, &parameters).await.map_err(unavailable)?;
        let row = rows.first().ok_or(TakeOverError::NoSuchEvent)?;
        let epoch: Option<i64> = columns::get(row, "epoch").map_err(broken)?;
        epoch.map(Epoch).ok_or(TakeOverError::Overtaken)
    }
}

async fn read(
    client: &mut Client,
    event: EventNumber,
    epoch: Epoch,
) -> Result<QueueSnapshot, TakeOverError> {
    let unavailable = |error| failure::unavailable(&error);
    let begun = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await;
    let view = begun.map_err(unavailable)?;
    view.batch_execute(READ_MAX_HERE).await.map_err(unavailable)?;
    // The first query takes the transaction's snapshot, so no row is older than this head.
    let head = view.query_opt(HEAD, &[&event.0]).await.map_err(unavailable)?;
    let head = head.ok_or(TakeOverError::NoSuchEvent)?;
    let (mut snapshot, joined) = read_head(&head).map_err(broken)?;
    if snapshot.epoch != epoch {
        return Err(TakeOverError::Overtaken);
    }
    let calls = view.query(CALLS, &[&event.0]).await.map_err(unavailable)?;
    snapshot.calls = calls.iter().map(read_call).collect::<Result<_, _>>().map_err(broken)?;
    snapshot.places.reserve_exact(joined);
    let statement = view.prepare(PLACES).await.map_err(unavailable)?;
    let portal = view.bind(&statement, &[&event.0]).await.map_err(unavailable)?;
    loop {
        let page = view.query_portal(&portal, PAGE_ROWS).await.map_err(unavailable)?;
        for row in &page {
            let place = read_place(row, snapshot.places.len()).map_err(broken)?;
            snapshot.places.push(place);
        }
        if page.len() < PAGE_ROWS as usize {
            break;
        }
    }
    if snapshot.places.len() == joined {
        return Ok(snapshot);
    }
    let found = snapshot.places.len();
    Err(TakeOverError::Broken(format!("queue_tickets: {found} of {joined} places are there")))
}

fn read_head(row: &Row) -> Result<(QueueSnapshot, usize), BrokenRow> {
    let present: Option<i32> = columns::get(row, "present")?;
    let opening = match present {
        None => None,
        Some(_) => Some(Opening {
            present: columns::count::<i32>(row, "present")?,
            value: PublicValue(bytes(row, "value")?),
            at: columns::moment(row, "opened_at")?,
        }),
    };
    let snapshot = QueueSnapshot {
        epoch: Epoch(columns::get(row, "epoch")?),
        sequence: Sequence(columns::get(row, "seq")?),
        salt: bytes(row, "salt")?,
        secret: Secret::new(bytes(row, "secret")?),
        opening,
        round: columns::get(row, "round")?,
        control: Control {
            paused: columns::get(row, "paused")?,
            ceiling: columns::get(row, "ceiling")?,
        },
        places: Vec::new(),
        calls: Vec::new(),
    };
    Ok((snapshot, columns::count::<i32>(row, "joined")? as usize))
}

fn read_call(row: &Row) -> Result<Call, BrokenRow> {
    Ok(Call { served: columns::count::<i32>(row, "served")?, at: columns::moment(row, "at")? })
}

fn read_place(row: &Row, nth: usize) -> Result<OldPlace, BrokenRow> {
    if columns::count::<i32>(row, "number")? as usize != nth {
        return Err(BrokenRow::new("number", format_args!("{nth} is not there")));
    }
    let turn: Option<i16> = columns::get(row, "turn")?;
    let kept = match turn {
        None => Kept::InLine,
        Some(came @ (0 | 2)) => Kept::Came {
            at: columns::moment(row, "turned_at")?,
            until: columns::moment_if_any(row, "until")?,
            has_bought: came == 2,
        },
        Some(1) => Kept::Left,
        Some(other) => return Err(BrokenRow::new("turn", other)),
    };
    Ok(OldPlace { ticket: columns::id(row, "ticket_id", QueueTicketId::parse)?, kept })
}

fn bytes(row: &Row, column: &str) -> Result<[u8; 32], BrokenRow> {
    columns::parse(row, column, |bytes: &[u8]| bytes.try_into().ok())
}

fn broken(row: BrokenRow) -> TakeOverError {
    TakeOverError::Broken(row.to_string())
}
