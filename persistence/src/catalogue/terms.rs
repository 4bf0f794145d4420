//! An event's terms as its owner needs them.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::event::Terms;
use taquilla_engine::id::{EventNumber, SectionIndex};
use taquilla_engine::plan::{Plan, SeatPlan, SectionPlan, Tier};
use taquilla_engine::pricing::Fee;
use taquilla_engine::sale::Sale;
use tokio_postgres::Row;

use super::Catalogue;
use super::event::price_columns;
use super::venue::VenueSection;
use crate::database::DatabaseError;
use crate::rows::{self, BrokenRow};

const TERMS: &str = concat!(
    "/* event_terms */ \
    SELECT event_no, currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, \
           waiting_room, paused, ",
    price_columns!(),
    ", \
           s.names, s.kinds, s.capacities, s.first_seats, s.tiers \
      FROM events e \
     CROSS JOIN LATERAL ( \
           SELECT array_agg(name ORDER BY section_no) AS names, \
                  array_agg(kind ORDER BY section_no) AS kinds, \
                  array_agg(coalesce(g.capacity, v.capacity) ORDER BY section_no) AS capacities, \
                  array_agg(first_seat ORDER BY section_no) AS first_seats, \
                  array_agg(tier_no ORDER BY section_no) AS tiers \
             FROM venue_sections v JOIN event_section_tiers t USING (section_no) \
             LEFT JOIN general_areas g USING (event_no, section_no) \
            WHERE v.venue_id = e.venue_id AND t.event_no = e.event_no) s \
     WHERE event_no = $1"
);

const SEATS: &str = "/* event_terms */ \
    SELECT label, section_no \
      FROM venue_seats JOIN events USING (venue_id) WHERE event_no = $1 ORDER BY seat_index";

impl Catalogue {
    /// What the event is and how it sells; `None` if there is no such event.
    pub async fn event_terms(&self, event: EventNumber) -> Result<Option<Terms>, DatabaseError> {
        let read = self.database.snapshot("event_terms", async |transaction| {
            let terms = transaction.query_opt(TERMS, &[&event.0]).await?;
            Ok((terms, transaction.query(SEATS, &[&event.0]).await?))
        });
        let (terms, seats) = read.await?;
        Ok(terms.map(|terms| read_terms(&terms, &seats)).transpose()?)
    }
}

fn read_terms(row: &Row, seats: &[Row]) -> Result<Terms, BrokenRow> {
    let tiers = read_tiers(row)?;
    let sections = read_sections(row, tiers.len())?;
    let seats: Vec<SeatPlan> =
        seats.iter().map(|seat| read_seat(seat, &sections)).collect::<Result<_, _>>()?;
    Ok(Terms {
        event: rows::event(row)?,
        plan: Arc::new(Plan::new(tiers, sections, seats)),
        currency: rows::currency(row)?,
        fees: read_fees(row)?.into(),
        sale: read_sale(row)?,
    })
}

/// The sale's columns, wherever they are selected.
pub(super) fn read_sale(row: &Row) -> Result<Sale, BrokenRow> {
    Ok(Sale {
        opens_at: rows::moment(row, "opens_at")?,
        closes_at: rows::moment(row, "closes_at")?,
        hold_ttl: Duration::from_secs(rows::count::<i32>(row, "hold_ttl_seconds")?.into()),
        buyer_seats_max: rows::count::<i32>(row, "buyer_seats_max")?,
        waiting_room: rows::get(row, "waiting_room")?,
        paused: rows::get(row, "paused")?,
    })
}

/// From two arrays of equal length, in the event's order.
pub(super) fn read_tiers(row: &Row) -> Result<Vec<Tier>, BrokenRow> {
    let names: Vec<String> = rows::get(row, "tier_names")?;
    let prices: Vec<i64> = rows::get(row, "tier_prices")?;
    Ok(names.into_iter().zip(prices).map(|(name, price)| Tier { name, price }).collect())
}

/// From three arrays of equal length, in the event's order.
pub(super) fn read_fees(row: &Row) -> Result<Vec<Fee>, BrokenRow> {
    let names: Vec<String> = rows::get(row, "fee_names")?;
    let percents: Vec<i32> = rows::get(row, "fee_percents")?;
    let fixed: Vec<i64> = rows::get(row, "fee_fixed")?;
    let fees = names.into_iter().zip(percents).zip(fixed);
    Ok(fees.map(|((name, percent), fixed)| Fee { name, percent: percent.into(), fixed }).collect())
}

fn read_sections(row: &Row, tiers: usize) -> Result<Vec<SectionPlan>, BrokenRow> {
    let tier_of: Vec<i16> = rows::get(row, "tiers")?;
    let sections = VenueSection::list(row)?.into_iter().zip(tier_of);
    sections
        .map(|(VenueSection { name, kind }, tier)| {
            let tier = u16::try_from(tier).ok().filter(|tier| usize::from(*tier) < tiers);
            let tier = tier.ok_or_else(|| BrokenRow::new("tier_no", format!("section {name}")))?;
            Ok(SectionPlan { name, kind, tier })
        })
        .collect()
}

fn read_seat(row: &Row, sections: &[SectionPlan]) -> Result<SeatPlan, BrokenRow> {
    let section = rows::section(row)?;
    let SectionIndex(index) = section;
    let plan = sections
        .get(usize::from(index))
        .ok_or_else(|| BrokenRow::new("section_no", format!("{section:?} has no plan")))?;
    Ok(SeatPlan { label: rows::get::<&str>(row, "label")?.into(), section, tier: plan.tier })
}
