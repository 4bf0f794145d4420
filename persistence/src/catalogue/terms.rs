//! An event's terms as its owner needs them.

mod prices;
mod seats;

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::event::Terms;
use taquilla_engine::id::{EventNumber, PlanId, SectionIndex};
use taquilla_engine::plan::{Plan, Seats, SectionKind, SectionPlan, Tier};
use taquilla_engine::pricing::Fee;
use taquilla_engine::sale::Sale;
use tokio_postgres::{Client, Error, Row};

use self::prices::Prices;
use super::Catalogue;
use super::event::price_columns;
use super::seating_plan::section_shapes;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;

/// A plan of a million seats took 1 s on two cores; it is read when an event is made or a process
/// starts.
const ANSWER_MAX: Duration = Duration::from_secs(30);

const TERMS: &str = concat!(
    "/* event_terms */ \
    SELECT event_no, currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, \
           waiting_room, paused, verifying_extension_seconds, cancelled, ",
    price_columns!(),
    ", \
           e.plan_id, s.names, s.kinds, s.sizes, s.first_seats, s.dropped, \
           p.priced_sections, p.priced_categories, p.priced_tiers \
      FROM events e \
     CROSS JOIN LATERAL ( \
           SELECT array_agg(name ORDER BY v.section_no) AS names, \
                  array_agg(kind ORDER BY v.section_no) AS kinds, \
                  array_agg(coalesce(v.seats, g.capacity, v.capacity) ORDER BY v.section_no) AS sizes, \
                  array_agg(first_seat ORDER BY v.section_no) AS first_seats, \
                  array_agg(v.capacity = 0 ORDER BY v.section_no) AS dropped \
             FROM plan_sections v \
             LEFT JOIN general_areas g \
                    ON g.event_no = e.event_no AND g.section_no = v.section_no \
            WHERE v.plan_id = e.plan_id) s \
     CROSS JOIN LATERAL ( \
           SELECT array_agg(section_no) AS priced_sections, \
                  array_agg(category_no) AS priced_categories, \
                  array_agg(tier_no) AS priced_tiers \
             FROM event_section_tiers t WHERE t.event_no = e.event_no) p \
     WHERE event_no = $1"
);

impl Catalogue {
    /// What the event is and how it sells; `None` if there is no such event.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn event_terms(&self, event: EventNumber) -> Result<Option<Terms>, DatabaseError> {
        let database = self.database.within(ANSWER_MAX);
        let read = database
            .snapshot("event_terms", async |transaction| terms_within(&transaction, event).await);
        Ok(read.await??)
    }
}

/// The event's terms as the transaction of this connection sees them.
pub(crate) async fn terms_within(
    client: &Client,
    event: EventNumber,
) -> Result<Result<Option<Terms>, BrokenRow>, Error> {
    let Some(terms) = client.query_opt(TERMS, &[&event.0]).await? else { return Ok(Ok(None)) };
    let prices = match Prices::read(&terms) {
        Ok(prices) => prices,
        Err(broken) => return Ok(Err(broken)),
    };
    let seats = seats::read(client, event, &prices).await?;
    Ok(seats.and_then(|seats| read_terms(&terms, &prices, seats)).map(Some))
}

fn read_terms(row: &Row, prices: &Prices, seats: Seats) -> Result<Terms, BrokenRow> {
    let sections = read_sections(row, prices, &seats)?;
    Ok(Terms {
        event: columns::event(row)?,
        plan_id: PlanId(columns::get(row, "plan_id")?),
        plan: Arc::new(Plan::new(read_tiers(row)?, sections, seats)),
        currency: columns::currency(row)?,
        fees: read_fees(row)?.into(),
        sale: read_sale(row)?,
    })
}

fn read_sections(row: &Row, prices: &Prices, seats: &Seats) -> Result<Vec<SectionPlan>, BrokenRow> {
    let dropped: Vec<bool> = columns::get(row, "dropped")?;
    let section = |((index, (name, kind)), dropped): ((u16, (String, SectionKind)), bool)| {
        let index = SectionIndex(index);
        let tier = match kind {
            SectionKind::General { .. } if dropped => prices.tier_of_dropped(index, 0),
            SectionKind::General { .. } => prices.tier(index, 0)?,
            SectionKind::Seated { first, .. } => {
                let seat = seats.get(first).filter(|seat| seat.section == index);
                let none = || BrokenRow::new("first_seat", format!("section {name} has no seat"));
                seat.ok_or_else(none)?.tier
            }
        };
        Ok(SectionPlan { name, kind, tier })
    };
    (0..).zip(section_shapes(row)?).zip(dropped).map(section).collect()
}

/// The sale's columns, wherever they are selected.
pub(crate) fn read_sale(row: &Row) -> Result<Sale, BrokenRow> {
    Ok(Sale {
        opens_at: columns::moment(row, "opens_at")?,
        closes_at: columns::moment(row, "closes_at")?,
        hold_ttl: Duration::from_secs(columns::count::<i32>(row, "hold_ttl_seconds")?.into()),
        buyer_seats_max: columns::count::<i32>(row, "buyer_seats_max")?,
        waiting_room: columns::get(row, "waiting_room")?,
        paused: columns::get(row, "paused")?,
        verifying_extension: Duration::from_secs(
            columns::count::<i32>(row, "verifying_extension_seconds")?.into(),
        ),
        cancelled: columns::get(row, "cancelled")?,
    })
}

/// From two arrays of equal length, in the event's order.
pub(super) fn read_tiers(row: &Row) -> Result<Vec<Tier>, BrokenRow> {
    let names: Vec<String> = columns::get(row, "tier_names")?;
    let prices: Vec<i64> = columns::get(row, "tier_prices")?;
    columns::same_length("tiers", [names.len(), prices.len()])?;
    Ok(names.into_iter().zip(prices).map(|(name, price)| Tier { name, price }).collect())
}

/// From three arrays of equal length, in the event's order.
pub(super) fn read_fees(row: &Row) -> Result<Vec<Fee>, BrokenRow> {
    let names: Vec<String> = columns::get(row, "fee_names")?;
    let percents: Vec<i32> = columns::get(row, "fee_percents")?;
    let fixed: Vec<i64> = columns::get(row, "fee_fixed")?;
    columns::same_length("fees", [names.len(), percents.len(), fixed.len()])?;
    let fees = names.into_iter().zip(percents).zip(fixed);
    Ok(fees.map(|((name, percent), fixed)| Fee { name, percent: percent.into(), fixed }).collect())
}
