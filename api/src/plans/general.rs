//! General areas beside a layout: so many places without number.

use serde_json::value::RawValue;
use taquilla_persistence::catalogue::{NewSection, SectionRoom};

use super::defect::Defects;
use super::limits::{PLACES_MAX, SECTIONS_MAX};
use super::names::check_name;
use super::place::Place;
use super::shape::{count, items, members, text};

/// One of them.
#[derive(Debug)]
pub(super) struct Area {
    pub(super) name: String,
    pub(super) capacity: u32,
}

impl Area {
    pub(super) fn into_section(self) -> NewSection {
        NewSection { name: self.name, room: SectionRoom::General { capacity: self.capacity } }
    }
}

/// The list, which may be left out; those beyond the most sections of a plan are only counted.
pub(super) fn read(form: &mut Defects, general: Option<&RawValue>) -> (Vec<Area>, usize) {
    let (mut areas, mut areas_count) = (Vec::new(), 0);
    if general.is_none() {
        return (areas, areas_count);
    }
    items(form, Place::Plan("general"), general, |form, index, piece| {
        let at = |member| Place::General(index, member);
        let [name, capacity] = members(form, at(""), piece, ["section", "capacity"]);
        let name = text(form, at("section"), name).unwrap_or_default();
        let capacity = count(form, at("capacity"), capacity);
        areas_count += 1;
        if areas.len() < SECTIONS_MAX {
            areas.push(Area { name, capacity });
        }
    });
    (areas, areas_count)
}

/// Notes what is wrong with the areas, each by itself.
pub(super) fn check(areas: &[Area], defects: &mut Defects) {
    for (index, area) in (0..).zip(areas) {
        check_name(defects, Place::General(index, "section"), &area.name);
        check_capacity(defects, Place::General(index, "capacity"), area.capacity);
    }
}

/// Notes a capacity that is none.
pub(super) fn check_capacity(defects: &mut Defects, place: Place, capacity: u32) {
    if !(1..=PLACES_MAX).contains(&capacity) {
        let detail = format!("{capacity} places, expected 1 to {PLACES_MAX}");
        defects.add("capacity-out-of-range", place, |_| detail);
    }
}
