//! `GET /events`: which ones.

use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, de};
use taquilla_persistence::catalogue::Reference;
use utoipa::IntoParams;

use super::number::{Limit, page_size};
use crate::cursor::Cursor;
use crate::instant::Instant;
use crate::problem::Problem;
use crate::search::{Near, Order, Search, SearchPosition, When};
use crate::strict::FormErrors;

/// Contract: unless said, and at most.
const RADIUS_KM: f64 = 25.0;
const RADIUS_KM_MAX: f64 = 500.0;

/// Longer is nobody's.
const TEXT_MAX: usize = 200;

/// Filters of a list of events. A blank `q`, `category` or `artist` is as good as none.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventQuery {
    /// Words of a name: the event's, the venue's, its city's, an artist's. All of them, each whole, begun or mistyped,
    /// in any case, with accents or without. At most 200 characters. Blank: any.
    #[param(max_length = 200)]
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
    /// Beginning at this time or later; a date is that day where the event takes place.
    #[param(value_type = Option<String>, example = "2027-06-01")]
    from: Option<Begins>,
    /// Beginning at this time or earlier; a date is that day where the event takes place, its end included.
    #[param(value_type = Option<String>, example = "2027-06-01T19:00:00Z")]
    to: Option<Begins>,
    /// `date`, soonest first; `distance` from `near`, nearest first; `relevance` to `q`, the best first. Relevance if
    /// there is a `q`, date otherwise, unless said.
    #[param(value_type = Option<String>, example = "date")]
    sort: Option<Sort>,
    /// The `next_cursor` of the page before, which had the same order.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor<SearchPosition>>,
    /// 1 to 100, 20 unless said.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 100)]
    limit: Option<Limit>,
}

struct Point {
    lat: f64,
    lon: f64,
}

struct Radius(f64);

struct Begins(When);

struct Sort(Order);

impl EventQuery {
    /// What is looked for, after which position, and the page's size.
    ///
    /// # Errors
    /// `malformed-request`, for a radius or an order around nothing, a `q` that is too long, and a cursor of another
    /// order.
    pub fn check(self) -> Result<(Search, Option<SearchPosition>, u16), Problem> {
        // A form that is sent with an empty field asks for nothing by it.
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let text = said(self.q);
        let of_words = if text.is_some() { Order::Relevance } else { Order::Date };
        let order = self.sort.map_or(of_words, |sort| sort.0);
        let mut errors = FormErrors::default();
        let alone = self.radius_km.is_some() && self.near.is_none();
        errors.require(!alone, "?radius_km", "a radius needs `near`");
        let length = text.as_ref().map_or(0, |text| text.chars().count());
        errors.require(length <= TEXT_MAX, "?q", "at most 200 characters");
        let rests_on = match order {
            Order::Date => true,
            Order::Distance => self.near.is_some(),
            Order::Relevance => text.is_some(),
        };
        errors.require(rests_on, "?sort", "by distance needs `near`, by relevance `q`");
        let cursor = self.cursor.map(|cursor| cursor.0);
        let fits = cursor.is_none_or(|cursor| cursor.order == order);
        errors.require(fits, "?cursor", "a `next_cursor` of a list in the same order");
        errors.into_result()?;
        let radius_km = self.radius_km.map_or(RADIUS_KM, |radius| radius.0);
        let search = Search {
            text,
            near: self.near.map(|Point { lat, lon }| Near { lat, lon, radius_km }),
            category: said(self.category),
            artist: said(self.artist).as_deref().map(Reference::parse),
            from: self.from.map(|from| from.0),
            to: self.to.map(|to| to.0),
            order,
        };
        Ok((search, cursor, page_size(self.limit)))
    }
}

impl<'de> Deserialize<'de> for Begins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let instant = Instant::parse(&text).map(|instant| When::Instant(instant.0));
        instant.or_else(|| day(&text).map(When::Day)).map(Self).ok_or_else(|| {
            de::Error::custom(
                "expected a time such as 2027-06-01T19:00:00Z, or a date such as 2027-06-01",
            )
        })
    }
}

/// Counted from 1970-01-01.
fn day(text: &str) -> Option<i32> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    // "2027-6-1" is read, too, and no date as it is written elsewhere here.
    let is_written_out = text.len() == "2027-06-01".len();
    let day = date.signed_duration_since(NaiveDate::default()).num_days();
    i32::try_from(day).ok().filter(|_| is_written_out)
}

impl<'de> Deserialize<'de> for Sort {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let order = Order::ALL.into_iter().find(|order| order.code() == text);
        order.map(Self).ok_or_else(|| de::Error::custom("expected date, distance or relevance"))
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
