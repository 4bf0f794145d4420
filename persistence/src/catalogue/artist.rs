//! Who plays.

use tokio_postgres::Row;
use uuid::Uuid;

use crate::columns::{self, BrokenRow};

/// An artist as buyers see one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artist {
    /// Of a new artist: drawn by the caller, and kept only if the slug is new.
    pub id: Uuid,
    /// Names the artist: whoever has it already is the same one.
    pub slug: String,
    /// As printed.
    pub name: String,
}

impl Artist {
    /// From three arrays of equal length, in the event's order.
    pub(super) fn list(row: &Row) -> Result<Vec<Artist>, BrokenRow> {
        let ids: Vec<Uuid> = columns::get(row, "artist_ids")?;
        let slugs: Vec<String> = columns::get(row, "artist_slugs")?;
        let names: Vec<String> = columns::get(row, "artist_names")?;
        let artists = ids.into_iter().zip(slugs).zip(names);
        Ok(artists.map(|((id, slug), name)| Artist { id, slug, name }).collect())
    }
}
