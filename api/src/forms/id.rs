//! Ids in bodies and queries: UUIDs. A slug stands in an id's place in paths only; who gives one here is
//! told where the id stands.

use serde::{Deserialize, Deserializer, de};
use uuid::Uuid;

/// An event's.
///
/// # Errors
/// For anything else.
pub(super) fn of_event<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
    let wanted = "expected the event's UUID, not its slug: the `event_id` of GET /events/{slug}";
    Uuid::deserialize(deserializer).map_err(|_| de::Error::custom(wanted))
}

/// An event's, where one may be named.
///
/// # Errors
/// As [`of_event`].
pub(super) fn of_any_event<'de, D>(deserializer: D) -> Result<Option<Uuid>, D::Error>
where
    D: Deserializer<'de>,
{
    of_event(deserializer).map(Some)
}

/// A venue's.
///
/// # Errors
/// For anything else.
pub(super) fn of_venue<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
    let wanted = "expected the venue's UUID, not its slug: the `venue_id` of GET /admin/venues";
    Uuid::deserialize(deserializer).map_err(|_| de::Error::custom(wanted))
}
