//! What an event costs and who plays: tiers, fees, artists.

use taquilla_engine::id::EventNumber;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::super::new_event::NewEvent;
use super::super::seating_plan::{SeatingPlan, category_number};
use crate::columns;

const TIERS: &str = "/* create_event */ \
    INSERT INTO event_tiers (event_no, tier_no, name, price) \
    SELECT $1, tier_no - 1, name, price \
      FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS t (name, price, tier_no)";

const SECTION_TIERS: &str = "/* create_event */ \
    INSERT INTO event_section_tiers (event_no, section_no, category_no, tier_no) \
    SELECT $1, section_no, category_no, tier_no \
      FROM unnest($2::smallint[], $3::smallint[], $4::smallint[]) \
           AS s (section_no, category_no, tier_no)";

const FEES: &str = "/* create_event */ \
    INSERT INTO event_fees (event_no, place, name, percent, fixed) \
    SELECT $1, place - 1, name, percent, fixed \
      FROM unnest($2::text[], $3::integer[], $4::bigint[]) \
           WITH ORDINALITY AS f (name, percent, fixed, place)";

/// Two events made at once may name the same new artists: ordered, so that neither waits for the
/// other in turn.
const NEW_ARTISTS: &str = "/* create_event */ \
    INSERT INTO artists (artist_id, slug, name) \
    SELECT artist_id, slug, name \
      FROM unnest($1::uuid[], $2::text[], $3::text[]) AS a (artist_id, slug, name) \
     ORDER BY slug \
        ON CONFLICT (slug) DO NOTHING";

const ARTISTS: &str = "/* create_event */ \
    INSERT INTO event_artists (event_no, place, artist_id) \
    SELECT $1, place - 1, artist_id \
      FROM unnest($2::text[]) WITH ORDINALITY AS a (slug, place) JOIN artists USING (slug)";

/// What the seats of each section and category cost, a column a vector.
#[derive(Default)]
pub(super) struct SectionPrices {
    sections: Vec<i16>,
    categories: Vec<i16>,
    tiers: Vec<i16>,
}

/// Panics as [`super::super::Catalogue::create_event`] says.
pub(super) fn section_prices(plan: &SeatingPlan, new: &NewEvent) -> SectionPrices {
    assert_eq!(new.section_tiers.len(), plan.sections.len(), "every section has tiers");
    let mut prices = SectionPrices::default();
    for (place, (section, tiers)) in plan.sections.iter().zip(&new.section_tiers).enumerate() {
        let needed = if section.is_dropped() { 0 } else { section.categories.len().max(1) };
        assert_eq!(tiers.len(), needed, "a category has one tier");
        for (at, tier) in tiers.iter().enumerate() {
            assert!(usize::from(*tier) < new.tiers.len(), "a tier is one of the event's");
            prices.sections.push(columns::place(place));
            prices.categories.push(category_number(section.categories.get(at).copied()));
            prices.tiers.push(columns::place((*tier).into()));
        }
    }
    prices
}

pub(super) async fn insert(
    transaction: &Client,
    event: EventNumber,
    new: &NewEvent,
    section_prices: &SectionPrices,
) -> Result<(), Error> {
    let names: Vec<&str> = new.tiers.iter().map(|tier| tier.name.as_str()).collect();
    let prices: Vec<i64> = new.tiers.iter().map(|tier| tier.price).collect();
    transaction.execute(TIERS, &[&event.0, &names, &prices]).await?;

    let SectionPrices { sections, categories, tiers } = section_prices;
    transaction.execute(SECTION_TIERS, &[&event.0, sections, categories, tiers]).await?;

    let names: Vec<&str> = new.fees.iter().map(|fee| fee.name.as_str()).collect();
    let percents: Vec<i32> = new.fees.iter().map(|fee| columns::integer(fee.percent)).collect();
    let fixed: Vec<i64> = new.fees.iter().map(|fee| fee.fixed).collect();
    transaction.execute(FEES, &[&event.0, &names, &percents, &fixed]).await?;

    let ids: Vec<Uuid> = new.artists.iter().map(|artist| artist.id).collect();
    let slugs: Vec<&str> = new.artists.iter().map(|artist| artist.slug.as_str()).collect();
    let names: Vec<&str> = new.artists.iter().map(|artist| artist.name.as_str()).collect();
    transaction.execute(NEW_ARTISTS, &[&ids, &slugs, &names]).await?;
    transaction.execute(ARTISTS, &[&event.0, &slugs]).await?;
    Ok(())
}
