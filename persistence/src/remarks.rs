//! What a hold's answer said beside what the hold takes, as `holds.remarks`.

use serde::{Deserialize, Serialize};
use taquilla_engine::hold::{Choice, Claim, Remarks};
use taquilla_engine::id::{SeatIndex, SectionIndex};
use taquilla_engine::seating::Reason;

/// The column. What is not there was not said.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    declined_seats: Vec<u32>,
    /// Section and quantity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    declined_places: Vec<(u16, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    choice: Option<ChoiceColumn>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceColumn {
    row: String,
    distance: u32,
    split: bool,
    orphans: u32,
    reason: String,
}

/// As it is stored.
pub(crate) fn to_json(remarks: &Remarks) -> serde_json::Value {
    let Remarks { declined, choice } = remarks;
    let column = Column {
        declined_seats: declined.seats.iter().map(|seat| seat.0).collect(),
        declined_places: declined.places.iter().map(|(section, n)| (section.0, *n)).collect(),
        choice: choice.as_ref().map(|choice| ChoiceColumn {
            row: choice.row.to_string(),
            distance: choice.distance,
            split: choice.split,
            orphans: choice.orphans,
            reason: choice.reason.code().to_owned(),
        }),
    };
    serde_json::to_value(column).expect("numbers and words are JSON")
}

/// As it was said; `None` if it was never written by [`to_json`].
pub(crate) fn of_json(column: serde_json::Value) -> Option<Remarks> {
    let Column { declined_seats, declined_places, choice } = serde_json::from_value(column).ok()?;
    let choice = match choice {
        None => None,
        Some(ChoiceColumn { row, distance, split, orphans, reason }) => Some(Choice {
            row: row.into(),
            distance,
            split,
            orphans,
            reason: Reason::of_code(&reason)?,
        }),
    };
    let seats = declined_seats.into_iter().map(SeatIndex).collect();
    let places = declined_places.into_iter().map(|(section, n)| (SectionIndex(section), n));
    Some(Remarks { declined: Claim { seats, places: places.collect() }, choice })
}
