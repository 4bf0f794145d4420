//! Which events a list is narrowed to.

use taquilla_engine::moment::Moment;
use taquilla_engine::name::canonical;
use taquilla_persistence::catalogue::{EventRecord, Reference, VenueSummary};

/// The mean radius, as the haversine formula takes it.
const EARTH_KM: f64 = 6_371.0;

/// What a list of events is narrowed to; everything unless said.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Part of the name of the event, the venue, its city or an artist, in any case.
    pub text: Option<String>,
    /// Not farther than this.
    pub near: Option<Near>,
    /// Exactly this category.
    pub category: Option<String>,
    /// With this artist.
    pub artist: Option<Reference>,
    /// Beginning here or later.
    pub from: Option<Moment>,
    /// Beginning here or earlier.
    pub to: Option<Moment>,
}

/// A circle on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Degrees.
    pub lat: f64,
    /// Degrees.
    pub lon: f64,
    /// Kilometres.
    pub radius_km: f64,
}

/// Whether the event is one of those asked for.
pub(super) fn passes(filter: &EventFilter, event: &EventRecord) -> bool {
    let summary = &event.summary;
    filter.category.as_ref().is_none_or(|wanted| canonical(&summary.category) == canonical(wanted))
        && filter.from.is_none_or(|from| summary.starts_at >= from)
        && filter.to.is_none_or(|to| summary.starts_at <= to)
        && filter.artist.as_ref().is_none_or(|artist| has_artist(event, artist))
        && filter.near.is_none_or(|near| distance_km(near, &summary.venue) <= near.radius_km)
        && filter.text.as_ref().is_none_or(|text| has_text(event, text))
}

fn has_artist(event: &EventRecord, artist: &Reference) -> bool {
    event.summary.artists.iter().any(|plays| match artist {
        Reference::Id(id) => plays.id == *id,
        Reference::Slug(slug) => plays.slug == *slug,
    })
}

fn has_text(event: &EventRecord, text: &str) -> bool {
    let (summary, text) = (&event.summary, canonical(text).to_lowercase());
    let names = [&summary.name, &summary.venue.name, &summary.venue.city];
    let artists = summary.artists.iter().map(|artist| &artist.name);
    names.into_iter().chain(artists).any(|name| canonical(name).to_lowercase().contains(&text))
}

/// Along the great circle, by the haversine formula.
fn distance_km(near: Near, venue: &VenueSummary) -> f64 {
    let half = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin().powi(2);
    let across = near.lat.to_radians().cos() * venue.lat.to_radians().cos();
    let root = (half(near.lat, venue.lat) + across * half(near.lon, venue.lon)).sqrt();
    2.0 * EARTH_KM * root.min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_atlas() {
        let venue = |lat, lon| VenueSummary {
            id: uuid::Uuid::nil(),
            slug: String::new(),
            name: String::new(),
            city: String::new(),
            country: String::new(),
            lat,
            lon,
        };
        for (from, to, km) in [
            ((37.39, -5.99), (40.42, -3.70), 391.0), // Seville, Madrid
            ((37.39, -5.99), (37.39, -5.99), 0.0),
            ((0.0, 179.0), (0.0, -179.0), 222.4), // over the date line
            ((90.0, 0.0), (-90.0, 123.0), 20_015.1), // pole to pole
        ] {
            let near = Near { lat: from.0, lon: from.1, radius_km: 0.0 };
            let found = distance_km(near, &venue(to.0, to.1));
            assert!((found - km).abs() < 1.5, "{found} is not about {km}");
        }
    }
}
