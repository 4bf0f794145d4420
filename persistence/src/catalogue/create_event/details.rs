//! What an event costs and who plays: tiers, fees, artists.

use taquilla_engine::id::EventNumber;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::super::new_event::NewEvent;
use crate::rows;

const TIERS: &str = "/* create_event */ \
    INSERT INTO event_tiers (event_no, tier_no, name, price) \
    SELECT $1, tier_no - 1, name, price \
      FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS t (name, price, tier_no)";

const SECTION_TIERS: &str = "/* create_event */ \
    INSERT INTO event_section_tiers (event_no, section_no, tier_no) \
    SELECT $1, section_no - 1, tier_no \
      FROM unnest($2::smallint[]) WITH ORDINALITY AS s (tier_no, section_no)";

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

pub(super) async fn insert(
    transaction: &Client,
    event: EventNumber,
    new: &NewEvent,
) -> Result<(), Error> {
    let names: Vec<&str> = new.tiers.iter().map(|tier| tier.name.as_str()).collect();
    let prices: Vec<i64> = new.tiers.iter().map(|tier| tier.price).collect();
    transaction.execute(TIERS, &[&event.0, &names, &prices]).await?;

    let tiers: Vec<i16> =
        new.section_tiers.iter().map(|tier| rows::place((*tier).into())).collect();
    transaction.execute(SECTION_TIERS, &[&event.0, &tiers]).await?;

    let names: Vec<&str> = new.fees.iter().map(|fee| fee.name.as_str()).collect();
    // Out of an `integer`'s range it is out of the constraint's too.
    let percent = |percent: i64| i32::try_from(percent).unwrap_or(i32::MAX);
    let percents: Vec<i32> = new.fees.iter().map(|fee| percent(fee.percent)).collect();
    let fixed: Vec<i64> = new.fees.iter().map(|fee| fee.fixed).collect();
    transaction.execute(FEES, &[&event.0, &names, &percents, &fixed]).await?;

    let ids: Vec<Uuid> = new.artists.iter().map(|artist| artist.id).collect();
    let slugs: Vec<&str> = new.artists.iter().map(|artist| artist.slug.as_str()).collect();
    let names: Vec<&str> = new.artists.iter().map(|artist| artist.name.as_str()).collect();
    transaction.execute(NEW_ARTISTS, &[&ids, &slugs, &names]).await?;
    transaction.execute(ARTISTS, &[&event.0, &slugs]).await?;
    Ok(())
}
