//! Columns as the engine's types.

use taquilla_engine::id::{EventNumber, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use uuid::Uuid;

use crate::stamp::Stamp;

/// A column that this program would not have written so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a row is broken: {0}")]
pub struct BrokenRow(String);

impl BrokenRow {
    /// The column, and what is wrong with it.
    pub(crate) fn new(column: &str, what: impl std::fmt::Display) -> BrokenRow {
        BrokenRow(format!("{column}: {what}"))
    }
}

/// The column as the driver reads it.
pub(crate) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: &str) -> Result<T, BrokenRow> {
    row.try_get(column).map_err(|error| BrokenRow::new(column, error))
}

/// The column, put through a check of the engine's that knows only yes and no.
pub(crate) fn parse<'a, S, T>(
    row: &'a Row,
    column: &str,
    check: impl FnOnce(S) -> Option<T>,
) -> Result<T, BrokenRow>
where
    S: FromSql<'a>,
{
    check(get(row, column)?).ok_or_else(|| BrokenRow::new(column, "not one of ours"))
}

/// An `integer` or `smallint` that is never negative.
pub(crate) fn count<'a, S>(row: &'a Row, column: &str) -> Result<u32, BrokenRow>
where
    S: FromSql<'a> + Into<i64>,
{
    parse(row, column, |number: S| u32::try_from(number.into()).ok())
}

/// A `uuid` of one of the engine's kinds, by the kind's `parse`.
pub(crate) fn id<T>(row: &Row, column: &str, kind: fn(Uuid) -> Option<T>) -> Result<T, BrokenRow> {
    parse(row, column, kind)
}

/// Whether lists that belong together, entry by entry, are of one length: zipped, they would lose what
/// the shorter one lacks.
pub(crate) fn same_length<const N: usize>(
    column: &str,
    lengths: [usize; N],
) -> Result<(), BrokenRow> {
    if lengths.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(());
    }
    Err(BrokenRow::new(column, format_args!("lists of {lengths:?} entries belong together")))
}

/// A `timestamptz`.
pub(crate) fn moment(row: &Row, column: &str) -> Result<Moment, BrokenRow> {
    get(row, column).map(|Stamp(moment)| moment)
}

/// A `timestamptz` that may be absent.
pub(crate) fn moment_if_any(row: &Row, column: &str) -> Result<Option<Moment>, BrokenRow> {
    get::<Option<Stamp>>(row, column).map(|stamp| stamp.map(|Stamp(moment)| moment))
}

/// A `count(*)`.
pub(crate) fn total(row: &Row, column: &str) -> Result<u64, BrokenRow> {
    parse(row, column, |count: i64| u64::try_from(count).ok())
}

/// An `event_no`.
pub(crate) fn event(row: &Row) -> Result<EventNumber, BrokenRow> {
    get(row, "event_no").map(EventNumber)
}

/// A `currency`.
pub(crate) fn currency(row: &Row) -> Result<Currency, BrokenRow> {
    parse(row, "currency", Currency::parse)
}

/// A `section_no`.
pub(crate) fn section(row: &Row) -> Result<SectionIndex, BrokenRow> {
    parse(row, "section_no", |no: i16| u16::try_from(no).ok().map(SectionIndex))
}

/// A number as an `integer`; beyond its range it is beyond every constraint's too, and is refused there.
pub(crate) fn integer(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

/// A category's place in its plan's list: numbered from 1 in the schema, and 0 for none.
pub(crate) fn category(number: i16) -> Option<Option<u16>> {
    u16::try_from(number).ok().map(|number| number.checked_sub(1))
}

/// A place in a list as a `smallint`: plans, fees and artists are far shorter.
pub(crate) fn place(index: usize) -> i16 {
    i16::try_from(index).expect("lists of the catalogue have at most 32,767 entries")
}
