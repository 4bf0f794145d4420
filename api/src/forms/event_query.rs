//! `GET /events`: which ones.

use serde::{Deserialize, Deserializer, de};
use taquilla_persistence::catalogue::{EventPosition, Reference};
use utoipa::IntoParams;

use super::number::{Limit, page_size};
use crate::cursor::Cursor;
use crate::instant::Instant;
use crate::listings::{EventFilter, Near};
use crate::problem::Problem;
use crate::strict::FormErrors;

/// Contract: unless said, and at most.
const RADIUS_KM: f64 = 25.0;
const RADIUS_KM_MAX: f64 = 500.0;

/// Filters of a list of events. A blank `q`, `category` or `artist` is as good as none.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventQuery {
    /// Part of a name: the event's, the venue's, its city's, an artist's. Blank: any.
    q: Option<String>,
    /// `<lat>,<lon>` in degrees.
    #[param(value_type = Option<String>)]
    near: Option<Point>,
    /// Kilometres around `near`, 25 unless said, at most 500.
    #[param(value_type = Option<f64>, exclusive_minimum = 0, maximum = 500)]
    radius_km: Option<Radius>,
    /// Exactly this category. Blank: any.
    category: Option<String>,
    /// An artist's id or slug. Blank: any.
    artist: Option<String>,
    /// Beginning at this time or later.
    from: Option<Instant>,
    /// Beginning at this time or earlier.
    to: Option<Instant>,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor<EventPosition>>,
    /// 1 to 100, 20 unless said.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 100)]
    limit: Option<Limit>,
}

struct Point {
    lat: f64,
    lon: f64,
}

struct Radius(f64);

impl EventQuery {
    /// Filter, position, page size.
    ///
    /// # Errors
    /// `malformed-request`, for a radius around nothing.
    pub fn check(self) -> Result<(EventFilter, Option<EventPosition>, u16), Problem> {
        let mut errors = FormErrors::default();
        let alone = self.radius_km.is_some() && self.near.is_none();
        errors.require(!alone, "?radius_km", "a radius needs `near`");
        errors.into_result()?;
        // A form that is sent with an empty field asks for nothing by it.
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let radius_km = self.radius_km.map_or(RADIUS_KM, |radius| radius.0);
        let filter = EventFilter {
            text: said(self.q),
            near: self.near.map(|Point { lat, lon }| Near { lat, lon, radius_km }),
            category: said(self.category),
            artist: said(self.artist).as_deref().map(Reference::parse),
            from: self.from.map(|from| from.0),
            to: self.to.map(|to| to.0),
        };
        Ok((filter, self.cursor.map(|cursor| cursor.0), page_size(self.limit)))
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let point = text.split_once(',').and_then(|(lat, lon)| {
            Some(Self { lat: degrees(lat, 90.0)?, lon: degrees(lon, 180.0)? })
        });
        point.ok_or_else(|| {
            de::Error::custom("expected <lat>,<lon>, within 90 and 180 degrees, such as 37.4,-5.9")
        })
    }
}

impl<'de> Deserialize<'de> for Radius {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let radius = text.parse().ok().filter(|radius| *radius > 0.0 && *radius <= RADIUS_KM_MAX);
        radius.map(Self).ok_or_else(|| de::Error::custom("expected kilometres, at most 500"))
    }
}

/// A NaN is in no range.
fn degrees(text: &str, max: f64) -> Option<f64> {
    text.trim().parse().ok().filter(|degrees: &f64| degrees.abs() <= max)
}
