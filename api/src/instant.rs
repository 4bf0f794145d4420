//! Instants as RFC 3339 in UTC, with `Z`.

use std::time::Duration;

use chrono::{DateTime, Datelike, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use taquilla_engine::moment::Moment;
use utoipa::ToSchema;

/// An instant. Written with as many decimals as it has, to the microsecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2027-06-01T19:00:00Z")]
pub struct Instant(pub Moment);

/// Four digits, and after what any clock shows today.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=9999;

impl Instant {
    /// The instant in this text; an offset other than `Z` is converted.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let time = DateTime::parse_from_rfc3339(text).ok()?.with_timezone(&Utc);
        Self::of(Moment(time.timestamp_micros()))
    }

    /// The instant, if it can be written and stored.
    #[must_use]
    pub fn of(moment: Moment) -> Option<Self> {
        let time = DateTime::from_timestamp_micros(moment.0)?;
        YEARS.contains(&time.year()).then_some(Self(moment))
    }

    /// The text.
    #[must_use]
    pub fn to_text(self) -> String {
        let time = DateTime::from_timestamp_micros(self.0.0).unwrap_or_default();
        time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| de::Error::custom("expected a time such as 2027-06-01T19:00:00Z"))
    }
}

/// Whole seconds until then, rounded up: 0 only when it has come.
#[must_use]
pub fn seconds_until(then: Moment, now: Moment) -> u64 {
    let left: Duration = then.since(now);
    left.as_secs() + u64::from(left.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_utc_to_the_microsecond() {
        for (text, written) in [
            ("2027-06-01T19:00:00Z", "2027-06-01T19:00:00Z"),
            ("2027-06-01T21:00:00+02:00", "2027-06-01T19:00:00Z"),
            ("2027-06-01T19:00:00.123456Z", "2027-06-01T19:00:00.123456Z"),
        ] {
            assert_eq!(Instant::parse(text).expect("an instant").to_text(), written);
        }
        for text in ["2027-06-01", "2027-06-01T19:00:00", "1969-12-31T23:59:59Z", "soon", ""] {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_hold_that_lives_has_at_least_a_second() {
        assert_eq!(seconds_until(Moment(1), Moment(0)), 1);
        assert_eq!(seconds_until(Moment(2_000_000), Moment(0)), 2);
        assert_eq!(seconds_until(Moment(0), Moment(5)), 0);
    }
}
