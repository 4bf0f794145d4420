//! What admissions are read by, for a process whose room has no owner yet: its places cannot be read, and those
//! who were let in go on.

use taquilla_engine::id::EventNumber;
use taquilla_engine::waiting_room::admission::admission_key;
use tokio_postgres::types::{ToSql, Type};

use crate::columns;
use crate::database::{Database, DatabaseError};

const HEAD: &str = "/* admission_head */ SELECT salt, round FROM queue_heads WHERE event_no = $1";

/// What signs a room's admissions.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionHead {
    /// The room's own.
    pub key: [u8; 32],
    /// Admissions of other rounds are worth nothing.
    pub round: i32,
}

/// The heads of rooms. Clones share the connections.
#[derive(Clone, Debug)]
pub struct QueueHeads {
    database: Database,
}

impl QueueHeads {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// What signs this event's admissions; none if nobody can have one.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn admission(
        &self,
        event: EventNumber,
    ) -> Result<Option<AdmissionHead>, DatabaseError> {
        let of_it: &[(&(dyn ToSql + Sync), Type)] = &[(&event.0, Type::INT4)];
        let rows = self.database.read_durable("admission_head", HEAD, of_it).await?;
        let head = |row| -> Result<AdmissionHead, columns::BrokenRow> {
            let bytes = |bytes: &[u8]| -> Option<[u8; 32]> { bytes.try_into().ok() };
            let salt = columns::parse(row, "salt", bytes)?;
            Ok(AdmissionHead { key: admission_key(&salt), round: columns::get(row, "round")? })
        };
        Ok(rows.first().map(head).transpose()?)
    }
}
