//! A moment as `timestamptz`. Both count microseconds, so nothing is rounded.

use bytes::{BufMut, BytesMut};
use taquilla_engine::moment::Moment;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};
use uuid::Uuid;

type BoxedError = Box<dyn std::error::Error + Sync + Send>;

/// From the Unix epoch to Postgres' own, midnight of 2000-01-01.
const POSTGRES_EPOCH_MICROS: i64 = 946_684_800_000_000;

/// A [`Moment`] in a parameter or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(pub(crate) Moment);

impl Stamp {
    /// Before all there are: minus infinity, as Postgres writes it.
    pub(crate) const BEFORE_ALL: Stamp = Stamp(Moment(i64::MIN));

    /// Where a list by time and id goes on behind this one, or begins.
    pub(crate) fn behind(last: Option<(Moment, Uuid)>) -> (Stamp, Uuid) {
        last.map_or((Stamp::BEFORE_ALL, Uuid::nil()), |(at, id)| (Stamp(at), id))
    }
}

impl ToSql for Stamp {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
        out.put_i64(self.0.0.saturating_sub(POSTGRES_EPOCH_MICROS));
        Ok(IsNull::No)
    }

    accepts!(TIMESTAMPTZ);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Stamp {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, BoxedError> {
        let micros = i64::from_be_bytes(raw.try_into()?);
        Ok(Self(Moment(micros.saturating_add(POSTGRES_EPOCH_MICROS))))
    }

    accepts!(TIMESTAMPTZ);
}
