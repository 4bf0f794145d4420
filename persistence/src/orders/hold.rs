//! A hold as its row says: for holds that their owner has forgotten.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::hold::{Choice, Claim, HoldStatus, Remarks};
use taquilla_engine::id::{EventId, HoldId, OrderId};
use taquilla_engine::moment::Moment;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::Orders;
use super::bill::{Bill, bill_columns};
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::{codes, remarks};

/// `statement_timestamp()` is read before the statement's snapshot is taken.
const FIND: &str = concat!(
    "/* find_hold */ SELECT h.hold_id, h.buyer, h.status, h.created_at, h.expires_at, \
            statement_timestamp() >= h.expires_at AS hold_over, \
            statement_timestamp() AS as_of, e.event_id, o.order_id, h.remarks, \
            ARRAY(SELECT v.label \
                    FROM jsonb_array_elements_text(h.remarks -> 'declined_seats') \
                         WITH ORDINALITY AS s (seat_index, place) \
                    JOIN plan_seats v ON v.seat_index = s.seat_index::integer \
                   WHERE v.plan_id = e.plan_id ORDER BY s.place) AS declined_labels, \
            ARRAY(SELECT n.name FROM jsonb_array_elements(h.remarks -> 'declined_places') \
                         WITH ORDINALITY AS s (declined, place) \
                    JOIN plan_sections n ON n.section_no = (s.declined ->> 0)::smallint \
                   WHERE n.plan_id = e.plan_id ORDER BY s.place) AS declined_areas, ",
    bill_columns!(),
    " FROM holds h JOIN events e USING (event_no) LEFT JOIN orders o USING (hold_id) \
     WHERE h.hold_id = $1"
);

/// A hold with everything that its buyer is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldRecord {
    /// Its id.
    pub id: HoldId,
    /// Of which event.
    pub event: EventId,
    /// Whose it is.
    pub buyer: BuyerId,
    /// By the clock.
    pub status: HoldStatus,
    /// Its order, once there is one.
    pub order: Option<OrderId>,
    /// What it takes and costs.
    pub bill: Bill,
    /// What was asked for and could not be had.
    pub declined: Vec<Declined>,
    /// Why these seats, if the house chose them.
    pub choice: Option<Choice>,
    /// When it began.
    pub created_at: Moment,
    /// From here on it is over.
    pub expires_at: Moment,
    /// The database's clock at the read.
    pub as_of: Moment,
}

impl Orders {
    /// The hold, if there is one and it is this buyer's.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn hold(
        &self,
        hold: HoldId,
        buyer: &BuyerId,
    ) -> Result<Option<HoldRecord>, DatabaseError> {
        let id = hold.uuid();
        let row = self
            .database
            .read("find_hold", async |client| {
                client.query_typed_opt(FIND, &[(&id, Type::UUID)]).await
            })
            .await?;
        let record = row.as_ref().map(read_hold).transpose()?;
        Ok(record.filter(|record| record.buyer == *buyer))
    }
}

/// Something that was asked for and could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declined {
    /// A seat, by its label.
    Seat(String),
    /// So many places of a section.
    Places(String, u32),
}

fn read_hold(row: &Row) -> Result<HoldRecord, BrokenRow> {
    let remarks = match columns::get::<Option<serde_json::Value>>(row, "remarks")? {
        None => Remarks::default(),
        Some(column) => {
            remarks::of_json(column).ok_or_else(|| BrokenRow::new("remarks", "not one of ours"))?
        }
    };
    Ok(HoldRecord {
        id: columns::id(row, "hold_id", HoldId::parse)?,
        event: columns::id(row, "event_id", EventId::parse)?,
        buyer: columns::parse(row, "buyer", BuyerId::parse)?,
        status: hold_status(row, "status", "hold_over")?,
        order: columns::parse(row, "order_id", |id: Option<uuid::Uuid>| {
            id.map_or(Some(None), |id| OrderId::parse(id).map(Some))
        })?,
        bill: Bill::read(row)?,
        declined: declined(row, &remarks)?,
        choice: remarks.choice,
        created_at: columns::moment(row, "created_at")?,
        expires_at: columns::moment(row, "expires_at")?,
        as_of: columns::moment(row, "as_of")?,
    })
}

fn declined(row: &Row, remarks: &Remarks) -> Result<Vec<Declined>, BrokenRow> {
    let labels: Vec<String> = columns::get(row, "declined_labels")?;
    let areas: Vec<String> = columns::get(row, "declined_areas")?;
    let Claim { seats, places } = &remarks.declined;
    columns::same_length("declined_seats", [labels.len(), seats.len()])?;
    columns::same_length("declined_places", [areas.len(), places.len()])?;
    let places = areas.into_iter().zip(places);
    let places = places.map(|(name, (_, quantity))| Declined::Places(name, *quantity));
    Ok(labels.into_iter().map(Declined::Seat).chain(places).collect())
}

/// A hold's status by row and clock, from its two columns.
pub(crate) fn hold_status(row: &Row, status: &str, over: &str) -> Result<HoldStatus, BrokenRow> {
    let over: bool = columns::get(row, over)?;
    Ok(match columns::parse(row, status, codes::hold_status)? {
        HoldStatus::Active if over => HoldStatus::Expired,
        status => status,
    })
}
