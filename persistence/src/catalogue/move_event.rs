//! An event moved to another version of its hall's plan, in one transaction that shuts its lane out.
//!
//! The event's epoch and sequence are raised first: that waits for a batch in flight and fences whoever owns the
//! event, so nothing is decided by the old plan once the new one stands. The next owner reads the new one. What the
//! move would take from somebody is found under that lock; then the transaction undoes itself, and nobody has been
//! fenced. Indexes are the same in all versions of a hall, so no row of a hold, order or ticket changes.

mod changes;
mod in_the_way;

use std::time::Duration;

use serde_json::json;
use taquilla_engine::event::Fact;
use taquilla_engine::id::{EventNumber, PlanId, Sequence};
use taquilla_engine::operation::Deed;
use tokio_postgres::{Client, Error};

pub use self::in_the_way::{AreaInTheWay, InTheWay};
use super::Catalogue;
use crate::codec;
use crate::columns;
use crate::database::DatabaseError;
use crate::operator_action::OperatorAction;
use crate::stamp::Stamp;

/// A new stand of a hundred thousand seats takes a second. The event's lane waits meanwhile.
const ANSWER_MAX: Duration = Duration::from_secs(30);

const SAVE: &str = "/* move_event */ SAVEPOINT untouched";
const UNDO: &str = "/* move_event */ ROLLBACK TO SAVEPOINT untouched";

const FENCE: &str = "/* move_event */ \
    UPDATE event_heads SET epoch = epoch + 1, seq = seq + 1, \
           decided_at = greatest(decided_at, clock_timestamp()) \
     WHERE event_no = $1 RETURNING seq, decided_at";

const EVENT: &str = "/* move_event */ \
    UPDATE events SET plan_id = $3 WHERE event_no = $1 AND plan_id = $2 AND NOT cancelled";

const HISTORY: &str = "/* move_event */ \
    INSERT INTO outbox (event_no, seq, payload) VALUES ($1, $2, $3)";

/// Where an event is to go.
#[derive(Clone, Debug)]
pub struct EventMove {
    /// Which.
    pub event: EventNumber,
    /// The plan that it has.
    pub from: PlanId,
    /// A later version of the same hall,
    pub to: PlanId,
    /// by its number.
    pub version: u32,
    /// Tiers, by their place, of what the event has not sold before: sections, and categories of them.
    pub tiers: Vec<SectionTier>,
}

/// At which tier seats or places of a section are sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionTier {
    /// Its place in the plan.
    pub section: u16,
    /// Those of this category, by its place in the plan's list; none in a section that has none.
    pub category: Option<u16>,
    /// The tier's place among the event's.
    pub tier: u16,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    /// It stands. Whoever owned the event is fenced.
    Done,
    /// The event has another plan than was said, or has been cancelled. Nothing was done.
    HasChanged,
    /// Somebody has what the plan would drop. Nothing was done.
    Refused(InTheWay),
}

impl Catalogue {
    /// Moves the event, with the trail's row.
    ///
    /// # Errors
    /// [`DatabaseError`]; unless it is certain that nothing was written, the move may stand.
    pub async fn move_event(
        &self,
        to: &EventMove,
        action: &OperatorAction,
    ) -> Result<Moved, DatabaseError> {
        let database = self.database.within(ANSWER_MAX);
        let moved = database.write("move_event", async |transaction| {
            transaction.batch_execute(SAVE).await?;
            let moved = try_move(&transaction, to, action).await?;
            if moved != Moved::Done {
                transaction.batch_execute(UNDO).await?;
            }
            Ok(moved)
        });
        moved.await
    }
}

async fn try_move(
    transaction: &Client,
    to: &EventMove,
    action: &OperatorAction,
) -> Result<Moved, Error> {
    let EventMove { event, from: PlanId(before), to: PlanId(after), .. } = to;
    let head = transaction.query_one(FENCE, &[&event.0]).await?;
    let (sequence, Stamp(at)) = (Sequence(head.try_get(0)?), head.try_get(1)?);
    if transaction.execute(EVENT, &[&event.0, before, after]).await? == 0 {
        return Ok(Moved::HasChanged);
    }
    let areas = in_the_way::changed_areas(transaction, *event, *before, *after).await?;
    if let Some(in_the_way) = in_the_way::find(transaction, *event, *before, *after, &areas).await?
    {
        return Ok(Moved::Refused(in_the_way));
    }
    let mut facts = changes::make(transaction, *event, *before, *after, &areas, at).await?;
    changes::price(transaction, *event, &to.tiers).await?;
    let detail = json!({"plan_version": to.version, "from": before, "to": after});
    action.record(transaction, Some(*event), "move_event", &detail).await?;
    let deed = Deed {
        id: action.id,
        who: action.who.as_str().into(),
        what: "move_event",
        why: action.why.as_str().into(),
        detail: detail.to_string().into(),
    };
    facts.push(Fact::Operated { deed, at });
    transaction.execute(HISTORY, &[&event.0, &sequence.0, &codec::encode(&facts)]).await?;
    Ok(Moved::Done)
}

/// Which sections and categories the event has a tier for.
const TIERS: &str = "/* tiers_of_sections */ \
    SELECT section_no, category_no, tier_no FROM event_section_tiers WHERE event_no = $1";

impl Catalogue {
    /// At which tiers the event sells, sold before under another version of its plan included.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn section_tiers(
        &self,
        event: EventNumber,
    ) -> Result<Vec<SectionTier>, DatabaseError> {
        let rows = self.database.read("tiers_of_sections", async |client| {
            client.query(TIERS, &[&event.0]).await //
        });
        let place = |number: i16| u16::try_from(number).ok();
        let read = |row: &tokio_postgres::Row| {
            Ok(SectionTier {
                section: columns::parse(row, "section_no", place)?,
                category: columns::parse(row, "category_no", columns::category)?,
                tier: columns::parse(row, "tier_no", place)?,
            })
        };
        Ok(rows.await?.iter().map(read).collect::<Result<_, columns::BrokenRow>>()?)
    }
}
